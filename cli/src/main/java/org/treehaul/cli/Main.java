// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

import org.treehaul.cli.args.ExactArguments;
import org.treehaul.cli.common.ExitCode;
import org.treehaul.cli.report.Screen;
import org.treehaul.cli.report.Terminal;

/** The entry point of the process: takes arguments and returns an exit code. */
public final class Main {

    private Main() {}

    /**
     * Runs a command and ends the process with its exit code.
     *
     * @param args the arguments as the JVM decoded them
     */
    public static void main(String[] args) {
        int code = run(args);
        // At the call of exit, the JVM looks for a library for its log, in every jar of the class path.
        if (code != ExitCode.DONE.code() || !isLast()) {
            System.exit(code);
        }
    }

    // Otherwise the JVM would wait for a thread that a library has left behind.
    private static boolean isLast() {
        Thread[] threads = new Thread[Thread.activeCount() + 1];
        int count = Thread.enumerate(threads);
        boolean isLast = count < threads.length;
        for (int i = 0; i < count; i++) {
            isLast &= threads[i].isDaemon() || threads[i].equals(Thread.currentThread());
        }
        return isLast;
    }

    private static int run(String[] decoded) {
        boolean isVerbose = false;
        if (decoded.length > 0 && !decoded[0].startsWith("-")) {
            QuickStart.linkCalls();
        }
        try {
            String[] args = ExactArguments.of(decoded);
            isVerbose = Verbosity.set(args) > 0;
            return CommandLines.execute(args, System.getenv());
        } catch (IllegalArgumentException | UnsupportedOperationException e) {
            return fail(e.getMessage() == null ? e.toString() : e.getMessage(), e, isVerbose, "");
        } catch (OutOfMemoryError e) {
            return fail("out of memory", e, isVerbose, memoryHint());
        } catch (Throwable e) {
            return fail("unexpected " + e, e, isVerbose, isVerbose ? "" : "; -v shows where. Please report this.");
        }
    }

    // A larger heap does not help if the address space is limited: it leaves less for everything else.
    private static String memoryHint() {
        try (Stream<String> limits = Files.lines(Path.of("/proc/self/limits"))) {
            boolean isLimited = limits.anyMatch(
                    line -> line.startsWith("Max address space") && !line.split(" +", -1)[3].equals("unlimited"));
            if (isLimited) {
                return " within the allowed address space: raise 'ulimit -v', or use fewer --threads";
            }
        } catch (IOException | UncheckedIOException e) {
            // Without /proc, limits are unknown.
        }
        return "; give it more: JDK_JAVA_OPTIONS=-Xmx4g";
    }

    private static int fail(String message, Throwable cause, boolean isVerbose, String hint) {
        Screen screen = Screen.standard("", Terminal.wantsColor("auto", Terminal.ERR));
        screen.error(message + hint);
        if (isVerbose) {
            StringWriter trace = new StringWriter();
            cause.printStackTrace(new PrintWriter(trace));
            screen.error(trace.toString().stripTrailing());
        }
        return ExitCode.TROUBLE.code();
    }
}
