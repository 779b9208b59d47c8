// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli;

import java.io.BufferedInputStream;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

import org.treehaul.cli.common.ExitCode;

/**
 * A process that runs commands for a test until the test ends it. Each command has the working directory, the umask,
 * the environment and the standard streams that the files of a directory name; {@code org.treehaul.e2e.WarmProgram}
 * describes them.
 */
final class ManyCommands {

    private static final int O_RDONLY = 0;

    private final Path exchange;
    private final PrintStream err = System.err;
    private final MethodHandle chdir = ofText("chdir");
    private final MethodHandle open = ofText("open", ValueLayout.JAVA_INT);
    private final MethodHandle creat = ofText("creat", ValueLayout.JAVA_INT);
    private final MethodHandle dup2 = of("dup2", ValueLayout.JAVA_INT, ValueLayout.JAVA_INT);
    private final MethodHandle close = of("close", ValueLayout.JAVA_INT);
    private final MethodHandle umask = of("umask", ValueLayout.JAVA_INT);

    private ManyCommands(Path exchange) {
        this.exchange = exchange;
    }

    /**
     * Runs commands until the process is killed, or its parent has ended.
     *
     * @param args the directory of the files, then the home of the Java that commands use for jobs, if it is another
     *        one
     */
    public static void main(String[] args) throws Throwable {
        var _ = ProcessHandle.current().parent().orElseThrow().onExit().thenRun(() -> Runtime.getRuntime().halt(0));
        if (args.length > 1) {
            // It reads where the modules of the JDK are, once.
            Class.forName("jdk.internal.jimage.ImageReaderFactory");
            System.setProperty("java.home", args[1]);
        }
        try {
            ManyCommands commands = new ManyCommands(Path.of(args[0]));
            while (true) {
                commands.next();
            }
        } catch (Throwable e) {
            System.err.println("the warm program ends: " + e + " at " + Arrays.toString(e.getStackTrace()));
            // A thread that a command has left would keep the process, and the test would wait for it.
            Runtime.getRuntime().halt(1);
        }
    }

    @SuppressWarnings("restricted")
    private static MethodHandle of(String name, ValueLayout... arguments) {
        Linker linker = Linker.nativeLinker();
        return linker.downcallHandle(linker.defaultLookup().findOrThrow(name),
                FunctionDescriptor.of(ValueLayout.JAVA_INT, arguments));
    }

    private static MethodHandle ofText(String name, ValueLayout... more) {
        ValueLayout[] arguments = new ValueLayout[more.length + 1];
        arguments[0] = ValueLayout.ADDRESS;
        System.arraycopy(more, 0, arguments, 1, more.length);
        return of(name, arguments);
    }

    private String read(String name) throws IOException {
        return Files.readString(exchange.resolve(name), StandardCharsets.ISO_8859_1);
    }

    private void next() throws Throwable {
        // Opening the pipe waits for the next command.
        read("go");
        try (Arena arena = Arena.ofConfined()) {
            String directory = read("cwd").stripTrailing();
            check("chdir", (int) chdir.invokeExact(text(arena, directory)));
            StartOfJava.directory(directory);
            StartOfJava.environment(read("env"));
            int _ = (int) umask.invokeExact(Integer.parseInt(read("umask").strip(), 8));
            redirect((int) open.invokeExact(text(arena, exchange.resolve("in").toString()), O_RDONLY), 0);
            redirect((int) creat.invokeExact(text(arena, exchange.resolve("out").toString()), 0600), 1);
            redirect((int) creat.invokeExact(text(arena, exchange.resolve("err").toString()), 0600), 2);
        }
        StartOfJava.reopen(FileDescriptor.in, 0);
        // Its buffer may have input of the last command.
        System.setIn(new BufferedInputStream(new FileInputStream(FileDescriptor.in)));
        // A rank has replaced it, so that MPJ prints nothing.
        System.setErr(err);
        String[] arguments = read("args").split("\0", -1);
        // Nothing comes after the last NUL.
        int code = execute(Arrays.copyOf(arguments, arguments.length - 1));
        Files.writeString(exchange.resolve("done"), code + "\n");
    }

    // As in Main.
    private static int execute(String[] arguments) {
        try {
            return CommandLines.execute(arguments, System.getenv());
        } catch (IllegalArgumentException | UnsupportedOperationException e) {
            System.err.println("treehaul: " + e.getMessage());
        } catch (Exception e) {
            System.err.println("treehaul: unexpected " + e);
        } catch (Error e) {
            // The test that waits for the outcome shows it.
            System.err.println("treehaul: unexpected " + e + " at " + Arrays.toString(e.getStackTrace()));
        }
        return ExitCode.TROUBLE.code();
    }

    private static MemorySegment text(Arena arena, String text) {
        return arena.allocateFrom(text, StandardCharsets.ISO_8859_1);
    }

    private void redirect(int from, int to) throws Throwable {
        check("open", from);
        if (from == to) {
            // The last command has closed it.
            return;
        }
        check("dup2", (int) dup2.invokeExact(from, to));
        check("close", (int) close.invokeExact(from));
    }

    private static void check(String call, int result) throws IOException {
        if (result < 0) {
            throw new IOException(call + " failed");
        }
    }
}
