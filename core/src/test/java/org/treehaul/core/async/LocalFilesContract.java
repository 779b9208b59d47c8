// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.async;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.treehaul.core.fs.LinuxConstants;

/** Each implementation for local files passes these tests, too. */
abstract class LocalFilesContract extends AsyncFilesContract {

    // Without those of the virtual machine, which opens jars when it needs them.
    @Override
    protected long descriptors() throws IOException {
        try (Stream<Path> all = Files.list(Path.of("/proc/self/fd"))) {
            return all.filter(this::isOfFiles).count();
        }
    }

    private boolean isOfFiles(Path descriptor) {
        try {
            String target = Files.readSymbolicLink(descriptor).toString();
            return target.startsWith(place.path().toString()) || target.contains("[io_uring]")
                    || target.contains("[eventfd]");
        } catch (IOException e) {
            return false;
        }
    }

    @Test
    void programsThatAreStartedDoNotGetTheDescriptors() throws Exception {
        AsyncFile file = files.openSync(path("f"), OpenMode.write().direct());
        try (Stream<Path> all = Files.list(Path.of("/proc/self/fd"))) {
            List<Path> open = all.filter(this::isOfFiles).toList();
            assertThat(open).isNotEmpty().allSatisfy(one -> {
                String flags = Files.readString(Path.of("/proc/self/fdinfo").resolve(one.getFileName()))
                        .lines()
                        .filter(line -> line.startsWith("flags:"))
                        .findAny()
                        .orElseThrow();
                assertThat(Long.parseLong(flags.substring(6).strip(), 8) & LinuxConstants.O_CLOEXEC).isNotZero();
            });
        }
        file.closeSync();
    }
}
