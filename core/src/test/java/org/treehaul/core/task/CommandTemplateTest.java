// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.SystemCallException;

/** The places for paths in commands. */
class CommandTemplateTest {

    private static CommandTemplate template(String... words) {
        return new CommandTemplate(Stream.of(words).map(ByteString::of).toList());
    }

    private static List<String> filled(String path, String... words) {
        return template(words).wordsFor(ByteString.of(path)).stream().map(ByteString::toString).toList();
    }

    @ParameterizedTest
    @CsvSource({"a/b.tar.gz,a/b.tar.gz,b.tar.gz,a,a/b.tar,b.tar", "b,b,b,.,b,b", "/b.c,/b.c,b.c,/,/b,b",
            "a/.profile,a/.profile,.profile,a,a/.profile,.profile", "a.d/b,a.d/b,b,a.d,a.d/b,b",
            "a/b.c/,a/b.c/,b.c,a,a/b,b", "/,/,/,/,/,/", "a//b.c,a//b.c,b.c,a,a//b,b", "./-x.y,./-x.y,-x.y,.,./-x,-x"})
    void eachPlaceGetsItsPartOfThePath(String path, String whole, String name, String directory, String stem,
            String base) {
        assertThat(filled(path, "c", "{}", "{/}", "{//}", "{.}", "{/.}")).containsExactly("c", whole, name, directory,
                stem, base);
    }

    @Test
    void severalPlacesInAWordAreFilledAndOtherBracesStay() {
        assertThat(filled("d/f.x", "c", "-o={.}.y:{/}", "{ }", "{", "{{}}", "{x}", "}{}{")).containsExactly("c",
                "-o=d/f.y:f.x", "{ }", "{", "{d/f.x}", "{x}", "}d/f.x{");
    }

    @Test
    void withoutAPlaceThePathFollows() {
        assertThat(filled("-a b\n'", "c", "-v")).containsExactly("c", "-v", "-a b\\n'");
    }

    @Test
    void bytesThatAreNoTextStay() {
        byte[] path = {'d', '/', (byte) 0xe9, '.', (byte) 0xff};
        assertThat(template("c", "x{.}").wordsFor(ByteString.of(path)).get(1).toBytes()).containsExactly('x', 'd', '/',
                (byte) 0xe9);
    }

    @Test
    void aListTakesThePlaceOfSinglePaths() {
        assertThat(template("c", "-T{@}").takesList()).isTrue();
        assertThat(filled("/tmp/list", "c", "-T{@}")).containsExactly("c", "-T/tmp/list");
        assertThat(template("c", "{}").takesList()).isFalse();
        assertThatIllegalArgumentException().isThrownBy(() -> template("c", "{@}", "{/}"))
                .withMessageContaining("cannot be combined");
    }

    @Test
    void theRangeOfASegmentHasPlacesOfItsOwn() {
        Segment segment = new Segment(3, 5, 3072, 1024);
        TaskInput input = new TaskInput(ByteString.of("d/f"), segment);
        assertThat(template("c", "-s{offset}", "{length}:{segment}").wordsFor(input).toString())
                .isEqualTo("[c, -s3072, 1024:3, d/f]");
        assertThat(template("c", "{/}-{segment}", "{}").wordsFor(input).toString()).isEqualTo("[c, f-3, d/f]");
        assertThat(template("c", "{length}").takesSegment()).isTrue();
        assertThat(template("c", "{}").takesSegment()).isFalse();
        // A program of awk, for example.
        assertThat(filled("d/f", "awk", "{length}")).containsExactly("awk", "{length}", "d/f");
        assertThat(input.label()).hasToString("d/f from byte 3072");
        assertThat(input.named(new SystemCallException("start the command", Errno.ENOENT)).getMessage())
                .isEqualTo("segment 3 from byte 3072: start the command: No such file or directory (ENOENT)");
        assertThatIllegalArgumentException().isThrownBy(() -> new Segment(2, 2, 0, 1));
        assertThatIllegalArgumentException().isThrownBy(() -> new Segment(0, 1, -1, 1));
    }

    @Test
    void filesAreDividedBySizeOrByLayout() {
        for (Segmentation rule : List.of(Segmentation.NONE, Segmentation.BY_LAYOUT, Segmentation.ofBytes(1 << 20))) {
            assertThat(Segmentation.parse(rule.text())).isEqualTo(rule);
        }
        assertThatIllegalArgumentException().isThrownBy(() -> Segmentation.ofBytes((1 << 20) - 1))
                .withMessageContaining("1 MiB or more");
        assertThatIllegalArgumentException().isThrownBy(() -> Segmentation.ofBytes(0));
        assertThatIllegalArgumentException().isThrownBy(() -> new Segmentation(1 << 20, true));
    }

    @Test
    void aProgramMayDependOnThePath() {
        assertThat(template("{}", "-v").hasPlaceInProgram()).isTrue();
        assertThat(template("c", "{}").hasPlaceInProgram()).isFalse();
    }

    @Test
    void aCommandWithoutProgramIsRefused() {
        assertThatIllegalArgumentException().isThrownBy(() -> template());
        assertThatIllegalArgumentException().isThrownBy(() -> template("", "x"));
        assertThatIllegalArgumentException().isThrownBy(() -> template("c", "a\0b"));
    }

    @Test
    void aTaskIsReadBackFromItsParameters() {
        CommandTask task = new CommandTask(
                new CommandTemplate(List.of(ByteString.of("c"), ByteString.of(new byte[]{(byte) 0xe9, '\n', '\\'}),
                        ByteString.of(""), ByteString.of("{}"))),
                ByteString.of("/d\n"), Duration.ofMillis(1500), 3, true, Optional.of(ByteString.of("/out")));
        assertThat(CommandTask.of(task.parameters())).isEqualTo(task);
        CommandTask divided = new CommandTask(template("c", "{offset}"), ByteString.of("/"), Duration.ZERO, 0, false,
                Optional.empty(), Segmentation.BY_LAYOUT);
        assertThat(CommandTask.of(divided.parameters())).isEqualTo(divided);
        assertThatIllegalArgumentException().isThrownBy(() -> new CommandTask(template("c", "{@}"), ByteString.of("/"),
                Duration.ZERO, 0, false, Optional.empty(), Segmentation.BY_LAYOUT));
        CommandTask plain = CommandTask.of(template("c"), ByteString.of("/"));
        assertThat(CommandTask.of(plain.parameters())).isEqualTo(plain);
        assertThatIllegalArgumentException().isThrownBy(() -> CommandTask.of(Map.of()));
        assertThatIllegalArgumentException().isThrownBy(() -> CommandTask.of(template("c"), ByteString.of("relative")));
    }
}
