// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.state;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.treehaul.core.testing.TestDirectory;

/** Lines of keys and values under a checksum. */
class StateFileTest {

    private final TestDirectory directory = TestDirectory.onTmpfs();
    private final Path file = directory.resolve("keys");

    @AfterEach
    void remove() {
        directory.close();
    }

    @Test
    void theBytesOnDiskEqualThoseOfEarlierPrograms() throws IOException {
        StateFile.empty().with("version", 1).withEscaped("host", "a\nb").with("word", "\u00e4").replace(file, true);
        assertThat(Files.readString(file, UTF_8))
                .isEqualTo("version\t1\nhost\ta\\nb\nword\t\u00e4\ncrc32c\t90b5d46a\n");
        StateFile read = StateFile.read(file);
        assertThat(read.values()).containsOnlyKeys("version", "host", "word");
        assertThat(read.number("version")).isOne();
        assertThat(read.text("word")).isEqualTo("\u00e4");
        assertThat(read.text("absent")).isEmpty();
        assertThat(read.number("word")).isZero();
    }

    @Test
    void aNewFileReplacesNoneAndLeavesNothingElse() throws IOException {
        StateFile.empty().with("a", 1).writeNew(file);
        assertThatThrownBy(() -> StateFile.empty().with("a", 2).writeNew(file))
                .isInstanceOf(FileAlreadyExistsException.class);
        assertThat(StateFile.read(file).number("a")).isEqualTo(1);
        assertThat(directory.path().toFile().list()).containsExactly("keys");
    }

    @Test
    void aDamagedFileIsAnErrorThatNamesItAndCountsAsAbsentOnRequest() throws IOException {
        assertThatThrownBy(() -> StateFile.read(file)).isInstanceOf(NoSuchFileException.class);
        Files.writeString(file, "a\t1\ncrc32c\t00000000\n");
        assertThatThrownBy(() -> StateFile.read(file)).isInstanceOf(DamagedFileException.class)
                .hasMessage(file + " is damaged: its checksum is wrong");
        assertThat(StateFile.find(file)).isEmpty();
        Files.write(file, new byte[(1 << 20) + 1]);
        assertThatThrownBy(() -> StateFile.read(file)).isInstanceOf(DamagedFileException.class)
                .hasMessageContaining("more than");
    }

    @Test
    void keysAndValuesFitIntoOneLine() {
        assertThatIllegalArgumentException().isThrownBy(() -> StateFile.empty().with("a\tb", ""));
        assertThatIllegalArgumentException().isThrownBy(() -> StateFile.empty().with("", ""));
        assertThatIllegalArgumentException().isThrownBy(() -> StateFile.empty().with("a", "b\nc"));
    }
}
