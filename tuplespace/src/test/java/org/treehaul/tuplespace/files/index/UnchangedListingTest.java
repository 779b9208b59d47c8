// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.files.index;

import static org.assertj.core.api.Assertions.assertThat;
import static org.treehaul.tuplespace.files.index.IndexedTree.path;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.treehaul.core.fs.Call;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.Fault;
import org.treehaul.tuplespace.files.DirectoryTotals;
import org.treehaul.tuplespace.files.FileIndex;
import org.treehaul.tuplespace.files.TotalsState;
import org.treehaul.tuplespace.tuple.Template;

/** Later runs of the index over directories of which some are unchanged. */
class UnchangedListingTest {

    private static final IndexOptions DEFAULTS = IndexOptions.defaults();

    @AutoClose
    final IndexedTree tree = new IndexedTree();

    @BeforeEach
    void makeTheTree() {
        tree.make(w -> w.file(path("a/f"), 10, 1)
                .file(path("a/g"), 20, 1)
                .file(path("b/h"), 30, 1)
                .file(path("c/i"), 40, 1)
                .symlink(path("b/l"), path("h")));
        tree.update();
    }

    private void lose(String name) {
        tree.space().remove(FileIndex.entry(path(tree.resolve(name).toString())));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void onlyDirectoriesWithAnotherListingAreCompared(boolean isInParts) throws IOException {
        if (isInParts) {
            tree.limit(IndexedTree.TINY);
        }
        lose("a/f");
        Files.writeString(tree.resolve("b/h"), "changed");

        assertThat(tree.update()).extracting(IndexResult::added, IndexResult::changed, IndexResult::removed)
                .containsExactly(0L, 1L, 0L);

        // A run that compared the directory would have found the entry that is missing.
        assertThat(tree.paths("name=f")).isEmpty();
        tree.space().remove(Template.of(TotalsState.class));
        assertThat(tree.update().added()).isEqualTo(1);
        assertThat(tree.paths("name=f")).containsExactly("a/f");
        tree.assertIsFresh(DEFAULTS);
    }

    /** A change of one entry, or of two. */
    enum Change {
        MODE {
            @Override
            void make(Path a) throws IOException {
                Files.setPosixFilePermissions(a.resolve("f"), PosixFilePermissions.fromString("rwx------"));
            }
        },
        CONTENT {
            @Override
            void make(Path a) throws IOException {
                Files.write(a.resolve("f"), new byte[10]);
            }
        },
        ACCESS {
            @Override
            void make(Path a) throws IOException {
                Files.getFileAttributeView(a.resolve("f"), BasicFileAttributeView.class)
                        .setTimes(null, FileTime.fromMillis(77), null);
            }
        },
        LINK {
            @Override
            void make(Path a) throws IOException {
                Files.createLink(a.resolveSibling("b").resolve("f"), a.resolve("f"));
            }
        },
        NAMES_EXCHANGED {
            @Override
            void make(Path a) throws IOException {
                Files.move(a.resolve("f"), a.resolve("x"));
                Files.move(a.resolve("g"), a.resolve("f"));
                Files.move(a.resolve("x"), a.resolve("g"));
            }
        },
        KIND {
            @Override
            void make(Path a) throws IOException {
                Files.delete(a.resolve("f"));
                Files.createDirectory(a.resolve("f"));
            }
        },
        ADDED {
            @Override
            void make(Path a) throws IOException {
                Files.createFile(a.resolve("new"));
            }
        },
        REMOVED {
            @Override
            void make(Path a) throws IOException {
                Files.delete(a.resolve("f"));
            }
        },
        ALL_REMOVED {
            @Override
            void make(Path a) throws IOException {
                Files.delete(a.resolve("f"));
                Files.delete(a.resolve("g"));
                Files.delete(a);
            }
        };

        abstract void make(Path a) throws IOException;
    }

    @ParameterizedTest
    @EnumSource
    void anyChangeOfAnEntryIsFound(Change change) throws IOException {
        change.make(tree.resolve("a"));

        tree.update();

        tree.assertIsFresh(DEFAULTS);
        assertThat(tree.update()).extracting(IndexResult::added, IndexResult::changed, IndexResult::removed)
                .containsExactly(0L, 0L, 0L);
    }

    private List<Optional<Long>> listings() {
        return IndexedTree.directories(tree.space())
                .stream()
                .map(totals -> Optional.ofNullable(totals.listing()))
                .toList();
    }

    @Test
    void listingsThatAreNotKnownBecomeKnown() {
        List<Optional<Long>> before = listings();
        assertThat(before).hasSize(4).allMatch(Optional::isPresent);
        tree.space().remove(Template.of(TotalsState.class));
        tree.update();
        assertThat(listings()).containsOnly(Optional.empty());

        tree.update();

        assertThat(listings()).hasSize(4).allMatch(Optional::isPresent).doesNotContainAnyElementsOf(before);
        tree.assertIsFresh(DEFAULTS);
    }

    @Test
    void listingsThatAVersionWithoutThemLeavesAreCorrected() throws IOException {
        TotalsState state = tree.space().takeAll(Template.of(TotalsState.class), 1).getFirst();
        tree.space().write(new TotalsState(state.trees(), null));
        DirectoryTotals a = tree.space()
                .takeAll(DirectoryTotals.entry(path(tree.resolve("a").toString())), 1)
                .getFirst();
        tree.space().write(a.withListing(null));
        Files.writeString(tree.resolve("a/f"), "changed");

        assertThat(tree.update().changed()).isEqualTo(1);

        assertThat(listings()).hasSize(4).allMatch(Optional::isPresent);
        tree.assertIsFresh(DEFAULTS);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aWrongListingIsCorrectedWhenItsDirectoryIsCompared(boolean isInParts) {
        if (isInParts) {
            tree.limit(IndexedTree.TINY);
        }
        DirectoryTotals a = tree.space()
                .takeAll(DirectoryTotals.entry(path(tree.resolve("a").toString())), 1)
                .getFirst();
        tree.space().write(a.withListing(Objects.requireNonNull(a.listing()) + 1));

        assertThat(tree.update().changed()).isZero();

        tree.assertIsFresh(DEFAULTS);
    }

    @Test
    void aMarkOfADirectoryThatCouldNotBeReadGoesWhenItCanBeReadAgain() throws IOException {
        Files.createFile(tree.resolve("c/new"));
        tree.update(Fault.on(Call.OPENAT).named("c").fails(Errno.EACCES));
        assertThat(tree.paths("unread=yes")).containsExactly("c");
        assertThat(tree.paths("name=new")).isEmpty();

        tree.update();

        assertThat(tree.paths("unread=yes")).isEmpty();
        assertThat(tree.paths("name=new")).containsExactly("c/new");
        tree.assertIsFresh(DEFAULTS);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void theListingOfAnUnchangedDirectoryWithANewFailureIsThatOfItsEntries(boolean isInParts) {
        if (isInParts) {
            tree.limit(IndexedTree.TINY);
        }

        tree.update(Fault.on(Call.OPENAT).named("c").fails(Errno.EACCES));

        assertThat(tree.paths("unread=yes")).containsExactly("c");
        assertThat(listings()).hasSize(4).allMatch(Optional::isPresent);
        IndexedTree.assertListingsAreThoseOfTheEntries(tree.space());
    }

    @Test
    void aRunThatAsksForHashesReadsUnchangedDirectoriesToo() throws IOException {
        IndexOptions hashing = DEFAULTS.withHash(IndexOptions.Hash.XXH3);
        assertThat(tree.update(hashing).changed()).isEqualTo(4);
        assertThat(tree.paths("kind=regular", "hash=")).isEmpty();

        assertThat(tree.update().changed()).isZero();
        assertThat(tree.paths("kind=regular", "hash=")).isEmpty();
    }
}
