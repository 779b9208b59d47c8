// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers;

import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

import org.treehaul.core.fs.PrivateFiles;

/**
 * What the jobs of a transfer start, written into files that a script reads: so that no path, flag or command of a user
 * ever stands in a script.
 *
 * @param java the {@code java} program that is tried first; without one, and where it is no Java 25, a node looks in
 *        the usual places
 * @param jar the jar of TreeHaul, seen by every node
 * @param flags for the JVM, each one line
 * @param pre lines that bash reads before the work, in the shell that starts it; where they fail it does not begin
 * @param post lines that bash runs after the work, with its exit code in {@code TREEHAUL_CODE}
 * @param onComplete lines that bash runs when the transfer is finished, with its id in {@code TREEHAUL_TRANSFER} and
 *        the exit code of finishing in {@code TREEHAUL_CODE}
 */
public record Launch(Optional<Path> java, Path jar, List<String> flags, List<String> pre, List<String> post,
        List<String> onComplete) {
    /** The directory in that of the transfer. */
    static final String DIRECTORY = "launch";

    // The one by which Java made Strings of the bytes of paths and arguments; UTF-8 but in odd locales.
    private static final Charset NAMES = Charset.forName(System.getProperty("sun.jnu.encoding", "UTF-8"));

    /** Checks that each is one line. */
    public Launch {
        flags = List.copyOf(flags);
        pre = List.copyOf(pre);
        post = List.copyOf(post);
        onComplete = List.copyOf(onComplete);
        java.ifPresent(path -> requireLine(path.toString()));
        requireLine(jar.toString());
        flags.forEach(Launch::requireLine);
    }

    private static void requireLine(String text) {
        if (text.isEmpty() || text.indexOf('\n') >= 0 || text.indexOf('\0') >= 0) {
            throw new IllegalArgumentException("must be one line: " + text);
        }
    }

    /**
     * Writes the files into the directory of a transfer; those of an earlier launch are replaced. After a failure some
     * are the old and some the new ones.
     */
    public void write(Path transfer) throws IOException {
        Path directory = transfer.resolve(DIRECTORY);
        PrivateFiles.makeDirectories(directory);
        put(directory.resolve("java"), java.map(path -> List.of(path.toString())).orElse(List.of()), NAMES);
        // Without symbolic links, which its script does not follow: others may be able to change where they lead.
        Path real = Files.exists(jar) ? jar.toRealPath() : jar;
        put(directory.resolve("jar"), List.of(real.toString()), NAMES);
        put(directory.resolve("flags"), flags, StandardCharsets.UTF_8);
        put(directory.resolve("pre"), pre, StandardCharsets.UTF_8);
        put(directory.resolve("post"), post, StandardCharsets.UTF_8);
        put(directory.resolve("on-complete"), onComplete, StandardCharsets.UTF_8);
    }

    /** Returns the jar that the jobs of a transfer start, where that is written down. */
    static Optional<Path> jar(Path transfer) throws IOException {
        Path file = transfer.resolve(DIRECTORY).resolve("jar");
        return Files.exists(file) ? Optional.of(Path.of(Files.readString(file, NAMES).strip())) : Optional.empty();
    }

    /** Returns whether the jobs of a transfer run something when it is finished. */
    static boolean hasOnComplete(Path transfer) {
        return Files.exists(transfer.resolve(DIRECTORY).resolve("on-complete"));
    }

    private static void put(Path file, List<String> lines, Charset charset) throws IOException {
        if (lines.isEmpty()) {
            Files.deleteIfExists(file);
            return;
        }
        Path fresh = PrivateFiles.makeTemporaryFile(Objects.requireNonNull(file.getParent()), "new", "");
        Files.writeString(fresh, String.join("\n", lines) + "\n", charset);
        Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE);
    }
}
