// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.sync;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.treehaul.core.sync.SyncTrees.bytes;

import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.treehaul.core.copy.CopyRefusedException;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.walk.options.Patterns;

/** Syncs of one file, whose name an entry of another kind has at the destination. */
class SingleFileSyncTest {

    private static final SyncOptions COPYING = SyncOptions.defaults();
    private static final SyncOptions DELETING = COPYING.withDeletion(SyncOptions.Deletion.BEFORE);

    private final SyncTrees trees = new SyncTrees();
    private final Path file = trees.source.resolve("report");
    private final Path target = trees.copy.resolve("report");

    @BeforeEach
    void fill() throws Exception {
        Files.writeString(file, "the report");
    }

    @AfterEach
    void remove() {
        trees.close();
    }

    private SyncResult sync(SyncOptions options) throws Exception {
        return trees.sync(Linux.calls(), options, file.toString(), trees.copy + "/");
    }

    private void isCopied(SyncResult result) throws Exception {
        assertThat(result.isSuccess()).as("%s", trees.events).isTrue();
        assertThat(Files.isRegularFile(target, LinkOption.NOFOLLOW_LINKS)).isTrue();
        assertThat(target).hasContent("the report");
    }

    // To a file, to a directory, and to nothing.
    @ParameterizedTest
    @CsvSource({"elsewhere/file, false", "elsewhere, false", "nowhere, false", "elsewhere/file, true",
            "elsewhere, true", "nowhere, true"})
    void aLinkIsReplacedAndWhatItLeadsToStays(String leadsTo, boolean isKept) throws Exception {
        Path elsewhere = trees.place.directory("elsewhere");
        Files.writeString(elsewhere.resolve("file"), "precious");
        Files.createSymbolicLink(target, Path.of("../" + leadsTo));
        isCopied(sync(isKept ? COPYING.withBackup(bytes("../kept")) : COPYING));
        assertThat(elsewhere.resolve("file")).hasContent("precious");
        assertThat(trees.place.path().resolve("nowhere")).doesNotExist();
        if (isKept) {
            assertThat(Files.readSymbolicLink(trees.place.path().resolve("kept/report")))
                    .isEqualTo(Path.of("../" + leadsTo));
        }
    }

    @Test
    void aFifoIsReplaced() throws Exception {
        trees.copy(w -> w.special(bytes("report"), EntryKind.FIFO, 0));
        isCopied(sync(COPYING));
    }

    @ParameterizedTest
    @ValueSource(strings = {"delete", "force", "empty", "kept"})
    void aDirectoryThatMayBeRemovedIsReplaced(String reason) throws Exception {
        trees.copy(w -> w.directory(bytes("report")));
        if (!reason.equals("empty")) {
            trees.copy(w -> w.file(bytes("report/d/x"), 5, 5).file(bytes("report/y"), 5, 5));
        }
        isCopied(sync(switch (reason) {
            case "delete" -> DELETING;
            case "force" -> COPYING.withForced(true);
            case "kept" -> DELETING.withBackup(bytes("../kept"));
            default -> COPYING;
        }));
        assertThat(Files.exists(trees.place.path().resolve("kept/report/d/x"))).isEqualTo(reason.equals("kept"));
    }

    @Test
    void aDirectoryThatContainsTheSourceIsNotRemoved() throws Exception {
        trees.copy(w -> w.file(bytes("report/d/report"), 5, 5).file(bytes("other/report"), 5, 5));
        for (SyncOptions options : List.of(DELETING, COPYING.withForced(true))) {
            assertThatThrownBy(() -> trees.sync(Linux.calls(), options, target + "/d/report", trees.copy.toString()))
                    .isInstanceOf(CopyRefusedException.class)
                    .hasMessageContaining("is inside the destination");
        }
        assertThat(target.resolve("d/report")).exists();
        assertThat(trees.sync(Linux.calls(), DELETING, trees.copy + "/other/report", trees.copy.toString()).isSuccess())
                .as("%s", trees.events)
                .isTrue();
        assertThat(target).isRegularFile();
    }

    @ParameterizedTest
    @ValueSource(strings = {"without delete", "excluded", "limit"})
    void aDirectoryThatMayNotBeRemovedStaysWhole(String reason) throws Exception {
        trees.copy(w -> w.file(bytes("report/d/x"), 5, 5).file(bytes("report/y"), 5, 5));
        SyncResult result = sync(switch (reason) {
            case "excluded" ->
                COPYING.withCopy(CopyOptions.archive().filter(Patterns.builder().exclude(bytes("x")).build()).build());
            case "limit" -> DELETING.withMostRemovals(1);
            default -> COPYING;
        });
        assertThat(result.copied()).isZero();
        assertThat(trees.events).hasSize(1);
        assertThat(trees.copy.resolve("report/d/x")).exists();
        assertThat(trees.copy.resolve("report/y")).exists();
    }
}
