// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;

import org.treehaul.core.fs.Call;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.InterceptedCalls;

/** Ends or stops this process at one of its calls, as a kill or a suspension at that moment does. */
public final class FatalCalls extends InterceptedCalls {

    /** The exit code of a killed process. */
    public static final int KILLED = 137;

    /** The moment, relative to a call. */
    enum Moment {
        /** Killed before the call. */
        BEFORE,
        /** Killed after the call, whose result it never sees. */
        AFTER,
        /** Stopped before an entry is examined. */
        STOP
    }

    private final Moment moment;
    private final AtomicInteger left;

    private FatalCalls(FileSystemCalls calls, Moment moment, int number) {
        super(calls);
        this.moment = moment;
        this.left = new AtomicInteger(number);
    }

    /** Returns the argument for a process that is killed at one of its first calls. */
    public static String kill(Random random, int calls) {
        return (random.nextBoolean() ? Moment.BEFORE : Moment.AFTER) + ":" + (1 + random.nextInt(calls));
    }

    /** Returns the argument for a process that stops itself before it examines one of the first entries. */
    public static String stop(Random random, int entries) {
        return Moment.STOP + ":" + (1 + random.nextInt(entries));
    }

    /** Returns calls as an argument describes them. */
    public static FileSystemCalls of(FileSystemCalls calls, String argument) {
        int colon = argument.indexOf(':');
        return new FatalCalls(calls, Moment.valueOf(argument.substring(0, colon)),
                Integer.parseInt(argument.substring(colon + 1)));
    }

    @Override
    protected long around(Call call, int descriptor, MemorySegment name, LongSupplier made) {
        // A process that is stopped after it compared an entry and before it removes the name removes a new one.
        boolean isIt = (moment != Moment.STOP || call == Call.STATX) && left.decrementAndGet() == 0;
        if (isIt && moment == Moment.BEFORE) {
            Runtime.getRuntime().halt(KILLED);
        }
        if (isIt && moment == Moment.STOP) {
            stop();
        }
        long result = made.getAsLong();
        if (isIt && moment == Moment.AFTER) {
            Runtime.getRuntime().halt(KILLED);
        }
        return result;
    }

    private static void stop() {
        try {
            new ProcessBuilder("kill", "-STOP", String.valueOf(ProcessHandle.current().pid())).start().waitFor();
        } catch (IOException e) {
            throw new AssertionError(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
