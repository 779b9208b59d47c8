// SPDX-License-Identifier: Apache-2.0
package org.treehaul.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.treehaul.core.testing.Privilege;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.packaged.Installation;
import org.treehaul.packaged.Run;

/** Runs the commands of the README on a machine without Java, from the archive on, and compares the output. */
class ReadmeTest {

    private static final String NAME = "treehaul-VERSION-linux-x86_64";

    private static final String DATA = """
            file() { head -c "$2" /dev/zero | tr '\\0' x > "$1"; }
            mkdir -p data/run7/.snapshot src home usr-share/zoneinfo/Etc usr-share/doc/nodejs/api usr-share/doc/p usr-share/java
            for i in 1 2 3; do file data/run7/part$i.dat 1000; done
            touch data/run7/.snapshot/old
            i=0
            while [ $i -lt 100 ]; do file src/$i 3000; i=$((i + 1)); done
            file usr-share/doc/nodejs/api/all.html 3000000
            file usr-share/doc/p/copyright 30000
            file usr-share/doc/p/changelog 300000
            file usr-share/java/p.jar 5000
            file usr-share/zoneinfo/Etc/UTC 100
            ln -s Etc/UTC usr-share/zoneinfo/UTC
            """;

    // The mounts hide each Java, put a small tree in the place of /usr/share, and make the directory of the test /tmp/demo.
    private static final String WITHOUT_JAVA = """
            cd "$0" && mount --bind usr-share /usr/share && mount -t tmpfs none /mnt && mkdir /mnt/demo || exit 99
            mount -t tmpfs none /dev/shm || exit 99
            mount --bind . /mnt/demo && mount --rbind /mnt /tmp && cd /tmp/demo || exit 99
            for place in /usr/lib/jvm /usr/java /opt; do
                [ ! -d $place ] || mount -t tmpfs none $place || exit 99
            done
            export PATH=/usr/bin:/bin
            ! command -v java || exit 99
            exec env -i PATH=$PATH HOME=/tmp/demo/home TZ=UTC LC_ALL=C sh script
            """;

    @AutoClose
    private final TestDirectory directory = TestDirectory.make();

    @Test
    void theExamplesRunWithoutJavaAsPrinted() throws Exception {
        Privilege.requireCapability(Privilege.SYS_ADMIN, "mount");
        Optional<Path> script = Installation.script();
        assumeTrue(script.isPresent(), "this Java has no jlink");
        String name = Installation.archive().getFileName().toString().replace(".tar.gz", "");
        Files.copy(Installation.archive(), directory.resolve(name + ".tar.gz"));
        GuidePage page = new GuidePage(Files.readString(Path.of(System.getProperty("treehaul.root"), "README.md"))
                .replace(NAME, name)
                .replace("treehaul VERSION", Run.of(script.get(), "--version").out().strip()));
        write("prepare", DATA);
        Run.of("sh", "-c", "cd \"$0\" && sh prepare", directory.path()).expect(0);
        write("script", Transcript.script(page.commands()));
        Run run = Run.of("unshare", "-m", "--propagation", "private", "sh", "-c", WITHOUT_JAVA, directory.path());
        assertThat(page.commands()).hasSizeGreaterThan(15);
        assertThat(Transcript.differences(page.commands(), run.out())).as("commands that print something else")
                .isEmpty();
    }

    private void write(String name, String text) throws IOException {
        Files.writeString(directory.resolve(name), text);
    }
}
