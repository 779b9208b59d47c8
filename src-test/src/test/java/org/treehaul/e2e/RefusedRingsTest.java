// SPDX-License-Identifier: Apache-2.0
package org.treehaul.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.linux.SystemCallFilter;
import org.treehaul.core.testing.Privilege;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.packaged.Run;

/** The program where the kernel refuses io_uring to it. */
class RefusedRingsTest {

    private static final String REFUSED = "io_uring_setup: Operation not permitted (EPERM); the setting "
            + "kernel.io_uring_disabled or the seccomp profile of a container forbids it";
    private static final String BY_THREADS = "\nasynchronous files: by threads; io_uring: ";
    private static final Path SETTING = Path.of("/proc/sys/kernel/io_uring_disabled");
    private static final String NOBODY = "65534";

    private final TestDirectory directory = TestDirectory.make();
    private final Cli cli = new Cli(directory.path());

    @AfterEach
    void delete() {
        directory.close();
    }

    private Run without(int errno, String... arguments) throws Exception {
        return SystemCallFilter.without(SystemCallFilter.IO_URING_SETUP, errno, () -> cli.run(arguments));
    }

    @Test
    void theVersionNamesTheReason() throws Exception {
        assertThat(without(Errno.EPERM, "--version", "--verbose").expect(0).out())
                .endsWith(BY_THREADS + REFUSED + "\n");
        assertThat(without(Errno.ENOSYS, "--version", "--verbose").expect(0).out()).endsWith(
                BY_THREADS + "io_uring_setup: Function not implemented (ENOSYS); this kernel has no io_uring, "
                        + "or a seccomp profile hides it\n");
    }

    @Test
    void threadsMakeCopiesPastTheCacheAndMeasurements() throws Exception {
        byte[] data = new byte[(2 << 20) + 77];
        data[data.length - 1] = 1;
        Files.write(directory.resolve("f"), data);
        assertThat(without(Errno.EPERM, "cp", "--direct", "--verify", "f", "copy").expect(0).err())
                .doesNotContain("not possible");
        assertThat(directory.resolve("copy")).hasBinaryContent(data);
        String table = without(Errno.EPERM, "bench", "io", "write", "--files", "1", "--blocks", "1", ".").expect(0)
                .out();
        assertThat(table).contains("\nsync ", "\nthreads ").doesNotContain("\nring ");
        assertThat(without(Errno.EPERM, "bench", "io", "write", "--way", "ring", ".").expect(2).err())
                .contains(REFUSED);
    }

    /** The setting 1 forbids rings to processes without privileges, so that other programs of root have theirs. */
    @Test
    @Tag("rig")
    void theSettingOfTheKernelIsNamedToo() throws Exception {
        Privilege.requireRoot("it changes a setting of the kernel");
        Path jar = Run.copyOfJar(Files.createDirectory(directory.resolve("jar")));
        Run.of("chmod", "-R", "a+rX", directory.path()).expect(0);
        String before = Files.readString(SETTING);
        try {
            Files.writeString(SETTING, "1");
            assertThat(
                    Run.of(Run
                            .command(List.of("setpriv", "--reuid", NOBODY, "--regid", NOBODY, "--clear-groups"), jar,
                                    "--version", "--verbose")
                            .toArray()).expect(0).out())
                    .endsWith(BY_THREADS + REFUSED + "\n");
        } finally {
            Files.writeString(SETTING, before);
        }
    }
}
