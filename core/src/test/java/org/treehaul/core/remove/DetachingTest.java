// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.remove;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.Event;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.Call;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.Fault;
import org.treehaul.core.fs.FaultInjectingCalls;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.testing.TestDirectory;

/** Operands that leave their names before they are removed. */
class DetachingTest {

    private final TestDirectory directory = TestDirectory.onTmpfs();
    private final List<String> failures = new ArrayList<>();

    @AfterEach
    void close() {
        directory.close();
    }

    private Path tree(String name) throws IOException {
        Path tree = directory.directory(name);
        Files.writeString(tree.resolve("f"), name);
        return tree;
    }

    private List<Detached> detach(RemoveOptions options, List<String> names, Fault... faults) {
        FaultInjectingCalls calls = FaultInjectingCalls.over(Linux.calls(), faults);
        List<ByteString> paths = names.stream().map(name -> ByteString.of(directory.path() + "/" + name)).toList();
        List<Detached> detached = TreeRemover.of(calls, options).detach(paths, event -> {
            if (event instanceof Event.Failed failed) {
                failures.add(failed.failure().toString().replace(directory.path() + "/", ""));
            }
        }, new Progress());
        assertThat(calls.openDescriptors()).as("descriptors left open").isEmpty();
        return detached;
    }

    private List<String> names() throws IOException {
        try (var all = Files.list(directory.path())) {
            return all.map(path -> path.getFileName().toString()).toList();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"t", "t/", "t//"})
    void aTreeLeavesItsNameAndKeepsItsContent(String operand) throws IOException {
        tree("t");
        Detached one = detach(RemoveOptions.ofTrees(), List.of(operand)).getFirst();
        assertThat(one.path()).hasToString(directory.path() + "/t");
        assertThat(directory.resolve("t")).doesNotExist();
        assertThat(one.hidden().toPath().resolve("f")).hasContent("t");
        assertThat(names()).singleElement().asString().matches("\\.treehaul-removed-[0-9a-f]{16}");
        assertThat(failures).isEmpty();
    }

    @Test
    void anOperandThatHasAHiddenNameKeepsIt() throws IOException {
        tree("t");
        ByteString hidden = detach(RemoveOptions.ofTrees(), List.of("t")).getFirst().hidden();
        String name = hidden.toPath().getFileName().toString();
        assertThat(detach(RemoveOptions.ofTrees(), List.of(name))).containsExactly(new Detached(hidden, hidden));
    }

    @Test
    void operandsThatAreNotRemovedStay() throws IOException {
        Path tree = tree("t");
        Files.writeString(directory.resolve("file"), "file");
        detach(RemoveOptions.ofTrees().withKept(List.of(ByteString.of(tree.toString()))),
                List.of("t", "none", "t/.", "file/"));
        assertThat(failures).hasSize(4)
                .anyMatch(text -> text.startsWith("t: refused to remove the home directory"))
                .contains("none: stat: " + Errno.describe(Errno.ENOENT), "t/.: refused to remove '.' or '..'",
                        "file: unlink: " + Errno.describe(Errno.ENOTDIR));
        detach(new RemoveOptions(false, false, false, false, false, 1), List.of("t"));
        assertThat(failures).last().asString().isEqualTo("t: unlink: " + Errno.describe(Errno.EISDIR));
        assertThat(names()).containsExactlyInAnyOrder("t", "file");
    }

    @Test
    void aTreeThatTakesTheNameOfAnOperandGetsItBack() throws IOException {
        tree("t");
        tree("other");
        Fault swap = Fault.on(Call.RENAMEAT2).times(1).runs(call -> exchange());
        assertThat(detach(RemoveOptions.ofTrees(), List.of("t"), swap)).isEmpty();
        assertThat(failures).containsExactly("t: rename: " + Errno.describe(Errno.ESTALE));
        assertThat(directory.resolve("t/f")).hasContent("other");
        assertThat(directory.resolve("moved/f")).hasContent("t");
        assertThat(names()).containsExactlyInAnyOrder("t", "moved");
    }

    private void exchange() throws IOException {
        Files.move(directory.resolve("t"), directory.resolve("moved"));
        Files.move(directory.resolve("other"), directory.resolve("t"));
    }

    @Test
    void aFileSystemWithoutExclusiveRenamesIsUsedToo() throws IOException {
        tree("t");
        assertThat(detach(RemoveOptions.ofTrees(), List.of("t"), Fault.on(Call.RENAMEAT2).times(1).fails(Errno.EINVAL)))
                .hasSize(1);
        assertThat(directory.resolve("t")).doesNotExist();
    }

    /** Ends a run as a kill does: nothing is cleaned up. */
    private static final class Killed extends Error {
        private static final long serialVersionUID = 1;
    }

    @Test
    void afterAnyLastCallEachTreeHasOneNameAndIsWhole() throws IOException {
        int ended = 0;
        for (Call call : Call.values()) {
            boolean isKilled = true;
            for (int number = 1; isKilled; number++) {
                tree("t");
                tree("u");
                Fault end = Fault.on(call).nth(number).runs(c -> {
                    throw new Killed();
                });
                isKilled = isKilled(end);
                List<String> names = names();
                assertThat(names).as(call + " " + number).hasSize(2);
                for (String name : names) {
                    assertThat(name).matches("[tu]|\\.treehaul-removed-[0-9a-f]{16}");
                    assertThat(directory.resolve(name).resolve("f")).isRegularFile();
                    ended += isKilled && name.startsWith(".") ? 1 : 0;
                }
                TreeRemover.of(Linux.calls(), RemoveOptions.ofTrees())
                        .remove(names.stream().map(name -> ByteString.of(directory.path() + "/" + name)).toList(),
                                event -> {}, new Progress(), new Cancellation());
                assertThat(names()).isEmpty();
            }
        }
        assertThat(ended).as("ends between the renames").isPositive();
    }

    private boolean isKilled(Fault end) {
        List<ByteString> paths = List.of(ByteString.of(directory.path() + "/t"),
                ByteString.of(directory.path() + "/u"));
        try {
            TreeRemover.of(FaultInjectingCalls.over(Linux.calls(), end), RemoveOptions.ofTrees())
                    .detach(paths, event -> {}, new Progress());
            return false;
        } catch (Killed e) {
            return true;
        }
    }
}
