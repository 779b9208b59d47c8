// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.walk.options;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Assumptions;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.core.testing.TreeWriter;

/**
 * Asks git which paths it ignores. Bytes are passed as ISO-8859-1 text. A path is a directory if it ends with a slash,
 * or if another path leads through it.
 */
final class GitCheckIgnore implements AutoCloseable {

    private final TestDirectory directory = TestDirectory.make();
    private int calls;

    GitCheckIgnore() {
        try {
            run(directory.path(), List.of("git", "init", "--quiet", "."), new byte[0]);
            Files.createDirectories(directory.resolve(".git/info"));
        } catch (IOException e) {
            Assumptions.abort("git cannot be run: " + e.getMessage());
        }
    }

    /** Returns the paths that git ignores with these lines in an exclude file. */
    Set<String> ignored(String lines, Collection<String> paths) {
        try {
            Files.write(directory.resolve(".git/info/exclude"), lines.getBytes(StandardCharsets.ISO_8859_1));
            // Git checks on the disk which paths are directories.
            Path tree = directory.directory("tree" + ++calls);
            ByteArrayOutputStream input = new ByteArrayOutputStream();
            try (TreeWriter writer = TreeWriter.in(Linux.calls(), tree)) {
                for (String path : paths) {
                    byte[] bytes = withoutSlash(path).getBytes(StandardCharsets.ISO_8859_1);
                    input.write(bytes);
                    input.write(0);
                    if (path.endsWith("/")) {
                        writer.directory(ByteString.of(bytes));
                    } else if (path.contains("/")) {
                        writer.directory(ByteString
                                .of(path.substring(0, path.lastIndexOf('/')).getBytes(StandardCharsets.ISO_8859_1)));
                    }
                }
            }
            byte[] output = run(tree,
                    List.of("git", "--git-dir=../.git", "--work-tree=.", "-c", "core.excludesFile=/dev/null",
                            "check-ignore", "--no-index", "--verbose", "--non-matching", "-z", "--stdin"),
                    input.toByteArray());
            // Source, line, pattern and path of each; the first three are empty if nothing matched.
            String[] fields = new String(output, StandardCharsets.ISO_8859_1).split("\0", -1);
            Set<String> ignored = new HashSet<>();
            for (int i = 0; i + 3 < fields.length; i += 4) {
                if (!fields[i + 2].isEmpty() && !fields[i + 2].startsWith("!")) {
                    ignored.add(fields[i + 3]);
                }
            }
            return ignored;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String withoutSlash(String path) {
        return path.endsWith("/") ? path.substring(0, path.length() - 1) : path;
    }

    private byte[] run(Path where, List<String> command, byte[] input) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(command).directory(where.toFile())
                .redirectError(ProcessBuilder.Redirect.DISCARD);
        builder.environment().put("GIT_CONFIG_NOSYSTEM", "1");
        builder.environment().put("HOME", directory.path().toString());
        Process process = builder.start();
        Thread.ofPlatform().daemon(true).start(() -> {
            try (OutputStream out = process.getOutputStream()) {
                out.write(input);
            } catch (IOException ignored) {
                // Git reports by its exit code why it does not read.
            }
        });
        byte[] output = process.getInputStream().readAllBytes();
        try {
            // 1 means that nothing is ignored.
            if (!process.waitFor(1, TimeUnit.MINUTES) || process.exitValue() > 1) {
                throw new IOException("git failed: " + command);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return output;
    }

    @Override
    public void close() {
        directory.close();
    }
}
