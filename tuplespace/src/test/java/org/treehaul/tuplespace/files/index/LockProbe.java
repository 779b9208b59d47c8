// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.files.index;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** Checks from another process whether files are locked: the kernel does not report a process's own locks to it. */
final class LockProbe {

    private LockProbe() {}

    /** Returns the names of the files that could be locked, one per line. */
    static String free(Path... files) {
        try {
            ProcessBuilder builder = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin/java").toString(),
                    "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp",
                    System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                    LockProbe.class.getName());
            for (Path file : files) {
                builder.command().add(file.toString());
            }
            Process process = builder.redirectError(ProcessBuilder.Redirect.INHERIT).start();
            String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            return process.waitFor() == 0 ? said : "it failed";
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] files) throws IOException {
        for (String name : files) {
            Path file = Path.of(name);
            if (Files.exists(file)) {
                try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE);
                        FileLock lock = channel.tryLock()) {
                    System.out.print(lock == null ? "" : file.getFileName() + "\n");
                }
            }
        }
    }
}
