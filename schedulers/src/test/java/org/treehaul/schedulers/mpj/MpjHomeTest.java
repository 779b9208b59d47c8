// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.mpj;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.treehaul.strategies.ranks.communicator.RanksException;

class MpjHomeTest {

    @TempDir
    Path directory;

    private Path home(String name, String... jars) throws IOException {
        Path lib = Files.createDirectories(directory.resolve(name).resolve("lib"));
        for (String jar : jars) {
            Files.createFile(lib.resolve(jar));
        }
        return directory.resolve(name);
    }

    @Test
    void thePropertyComesBeforeTheVariable() throws IOException {
        Path one = home("one", "mpj.jar", "log4j-1.2.17.jar");
        Path two = home("two", "mpj.jar", "reload4j-1.2.25.jar");
        Map<String, String> environment = Map.of("MPJ_HOME", two.toString());
        assertThat(MpjHome.find(one.toString(), environment))
                .isEqualTo(new MpjHome(one.resolve("lib"), one.resolve("lib/log4j-1.2.17.jar")));
        assertThat(MpjHome.find(null, environment))
                .isEqualTo(new MpjHome(two.resolve("lib"), two.resolve("lib/reload4j-1.2.25.jar")));
    }

    @Test
    void withoutMpjTheMessageNamesTheRemedy() throws IOException {
        Path empty = home("empty");
        assertThatThrownBy(() -> MpjHome.find(empty.toString(), Map.of())).isInstanceOf(RanksException.class)
                .hasMessageContaining("-Dmpj.home=" + empty)
                .hasMessageContaining("apt-get install libmpj-java")
                .hasMessageContaining("MPJ_HOME");
        assertThatThrownBy(() -> MpjHome.find(null, Map.of("MPJ_HOME", "/nowhere")))
                .hasMessageContaining("MPJ_HOME=/nowhere has no lib/mpj.jar");
    }

    @Test
    void aJarThatIsMissingIsNamed() throws IOException {
        Path half = home("half", "mpj.jar", "log4j-1.2.jar");
        MpjHome found = MpjHome.find(half.toString(), Map.of());
        assertThatThrownBy(found::shared).isInstanceOf(RanksException.class).hasMessageContaining("smpdev.jar");
    }
}
