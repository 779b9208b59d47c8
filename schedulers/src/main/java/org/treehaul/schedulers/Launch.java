// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

import org.treehaul.core.annotation.Internal;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.fs.PrivateFiles;
import org.treehaul.core.fs.linux.ServerView;
import org.treehaul.core.state.AtomicFiles;

/**
 * The programs and commands that the jobs of a transfer start. They are written into files that a script reads, so that
 * a script never contains a path, flag or command of a user.
 *
 * @param java the {@code java} program to try first; without one, or if it is older than Java 25, a node searches the
 *        usual places
 * @param jar the jar of TreeHaul, visible on every node
 * @param jars further jars on the class path, with operations that others add
 * @param flags flags for the JVM, each one line
 * @param pre lines that bash reads before the work, in the shell that starts it; if they fail, the work does not begin
 * @param post lines that bash runs after the work, with its exit code in {@code TREEHAUL_CODE}
 * @param onComplete lines that bash runs when the transfer is finished, with its id in {@code TREEHAUL_TRANSFER} and
 *        the exit code of finishing in {@code TREEHAUL_CODE}
 */
@Internal
public record Launch(Optional<Path> java, Path jar, List<Path> jars, List<String> flags, List<String> pre,
        List<String> post, List<String> onComplete) {
    /** The name of the directory inside the transfer's directory. */
    static final String DIRECTORY = "launch";

    // The charset by which Java decoded the bytes of paths and arguments; UTF-8 except in odd locales.
    private static final Charset NAMES = Charset.forName(System.getProperty("sun.jnu.encoding", "UTF-8"));

    /** Creates a launch of TreeHaul alone. */
    public Launch(Optional<Path> java, Path jar, List<String> flags, List<String> pre, List<String> post,
            List<String> onComplete) {
        this(java, jar, List.of(), flags, pre, post, onComplete);
    }

    /** Checks that each jar and each flag is one line. */
    public Launch {
        jars = List.copyOf(jars);
        flags = List.copyOf(flags);
        pre = List.copyOf(pre);
        post = List.copyOf(post);
        onComplete = List.copyOf(onComplete);
        java.ifPresent(path -> requireLine(path.toString()));
        requireLine(jar.toString());
        jars.forEach(one -> requireLine(one.toString()));
        flags.forEach(Launch::requireLine);
    }

    private static void requireLine(String text) {
        if (text.isEmpty() || text.indexOf('\n') >= 0 || text.indexOf('\0') >= 0) {
            throw new IllegalArgumentException("must be one line: " + text);
        }
    }

    /**
     * Writes the files into the directory of a transfer and replaces those of an earlier launch. After a failure some
     * files are old and some new.
     */
    public void write(Path transfer) throws IOException {
        Path directory = transfer.resolve(DIRECTORY);
        PrivateFiles.makeDirectories(directory);
        put(directory.resolve("java"), java.map(path -> List.of(path.toString())).orElse(List.of()), NAMES);
        writeInstalled(directory);
        // Resolves symbolic links, because the script refuses them: others may be able to change their targets.
        put(directory.resolve("jar"), List.of(real(jar)), NAMES);
        writeJars(transfer, jars);
        put(directory.resolve("flags"), flags, StandardCharsets.UTF_8);
        put(directory.resolve("pre"), pre, StandardCharsets.UTF_8);
        put(directory.resolve("post"), post, StandardCharsets.UTF_8);
        put(directory.resolve("on-complete"), onComplete, StandardCharsets.UTF_8);
    }

    /**
     * Writes the checksums of the installation that runs this program. If those of the installation on a node are the
     * same, the job starts the program that is in its Java, which is faster than the jar.
     */
    private void writeInstalled(Path directory) throws IOException {
        Path sums = java.orElse(Path.of("")).resolve("../../../SHA256SUMS").normalize();
        boolean isInstalled = Launch.class.getModule().isNamed() && Files.exists(sums);
        put(directory.resolve("installed"), isInstalled ? Files.readAllLines(sums) : List.of(), StandardCharsets.UTF_8);
    }

    /** Writes the further jars before the jobs are submitted, so that they are not taken for unused until then. */
    public static void writeJars(Path transfer, List<Path> jars) throws IOException {
        Path directory = transfer.resolve(DIRECTORY);
        PrivateFiles.makeDirectories(directory);
        List<String> real = new ArrayList<>();
        for (Path jar : jars) {
            real.add(real(jar));
        }
        put(directory.resolve("jars"), real, NAMES);
    }

    private static String real(Path jar) throws IOException {
        return (Files.exists(jar) ? jar.toRealPath() : jar).toString();
    }

    /**
     * Writes the working directory and the umask of the user, in which jobs run: the scheduler would choose others.
     *
     * @param transfer the directory of the transfer
     * @param directory the absolute path of the working directory
     * @param umask 0 to 0777
     */
    public static void writeCaller(Path transfer, ByteString directory, int umask) throws IOException {
        Path launch = transfer.resolve(DIRECTORY);
        PrivateFiles.makeDirectories(launch);
        PrivateFiles.write(launch.resolve("umask"), String.format("%04o%n", umask).getBytes(StandardCharsets.US_ASCII));
        // The script reads it up to a NUL, because a name may contain a line end.
        PrivateFiles.write(launch.resolve("cwd"), Arrays.copyOf(directory.toBytes(), directory.length() + 1));
    }

    /** Returns all jars on the class path of the jobs of a transfer, as far as they are recorded. */
    static List<Path> allJars(Path transfer) throws IOException {
        List<Path> all = new ArrayList<>();
        jar(transfer).ifPresent(all::add);
        Path more = transfer.resolve(DIRECTORY).resolve("jars");
        if (ServerView.exists(more)) {
            Files.readAllLines(more, NAMES).forEach(line -> all.add(Path.of(line)));
        }
        return all;
    }

    /** Returns the jar that the jobs of a transfer start, if it is recorded. */
    static Optional<Path> jar(Path transfer) throws IOException {
        Path file = transfer.resolve(DIRECTORY).resolve("jar");
        return ServerView.exists(file) ? Optional.of(Path.of(Files.readString(file, NAMES).strip())) : Optional.empty();
    }

    /** Returns whether the jobs of a transfer run a user's command when it is finished. */
    static boolean hasOnComplete(Path transfer) {
        return Files.exists(transfer.resolve(DIRECTORY).resolve("on-complete"));
    }

    private static void put(Path file, List<String> lines, Charset charset) throws IOException {
        if (lines.isEmpty()) {
            Files.deleteIfExists(file);
            return;
        }
        // Unlike getBytes, an encoder refuses a name that this charset cannot express.
        ByteBuffer content = charset.newEncoder().encode(CharBuffer.wrap(String.join("\n", lines) + "\n"));
        byte[] bytes = new byte[content.remaining()];
        content.get(bytes);
        AtomicFiles.replace(file, false, bytes);
    }
}
