// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.copy.options.CopyOptionsBuilder;
import org.treehaul.core.copy.options.CopyPair;
import org.treehaul.core.copy.options.UserPath;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.Call;
import org.treehaul.core.fs.Fault;
import org.treehaul.core.fs.FaultInjectingCalls;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.core.walk.options.Root;
import org.treehaul.core.walk.options.Symlinks;

/** Compares layouts with the messages of GNU cp; the operands are below a temporary directory. */
class CopyLayoutTest {

    // Fewer than the link limit of any file system in use.
    private static final int MANY = 60_000;

    private final TestDirectory directory = TestDirectory.make();

    @BeforeEach
    void makeTree() throws IOException {
        Path root = directory.path();
        for (String name : List.of("d/sub", "e", "full/d", "full/f", "other/d")) {
            Files.createDirectories(root.resolve(name));
        }
        for (String name : List.of("f", "d/f", "d/sub/g", "other/f", "other/d/x")) {
            Files.writeString(root.resolve(name), name);
        }
        Files.createLink(root.resolve("hard"), root.resolve("f"));
        Files.createSymbolicLink(root.resolve("ld"), Path.of("d"));
        Files.createSymbolicLink(root.resolve("le"), Path.of("e"));
        Files.createSymbolicLink(root.resolve("lf"), Path.of("f"));
        Files.createSymbolicLink(root.resolve("dangling"), Path.of("nothing"));
    }

    @AfterEach
    void delete() {
        directory.close();
    }

    @Test
    void aTargetWithNulIsRefused() {
        Path source = directory.resolve("f");
        ByteString target = ByteString.of(directory.path() + "/e/f\0x");
        assertThatThrownBy(() -> new CopyPair(Root.of(source), target)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageEndingWith("f\\x00x");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"f e", "f new", "f e/", "f e/new", "f le", "f le/", "f hard2", "-r d e", "-r d new", "-r d new/",
                    "-r d/ e", "-r d/ new", "-r d/. e", "-r d/. new", "-r d/sub/.. e", "-r d/./ e", "-r d//sub// e",
                    "-r d f e", "-T f new", "-rT d new", "-rT d e", "-rT d/ e/", "-r -t e d f", "-t e f", "-r ld e",
                    "-rH ld e", "-rL ld e", "-r ld/ e", "-r ld/. e", "-r --strip-trailing-slashes ld/ e", "lf e",
                    "-P lf e", "-r lf e", "-r d full", "-rT d/sub other", "-r d le", "-r d le/", "-r d ./e/.", "f ld",
                    "-P dangling e", "-r other/d/ full", "hard full/new", "--remove-destination f hard",
                    "--remove-destination f lf", "-P f lf2", "other/f f", "other/f hard", "other/f lf", "f f e",
                    "-r d d/ e", "f hard e"})
    void theLayoutIsThatOfGnuCp(String line) throws Exception {
        Files.createDirectories(directory.resolve("e2"));
        CopyLayout layout = layout(line);
        assertThat(layout.failures()).isEmpty();
        assertThat(layout.pairs()).isNotEmpty();
        assertThat(gnu(line).expect(0).copied()).isNotEmpty()
                .allSatisfy(copied -> assertThat(layout.pairs()).as(layout.pairs().toString())
                        .anyMatch(pair -> derives(copied, pair)));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"f f", "f ./f", "f hard", "f lf", "lf f", "-rT d d", "-r d d", "-r d d/sub", "-r d d/new",
                    "-r d/. d", "-r d d/sub/new", "-r ld/ d/sub", "-r d ld", "-r . e", "-r . new",
                    "-r d d/sub/../sub/x", "f e/new/x", "f new/", "f f2/", "f f/", "f d/f nothing", "f d/f f",
                    "-t nothing f", "-t f d/f", "-T f e f", "-t e -T f", "f", "", "--parents f new", "--parents f f",
                    "-r --parents d d", "-r d f/x", "-P lf ./lf", "-r d/sub d", "-r d e/..",
                    "--remove-destination lf hard", "--remove-destination hard hard",
                    "--remove-destination hard ./hard"})
    void argumentsThatGnuCpRefusesAreRefused(String line) throws Exception {
        assertThat(gnu(line).code()).isNotZero();
        assertThatThrownBy(() -> layout(line)).isInstanceOf(CopyRefusedException.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"-r d other/d e", "f other/f e", "-r d/. other/. e", "-r other/. f e", "-r --parents d/../f e"})
    void argumentsThatGnuCpRefusesLateOrNeverAreRefusedAtOnce(String line) {
        assertThatThrownBy(() -> layout(line)).isInstanceOf(CopyRefusedException.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"nothing f e", "d f e", "f/ f e", "-r nothing f/x f e", "d ld f e"})
    void aSourceThatCannotBeCopiedFailsAloneAsWithGnuCp(String line) throws Exception {
        CopyLayout layout = layout(line);
        assertThat(layout.failures()).isNotEmpty();
        assertThat(layout.pairs()).hasSize(1);
        assertThat(gnu(line).expect(1).copied()).singleElement()
                .satisfies(copied -> assertThat(derives(copied, layout.pairs().getFirst())).isTrue());
    }

    @Test
    void noSourceThatCanBeCopiedLeavesNoPair() throws Exception {
        CopyLayout layout = layout("nothing d e");
        assertThat(layout.pairs()).isEmpty();
        assertThat(layout.failures()).hasSize(2);
        assertThat(layout.failures().getFirst().toString())
                .endsWith("nothing: stat: No such file or directory (ENOENT)");
    }

    @Test
    void aSourceGivenTwiceIsCopiedOnceWithANotice() throws Exception {
        CopyLayout layout = layout("f f e");
        assertThat(layout.pairs()).hasSize(1);
        assertThat(layout.notices()).singleElement().asString().contains("more than once");
    }

    @Test
    void aCopyOneLevelDeeperThanAnEarlierOneIsNoticed() throws Exception {
        Files.createDirectory(directory.resolve("again"));
        Files.createFile(directory.resolve("again/f"));
        Files.createFile(directory.resolve("again/.treehaul-1"));
        assertThat(layout("-r d again").notices()).singleElement()
                .asString()
                .contains("copying into the existing directory", "again/d'; -T makes ");
        assertThat(layout("-r d again/").notices()).isEmpty();
        assertThat(layout("-rT d again").notices()).isEmpty();
        assertThat(layout("-r d e").notices()).isEmpty();
        assertThat(layout("f again").notices()).isEmpty();
        Files.createFile(directory.resolve("again/other"));
        assertThat(layout("-r d again").notices()).isEmpty();
        Files.delete(directory.resolve("again/other"));
        Files.createDirectory(directory.resolve("again/d"));
        assertThat(layout("-r d again").notices()).isEmpty();
    }

    @Test
    void parentsSelectsBelowTheFirstNameSoThatTheDirectoriesOnTheWayAreCopiedToo() throws Exception {
        CopyArguments arguments = CopyArguments.of(List.of(path("d/sub/g"), path("d/f"), path("e"))).withParents(true);
        CopyLayout layout = CopyLayout.of(Linux.calls(), arguments, CopyOptions.builder().build());
        assertThat(layout.pairs()).singleElement().satisfies(pair -> {
            assertThat(pair.source().selection()).isPresent();
            assertThat(pair.source().path()).isEqualTo(ByteString.of("/" + directory.path().getName(0)));
            assertThat(pair.target()).isEqualTo(path("e/" + directory.path().getName(0)));
        });
        assertThat(layout.adapt(CopyOptions.builder().build()).recursive()).isTrue();
    }

    // Comparing each pair of operands took minutes.
    @Test
    @Timeout(60)
    void asManySourcesAsAShellGivesAreLaidOutAtOnce() throws Exception {
        List<ByteString> operands = new ArrayList<>();
        Path many = Files.createDirectory(directory.path().resolve("many"));
        for (int i = 0; i < MANY; i++) {
            operands.add(
                    ByteString.of(Files.createLink(many.resolve("n" + i), directory.path().resolve("f")).toString()));
        }
        operands.add(path("e"));
        CopyLayout layout = CopyLayout.of(Linux.calls(), CopyArguments.of(operands), CopyOptions.builder().build());
        assertThat(layout.pairs()).hasSize(MANY);
    }

    @ParameterizedTest
    @ValueSource(strings = {"-r d e new", "-t new f", "--parents f new", "-r -T d new/d", "-r d new/d", "f new/f"})
    void aMissingDirectoryIsNamedWithTheCommandThatCreatesIt(String operands) {
        String missing = path("new").toString();
        assertThatThrownBy(() -> layout(operands)).isInstanceOf(CopyRefusedException.class)
                .hasMessageContaining("'" + missing + "'")
                .hasMessageEndingWith("does not exist; if its file system is mounted, create it: mkdir -p " + missing);
    }

    @ParameterizedTest
    @ValueSource(strings = {"-r d e f", "--parents d/f f"})
    void aFileInPlaceOfADirectoryNeedsNoMkdir(String operands) {
        assertThatThrownBy(() -> layout(operands)).isInstanceOf(CopyRefusedException.class)
                .hasMessageEndingWith("'" + path("f") + "' is not a directory");
    }

    @Test
    void aCommandForAnOddNameIsQuoted() {
        assertThat(UserPath.remedyIfMissing(ByteString.of("a b'c"))).endsWith(": mkdir -p 'a b'\\''c'");
        assertThat(UserPath.remedyIfMissing(ByteString.of("a/b-1.x"))).endsWith(": mkdir -p a/b-1.x");
    }

    @Test
    void aPathLongerThanTheKernelTakesIsLaidOutAsAnyOther() throws Exception {
        StringBuilder deep = new StringBuilder("e");
        deep.repeat("/.", 5000);
        CopyLayout layout = layout("f " + deep);
        assertThat(layout.pairs()).hasSize(1);
        assertThatThrownBy(() -> layout("-r e " + deep + "/new")).isInstanceOf(CopyRefusedException.class)
                .hasMessageContaining("into itself");
    }

    @Test
    void theOperandOnWhichACallHangsIsInProgress() throws Exception {
        Progress progress = new Progress();
        List<List<String>> seen = new ArrayList<>();
        Fault look = Fault.on(Call.STATX).named("f").runs(invocation -> seen.add(progress.busy()));
        CopyLayout.of(FaultInjectingCalls.over(Linux.calls(), look), CopyArguments.of(List.of(path("f"), path("e"))),
                CopyOptions.builder().build(), progress);
        assertThat(seen.getFirst()).containsExactly(path("f").toString());
        assertThat(progress.busy()).containsExactly(path("f").toString(), path("e").toString());
    }

    @Test
    void bytesThatAreNoTextAreKept() throws Exception {
        byte[] name = {'x', (byte) 0xFF, '\n'};
        CopyArguments arguments = CopyArguments.of(List.of(path("f"), UserPath.join(path("e"), ByteString.of(name))));
        CopyLayout layout = CopyLayout.of(Linux.calls(), arguments, CopyOptions.builder().build());
        assertThat(layout.pairs().getFirst().target().toBytes()).endsWith(name);
    }

    private record Copied(String source, String target) {}

    private record GnuRun(int code, String output) {

        GnuRun expect(int expected) {
            assertThat(code).as(output).isEqualTo(expected);
            return this;
        }

        List<Copied> copied() {
            return output.lines().filter(line -> line.startsWith("'") && line.contains("' -> '")).map(line -> {
                int arrow = line.indexOf("' -> '");
                return new Copied(line.substring(1, arrow), line.substring(arrow + 6, line.length() - 1));
            }).toList();
        }
    }

    /** Returns whether cp copied an entry of a pair to the target that follows from the pair. */
    private static boolean derives(Copied copied, CopyPair pair) {
        String source = plain(pair.source().path().toString());
        String from = plain(copied.source);
        return (from.equals(source) || from.startsWith(source + "/"))
                && plain(copied.target).equals(plain(pair.target().toString()) + from.substring(source.length()));
    }

    // The output of cp spells the same path with more or fewer dots and slashes.
    private static String plain(String path) {
        String plain = (path + "/").replaceAll("/(\\./|/)+", "/");
        return plain.substring(0, plain.length() - 1);
    }

    private ByteString path(String operand) {
        return ByteString.of(directory.path() + "/" + operand);
    }

    private GnuRun gnu(String line) throws Exception {
        List<String> command = new ArrayList<>(List.of("cp", "-v"));
        for (String word : words(line)) {
            command.add(word.startsWith("-") ? word : path(word).toString());
        }
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new GnuRun(process.waitFor(), output);
    }

    private static List<String> words(String line) {
        return Arrays.stream(line.split(" ", -1)).filter(word -> !word.isEmpty()).toList();
    }

    private CopyLayout layout(String line) throws CopyRefusedException {
        List<ByteString> operands = new ArrayList<>();
        CopyOptionsBuilder options = CopyOptions.builder();
        CopyArguments arguments = CopyArguments.of(List.of());
        boolean isTarget = false;
        for (String word : words(line)) {
            if (isTarget) {
                arguments = arguments.withTargetDirectory(path(word));
                isTarget = false;
            } else if (!word.startsWith("-")) {
                operands.add(path(word));
            } else if (word.startsWith("--")) {
                arguments = arguments.withParents(arguments.parents() || word.equals("--parents"))
                        .withStripTrailingSlashes(word.equals("--strip-trailing-slashes"));
                options.removeDestination(word.equals("--remove-destination"));
            } else {
                isTarget = word.equals("-t");
                arguments = arguments.withNoTargetDirectory(arguments.noTargetDirectory() || word.contains("T"));
                if (word.contains("r")) {
                    options.recursive(true).symlinks(Symlinks.NEVER);
                }
                if (word.contains("P") || word.contains("H") || word.contains("L")) {
                    options.symlinks(word.contains("P")
                            ? Symlinks.NEVER
                            : word.contains("H") ? Symlinks.ROOTS : Symlinks.ALWAYS);
                }
            }
        }
        CopyArguments complete = new CopyArguments(operands, arguments.targetDirectory(), arguments.noTargetDirectory(),
                arguments.parents(), arguments.stripTrailingSlashes(), arguments.selection());
        return CopyLayout.of(Linux.calls(), complete, options.build());
    }
}
