// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.treehaul.core.testing.TreeAssert.Aspect.ATTRIBUTES;
import static org.treehaul.core.testing.TreeAssert.Aspect.CONTENT;
import static org.treehaul.core.testing.TreeAssert.Aspect.LINKS;
import static org.treehaul.core.testing.TreeAssert.Aspect.ROOT;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.function.Consumer;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.Timestamp;
import org.treehaul.core.fs.Call;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.Fault;
import org.treehaul.core.fs.FaultInjectingCalls;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.linux.Linux;

class FixturesTest {

    private static final FileSystemCalls CALLS = Linux.calls();
    private static final ByteString FILE = ByteString.of("d/file");

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void hostileTreeHoldsEveryPartThatTheMachineCanHave(boolean onTmpfs) {
        try (TestDirectory directory = onTmpfs ? TestDirectory.onTmpfs() : TestDirectory.make()) {
            HostileTree tree = HostileTree.make(CALLS, directory.path());
            TreeListing listing = TreeListing.of(CALLS, directory.path());
            for (HostileTree.Part part : HostileTree.Part.values()) {
                long entries = listing.byPath()
                        .keySet()
                        .stream()
                        .filter(p -> p.toString().startsWith(part + "/"))
                        .count();
                assertThat(entries > 0 || tree.lacking().containsKey(part)).as("%s", part).isTrue();
            }
            if (Privilege.isRoot()) {
                assertThat(tree.lacking()).isEmpty();
                assertThat(listing.find("MODES/directory-0").orElseThrow().status().permissions()).isZero();
            }
            assertThat(listing.find("NAMES/files/$(touch PW)")).isPresent();
            assertThat(listing.byPath()).containsKey(Names.join(ByteString.of("NAMES/files"), Names.INVALID_UTF8));
            assertThat(listing.byPath().keySet()).anyMatch(path -> path.length() > 4096);
            assertThat(listing.entries()).extracting(entry -> entry.status().kind())
                    .contains(EntryKind.FIFO, EntryKind.SOCKET);
            ListedEntry sparse = listing.find("SPARSE/beyond-4-gib").orElseThrow();
            assertThat(sparse.status().blocks() * 512).isLessThan(100_000);
            assertThat(listing.find("HARD_LINKS/z").orElseThrow().linkGroup())
                    .isEqualTo(ByteString.of("HARD_LINKS/a/first"));
            assertThat(listing.find("TIMES/directory").orElseThrow().status().mtime())
                    .isEqualTo(new Timestamp(-5, 999_999_999));
        }
    }

    @Test
    void removalLeavesNothingAndNoDescriptor() throws Exception {
        try (TestDirectory directory = TestDirectory.make()) {
            HostileTree.make(CALLS, directory.path());
            FaultInjectingCalls calls = FaultInjectingCalls.over(CALLS);
            TreeRemoval.clear(calls, directory.path());
            try (var left = Files.list(directory.path())) {
                assertThat(left).isEmpty();
            }
            assertThat(calls.openDescriptors()).isEmpty();
            assertThat(calls.count(Call.UNLINKAT)).isPositive();
        }
    }

    @Test
    void makingAndListingLeaveNoDescriptor() {
        try (TestDirectory directory = TestDirectory.make()) {
            FaultInjectingCalls calls = FaultInjectingCalls.over(CALLS);
            HostileTree.make(calls, directory.path());
            TreeListing.of(calls, directory.path());
            assertThat(calls.openDescriptors()).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void randomTreesAreTheSameForTheSameSeed(long seed) {
        try (TestDirectory directory = TestDirectory.make()) {
            RandomTree.make(CALLS, directory.directory("one"), seed, 200);
            RandomTree.make(CALLS, directory.directory("two"), seed, 200);
            RandomTree.make(CALLS, directory.directory("other"), seed + 1, 200);
            TreeListing one = TreeListing.of(CALLS, directory.resolve("one"));
            TreeListing other = TreeListing.of(CALLS, directory.resolve("other"));
            assertThat(one.entries()).hasSize(201);
            TreeAssert.assertThat(TreeListing.of(CALLS, directory.resolve("two"))).ignoring(ROOT).isCopyOf(one);
            assertThatThrownBy(() -> TreeAssert.assertThat(other).ignoring(ROOT).isCopyOf(one))
                    .isInstanceOf(AssertionError.class);
        }
    }

    @Test
    void everySingleDifferenceIsFound() {
        assertFound("mode should be 644, is 600", writer -> writer.mode(FILE, 0600));
        assertFound("mtime should be 1.000000002, is 1.000000003", writer -> writer.times(FILE, new Timestamp(1, 3)));
        assertFound("d: mtime should be", writer -> writer.times(ByteString.of("d"), new Timestamp(1, 3)));
        assertFound("unexpected regular: new\\n", writer -> writer.file(ByteString.of("new\n"), 1, 1));
        assertFound("same file as should be d/file, is a", writer -> writer.hardLink(FILE, ByteString.of("a")));
        if (Privilege.isRoot()) {
            assertFound("owner should be 0:0, is 5:6", writer -> writer.owner(FILE, 5, 6));
        }
        assertFound("user.a should be none, is 'b'",
                writer -> writer.attribute(FILE, ByteString.of("user.a"), ByteString.of("b")));
    }

    private static void assertFound(String difference, Consumer<TreeWriter> change) {
        try (TestDirectory directory = TestDirectory.make()) {
            TreeListing before = listingAfter(directory.directory("before"), writer -> {});
            TreeListing after = listingAfter(directory.directory("after"), change);
            assertThatThrownBy(() -> TreeAssert.assertThat(after).ignoring(ROOT).isCopyOf(before))
                    .hasMessageContaining(difference);
        }
    }

    private static TreeListing listingAfter(Path root, Consumer<TreeWriter> change) {
        try (TreeWriter writer = TreeWriter.in(CALLS, root)) {
            writer.file(FILE, 10, 1).times(FILE, new Timestamp(1, 2)).times(ByteString.of("d"), new Timestamp(1, 2));
            change.accept(writer);
        }
        return TreeListing.of(CALLS, root);
    }

    @Test
    void contentTargetsHolesAndMissingEntriesAreCompared() {
        try (TestDirectory directory = TestDirectory.make()) {
            try (TreeWriter writer = TreeWriter.in(CALLS, directory.path())) {
                writer.file(ByteString.of("one/f"), 10, 1)
                        .file(ByteString.of("two/f"), 10, 2)
                        .symlink(ByteString.of("one/l"), ByteString.of("x"))
                        .symlink(ByteString.of("two/l"), ByteString.of("y"))
                        .sparse(ByteString.of("one/s"), 1 << 20)
                        .file(ByteString.of("two/s"), 1 << 20, 1)
                        .file(ByteString.of("one/gone"), 1, 1)
                        .directory(ByteString.of("one/kind"))
                        .file(ByteString.of("two/kind"), 0, 1);
            }
            TreeListing one = TreeListing.of(CALLS, directory.resolve("one"));
            TreeListing two = TreeListing.of(CALLS, directory.resolve("two"));
            assertThatThrownBy(() -> TreeAssert.assertThat(two).isCopyOf(one)).message()
                    .contains("f: content should be")
                    .contains("l: content should be x, is y")
                    .contains("s: allocated bytes should be 0, is 1048576")
                    .contains("missing regular: gone")
                    .contains("kind: kind should be directory, is regular");
            TreeAssert.assertThat(one).isCopyOf(one);
        }
    }

    @Test
    void storedZeroesAreTheSameContentAsHole() {
        try (TestDirectory directory = TestDirectory.make()) {
            try (TreeWriter writer = TreeWriter.in(CALLS, directory.path())) {
                writer.sparse(ByteString.of("hole/f"), 10_000, 4096).file(ByteString.of("zeroes/f"), new byte[10_000]);
            }
            TreeListing hole = TreeListing.of(CALLS, directory.resolve("hole"));
            TreeListing zeroes = TreeListing.of(CALLS, directory.resolve("zeroes"));
            assertThatThrownBy(() -> TreeAssert.assertThat(zeroes).comparingOnly(CONTENT).isCopyOf(hole))
                    .hasMessageContaining("f: content should be");
        }
        try (TestDirectory directory = TestDirectory.make()) {
            try (TreeWriter writer = TreeWriter.in(CALLS, directory.path())) {
                writer.sparse(ByteString.of("hole/f"), 10_000).file(ByteString.of("zeroes/f"), new byte[10_000]);
            }
            TreeListing hole = TreeListing.of(CALLS, directory.resolve("hole"));
            TreeListing zeroes = TreeListing.of(CALLS, directory.resolve("zeroes"));
            TreeAssert.assertThat(zeroes).comparingOnly(CONTENT).isCopyOf(hole);
        }
    }

    @Test
    void aspectsCanBeLeftOut() {
        try (TestDirectory directory = TestDirectory.make()) {
            TreeListing plain = listingAfter(directory.directory("plain"), writer -> {});
            TreeListing changed = listingAfter(directory.directory("changed"),
                    writer -> writer.attribute(FILE, ByteString.of("user.a"), ByteString.of("b")));
            TreeAssert.assertThat(changed).ignoring(ATTRIBUTES, ROOT).isCopyOf(plain);
            TreeAssert.assertThat(changed).comparingOnly(CONTENT, LINKS).isCopyOf(plain);
        }
    }

    @Test
    void partsThatCannotBeMadeAreNamedWithTheReason() {
        try (TestDirectory directory = TestDirectory.make()) {
            FileSystemCalls calls = FaultInjectingCalls.over(CALLS,
                    List.of(Fault.on(Call.SETXATTR).fails(Errno.EOPNOTSUPP)), time -> {});
            HostileTree tree = HostileTree.make(calls, directory.path(),
                    EnumSet.of(HostileTree.Part.ATTRIBUTES, HostileTree.Part.EMPTY));
            assertThat(tree.lacking()).containsOnlyKeys(HostileTree.Part.ATTRIBUTES);
            assertThat(tree.lacking().get(HostileTree.Part.ATTRIBUTES)).contains("EOPNOTSUPP");
        }
    }
}
