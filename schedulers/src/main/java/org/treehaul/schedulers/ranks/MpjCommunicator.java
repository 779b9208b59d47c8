// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.ranks;

import static java.lang.invoke.MethodType.methodType;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;

import org.jspecify.annotations.Nullable;
import org.treehaul.strategies.ranks.Communicator;
import org.treehaul.strategies.ranks.RanksException;
import org.treehaul.strategies.ranks.Received;
import org.treehaul.strategies.ranks.Traffic;

/**
 * A rank of MPJ Express, by method handles. Made and used on the thread of the rank.
 *
 * <p>
 * Sends do not wait: the standard send of smpdev does until the message is received, and two ranks that send to each
 * other first would wait for ever. All have one tag, as with different ones its time grows with the square of their
 * number. The world is never finalized: that waits for all ranks, also for one that has failed, and frees nothing that
 * the end of its class loader does not.
 */
final class MpjCommunicator implements Communicator {

    private static final int TAG = 1;

    // MPI.ANY_SOURCE and MPI.ANY_TAG of MPJ Express.
    private static final int ANY = -2;

    // A look costs less than a microsecond and nothing tells of a message: look often at first, then less and less.
    private static final int QUICK_LOOKS = 50;
    private static final long SHORTEST_PAUSE = 20_000;
    private static final long LONGEST_PAUSE = 500_000;

    private final MethodHandle isend;
    private final MethodHandle test;
    private final MethodHandle iprobe;
    private final MethodHandle receive;
    private final MethodHandle count;
    private final MethodHandle source;
    private final Object bytes;
    private final int rank;
    private final List<Integer> hosts;
    private final Traffic.Counter counter;
    private final ArrayDeque<Object> sends = new ArrayDeque<>();
    private final Thread thread = Thread.currentThread();
    private volatile boolean woken;

    MpjCommunicator(ClassLoader loader, String[] arguments, List<Integer> hosts) {
        this.hosts = hosts;
        this.counter = new Traffic.Counter(hosts.size());
        try {
            MethodHandles.Lookup lookup = MethodHandles.publicLookup();
            Class<?> mpi = Class.forName("mpi.MPI", true, loader);
            Class<?> comm = Class.forName("mpi.Comm", true, loader);
            Class<?> type = Class.forName("mpi.Datatype", true, loader);
            Class<?> status = Class.forName("mpi.Status", true, loader);
            Class<?> request = Class.forName("mpi.Request", true, loader);
            lookup.findStatic(mpi, "Init", methodType(String[].class, String[].class)).invoke((Object) arguments);
            Object world = lookup.findStaticGetter(mpi, "COMM_WORLD", Class.forName("mpi.Intracomm", true, loader))
                    .invoke();
            bytes = lookup.findStaticGetter(mpi, "BYTE", type).invoke();
            rank = (int) lookup.findVirtual(comm, "Rank", methodType(int.class)).invoke(world);
            int size = (int) lookup.findVirtual(comm, "Size", methodType(int.class)).invoke(world);
            if (size != hosts.size()) {
                throw new RanksException("MPJ Express started " + size + " ranks instead of " + hosts.size());
            }
            MethodType transfer = methodType(Object.class, Object.class, int.class, int.class, Object.class, int.class,
                    int.class);
            Class<?>[] sent = {Object.class, int.class, int.class, type, int.class, int.class};
            isend = lookup.findVirtual(comm, "Isend", methodType(request, sent)).bindTo(world).asType(transfer);
            receive = lookup.findVirtual(comm, "Recv", methodType(status, sent)).bindTo(world).asType(transfer);
            iprobe = lookup.findVirtual(comm, "Iprobe", methodType(status, int.class, int.class))
                    .bindTo(world)
                    .asType(methodType(Object.class, int.class, int.class));
            test = lookup.findVirtual(request, "Test", methodType(status))
                    .asType(methodType(Object.class, Object.class));
            count = lookup.findVirtual(status, "Get_count", methodType(int.class, type))
                    .asType(methodType(int.class, Object.class, Object.class));
            source = lookup.findGetter(status, "source", int.class).asType(methodType(int.class, Object.class));
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw broken("begin", e);
        }
    }

    private static RanksException broken(String what, Throwable cause) {
        return new RanksException("MPJ Express failed to " + what + ": " + cause, cause);
    }

    @Override
    public int rank() {
        return rank;
    }

    @Override
    public int size() {
        return hosts.size();
    }

    @Override
    public int hostOf(int other) {
        return hosts.get(other);
    }

    @Override
    public void send(int to, byte[] message) {
        counter.sent(to, message);
        try {
            Object request = (Object) isend.invokeExact((Object) message, 0, message.length, bytes, to, TAG);
            sends.add(request);
            forgetReceived();
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw broken("send", e);
        }
    }

    // A request that is done must not be asked again: its answer would be wrong.
    private void forgetReceived() throws Throwable {
        Object oldest = sends.peek();
        while (oldest != null) {
            Object status = (@Nullable Object) test.invokeExact(oldest);
            if (status == null) {
                return;
            }
            sends.remove();
            oldest = sends.peek();
        }
    }

    @Override
    public Optional<Received> poll(Duration longest) {
        long end = System.nanoTime() + longest.toNanos();
        long pause = SHORTEST_PAUSE;
        try {
            for (int looks = 0;; looks++) {
                Object status = (@Nullable Object) iprobe.invokeExact(ANY, ANY);
                if (status != null) {
                    return Optional.of(receive(status));
                }
                forgetReceived();
                if (woken) {
                    woken = false;
                    return Optional.empty();
                }
                long left = end - System.nanoTime();
                if (left <= 0) {
                    return Optional.empty();
                }
                if (looks >= QUICK_LOOKS) {
                    LockSupport.parkNanos(this, Math.min(left, pause));
                    pause = Math.min(LONGEST_PAUSE, pause * 2);
                    if (thread.isInterrupted()) {
                        throw new RanksException("rank " + rank + " was interrupted");
                    }
                }
            }
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw broken("receive", e);
        }
    }

    private Received receive(Object probed) throws Throwable {
        int length = (int) count.invokeExact(probed, bytes);
        int from = (int) source.invokeExact(probed);
        byte[] message = new byte[length];
        Object ignored = (@Nullable Object) receive.invokeExact((Object) message, 0, length, bytes, from, TAG);
        return new Received(from, message);
    }

    @Override
    public void wake() {
        woken = true;
        LockSupport.unpark(thread);
    }

    @Override
    public Traffic traffic() {
        return counter.traffic();
    }

    @Override
    public void close() {
        // Not finalized, see above.
    }
}
