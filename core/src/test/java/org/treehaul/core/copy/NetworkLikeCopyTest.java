// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.treehaul.core.copy.Copies.archive;
import static org.treehaul.core.copy.Copies.path;

import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.treehaul.core.copy.batch.Batches;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.copy.options.CopyOptionsBuilder;
import org.treehaul.core.copy.options.Preserve;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.Timestamp;
import org.treehaul.core.fs.Call;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.Fault;
import org.treehaul.core.fs.FaultInjectingCalls;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.testing.ListedEntry;
import org.treehaul.core.testing.PosixAcl;
import org.treehaul.core.testing.TreeAssert;
import org.treehaul.core.testing.TreeWriter;
import org.treehaul.core.walk.options.Symlinks;

/** Copies on file systems that behave like mounts of network file systems. */
class NetworkLikeCopyTest {

    private static final int CHUNK = 1 << 20;

    private Copies copies;

    @BeforeEach
    void make() {
        copies = Copies.onTmpfs();
    }

    @AfterEach
    void remove() {
        copies.close();
    }

    private static void withAcls(TreeWriter writer) {
        writer.file(path("d/f"), 10, 1)
                .attribute(path("d/f"), PosixAcl.ACCESS, PosixAcl.parse("u::rw-,u:1234:r--,g::---,m::r--,o::---"))
                .file(path("d/large"), 300_000, 1)
                .attribute(path("d/large"), PosixAcl.ACCESS, PosixAcl.parse("u::rw-,u:1234:r--,g::---,m::r--,o::---"))
                .special(path("d/fifo"), EntryKind.FIFO, 0)
                .attribute(path("d/fifo"), PosixAcl.ACCESS, PosixAcl.parse("u::rw-,u:1234:rw-,g::---,m::rw-,o::---"))
                .attribute(path("d"), PosixAcl.ACCESS, PosixAcl.parse("u::rwx,u:1234:r-x,g::---,m::r-x,o::---"))
                .attribute(path("d"), PosixAcl.DEFAULT, PosixAcl.parse("u::rwx,u:1234:r-x,g::---,m::r-x,o::---"))
                .file(path("plain"), 10, 1);
    }

    private void isCopied(FileSystemCalls calls, CopyOptionsBuilder options) {
        copies.copy(calls, options.build()).succeeds();
        copies.isCopied().hasNoTemporaries();
        copies.copy(calls, options.build()).succeeds();
        copies.isCopied().hasNoTemporaries();
    }

    private void isCopiedInBatches(FileSystemCalls calls, CopyOptionsBuilder options) {
        for (int i = 0; i < 2; i++) {
            Batches batches = Batches.of(copies, options.build(), 3, 1, CHUNK, calls)
                    .copyAll(new Random(1))
                    .finish()
                    .allDone();
            assertThat(batches.failures).isEmpty();
            copies.isCopied().hasNoTemporaries();
        }
    }

    @Test
    void aclsThatAreNotListedAreKept() {
        copies.with(NetworkLikeCopyTest::withAcls);
        isCopied(NetworkLike.withoutListedAcls(), archive());
        copies.remove();
        isCopiedInBatches(NetworkLike.withoutListedAcls(), archive());
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 4})
    void targetsThatNeedSequentialWritesGetThem(int threads) {
        copies.with(writer -> writer.file(path("small"), 1000, 1)
                .file(path("large"), 300_000, 2)
                .file(path("d/chunked"), 3 * CHUNK + 5, 3)
                .hardLink(path("d/chunked"), path("d/other")));
        CopyOptionsBuilder options = archive().threads(threads).chunkBytes(CHUNK);
        isCopied(NetworkLike.inOrderOnly(), options);
        isCopied(NetworkLike.inOrderOnly(), archive().threads(threads).verify(CopyOptions.Verify.XXH3));
        isCopied(NetworkLike.inOrderOnly(), archive().threads(threads).sparse(CopyOptions.When.ALWAYS));
        copies.remove();
        isCopiedInBatches(NetworkLike.inOrderOnly(), options);
    }

    @Test
    void anOldFileOfTheSameSizeIsNotTakenForTheCopyWhereDataAreTakenInOrderOnly() {
        copies.with(writer -> writer.file(path("chunked"), 2 * CHUNK + 5, 1))
                .there(writer -> writer.file(path("chunked"), 2 * CHUNK + 5, 2));
        CopyOptions options = CopyOptions.builder().recursive(true).symlinks(Symlinks.NEVER).threads(1).build();
        Batches batches = Batches.of(copies, options, 2, 1, CHUNK, NetworkLike.inOrderOnly())
                .copyAll(new Random(1))
                .finish()
                .allDone();
        assertThat(batches.failures).isEmpty();
        TreeAssert.assertThat(copies.targetListing())
                .comparingOnly(TreeAssert.Aspect.CONTENT)
                .isCopyOf(copies.sourceListing());
        copies.hasNoTemporaries();
    }

    // As on AFS and OrangeFS.
    @Test
    void directoriesThatCannotBeSyncedAreCopied() {
        copies.with(writer -> writer.file(path("d/e/f"), 10, 1).file(path("d/large"), 2 * CHUNK, 2));
        String parent = copies.directory().path().getFileName().toString();
        Fault[] faults = Stream.of(parent, "T", "d", "e")
                .map(name -> Fault.on(Call.FSYNC).named(name).fails(Errno.EINVAL))
                .toArray(Fault[]::new);
        CopyOptionsBuilder options = archive().threads(1).chunkBytes(CHUNK).fsync(true);
        copies.copy(options.build(), faults).succeeds();
        copies.isCopied();
        copies.remove();
        isCopiedInBatches(FaultInjectingCalls.over(Linux.calls(), faults), options);
    }

    @Test
    void holesAreWrittenWhereDataAreTakenInOrderOnly() {
        copies.with(writer -> writer.sparse(path("inside"), 3 * CHUNK, CHUNK).sparse(path("end"), 2 * CHUNK, 0));
        copies.copy(NetworkLike.inOrderOnly(), archive().chunkBytes(CHUNK).build()).succeeds();
        for (String name : new String[]{"inside", "end"}) {
            ListedEntry copy = copies.targetListing().find(name).orElseThrow();
            ListedEntry source = copies.sourceListing().find(name).orElseThrow();
            assertThat(copy.content()).isEqualTo(source.content());
            assertThat(copy.status().size()).isEqualTo(source.status().size());
        }
    }

    @Test
    void aDefaultAclThatLingersReachesNoCopy() {
        copies.with(writer -> writer.file(path("p/c/f"), 10, 1)
                .file(path("p/c/large"), 300_000, 1)
                .file(path("p/c/chunked"), CHUNK + 1, 1)
                .file(path("p/c/d/e/f"), 10, 1)
                .special(path("p/c/d/fifo"), EntryKind.FIFO, 0)
                .attribute(path("p"), PosixAcl.DEFAULT, PosixAcl.parse("u::rwx,u:77:r-x,g::r-x,m::r-x,o::r-x")))
                .there(writer -> writer.directory(path("p"))
                        .attribute(path("p"), PosixAcl.DEFAULT,
                                PosixAcl.parse("u::rwx,u:77:r-x,g::r-x,m::r-x,o::r-x")));
        isCopied(NetworkLike.keepingRemovedDefaultAcls(), archive());
        copies.remove();
        copies.there(writer -> writer.directory(path("p"))
                .attribute(path("p"), PosixAcl.DEFAULT, PosixAcl.parse("u::rwx,u:77:r-x,g::r-x,m::r-x,o::r-x")));
        isCopiedInBatches(NetworkLike.keepingRemovedDefaultAcls(), archive());
    }

    private static void withModes(TreeWriter writer) {
        // A server's umask denies nothing of the first one.
        for (int mode : new int[]{0600, 0640, 0644, 0755, 04755}) {
            String directory = Integer.toOctalString(mode);
            for (int i = 0; i < 3; i++) {
                writer.file(path(directory + "/f" + i), 10, i)
                        .mode(path(directory + "/f" + i), mode)
                        .file(path("all/f" + directory + i), 10, i)
                        .mode(path("all/f" + directory + i), mode);
            }
        }
        writer.file(path("large"), 300_000, 1);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void modesAreKeptWhereTheServerHasItsOwnUmask(boolean isArchive) {
        copies.with(NetworkLikeCopyTest::withModes);
        CopyOptionsBuilder options = isArchive
                ? archive()
                : CopyOptions.builder().recursive(true).threads(1).preserve(EnumSet.of(Preserve.MODE));
        for (int umask : new int[]{027, 077}) {
            copies.copy(NetworkLike.creatingWithUmask(umask), options.build()).succeeds();
            TreeAssert.assertThat(copies.targetListing())
                    .comparingOnly(TreeAssert.Aspect.CONTENT, TreeAssert.Aspect.MODE)
                    .isCopyOf(copies.sourceListing());
            copies.remove();
        }
    }

    @Test
    void modesThatTheServerGivesAreExaminedOnceForEachDirectory() {
        int files = 50;
        copies.with(writer -> {
            for (int i = 0; i < files; i++) {
                writer.file(path("d/f" + i), 10, i);
            }
        });
        CopyOptions options = archive().threads(1).build();
        Map<Call, Long> local = copies.copy(options).succeeds().calls().counts();
        copies.remove();
        Map<Call, Long> far = copies.copy(NetworkLike.creatingWithUmask(0), options).succeeds().calls().counts();
        assertThat(far.get(Call.FCHMOD)).isEqualTo(local.get(Call.FCHMOD));
        // And each source once more after it was read.
        assertThat(far.get(Call.STATX)).isEqualTo(local.getOrDefault(Call.STATX, 0L) + 1 + files);
    }

    @Test
    void linksAndSpecialFilesAreCompleteBeforeTheyGetTheirNames() {
        copies.with(writer -> writer.symlink(path("l"), path("nowhere"))
                .special(path("p"), EntryKind.FIFO, 0)
                .mode(path("p"), 0642)
                .times(path("l"), new Timestamp(1_000_000, 7))
                .times(path("p"), new Timestamp(1_000_000, 7)))
                .there(writer -> writer.symlink(path("l"), path("elsewhere")).special(path("p"), EntryKind.FIFO, 0));
        copies.copy(NetworkLike.losingReplacedNames(), archive().build()).succeeds();
        copies.isCopied().hasNoTemporaries();
        copies.copy(NetworkLike.losingReplacedNames(), archive().build()).succeeds();
        copies.isCopied().hasNoTemporaries();
    }

    @Test
    void linksToReplacedFilesAreMadeAgain() {
        copies.with(writer -> writer.file(path("d/a"), 10, 1)
                .hardLink(path("d/a"), path("d/b"))
                .file(path("large"), 300_000, 1)
                .hardLink(path("large"), path("other")));
        isCopied(NetworkLike.keepingListingsWhileOpen(), archive());
        isCopiedInBatches(NetworkLike.keepingListingsWhileOpen(), archive());
    }

    @ParameterizedTest
    @ValueSource(ints = {2_000_000_000, 1_000_000_000, 10_000_000, 100})
    void anUpdateOfCoarseTimesCopiesNothingAgain(int unit) {
        Timestamp odd = new Timestamp(1_001, 123_456_789);
        copies.with(writer -> writer.file(path("f"), 10, 1)
                .times(path("f"), odd)
                .file(path("d/large"), 300_000, 1)
                .times(path("d/large"), odd));
        CopyOptions options = archive().existing(CopyOptions.Existing.UPDATE).build();
        copies.copy(options).succeeds();
        Copies.Ran again = copies.copy(NetworkLike.keepingTimesTo(unit, copies.target()), options).succeeds();
        assertThat(again.result().counts().files()).isZero();
        assertThat(again.result().counts().skipped()).isEqualTo(2);
    }

    @ParameterizedTest
    @CsvSource({"source", "target", "neither"})
    void idleThreadsTakeAPartOfTheEntriesIfEitherSideIsOnAServer(String side) {
        copies.with(writer -> {
            for (int i = 0; i < 40; i++) {
                writer.file(path("f" + i), 10, 1);
            }
        });
        Path far = side.equals("source") ? copies.source() : copies.at(side.equals("target") ? "" : "f1");
        AtomicInteger most = new AtomicInteger();
        copies.copy(FarFiles.of(FileSystemTypes.saying(FileSystemTypes.NFS, far), most), archive().threads(8).build())
                .succeeds();
        copies.isCopied();
        assertThat(most.get() > 1).isEqualTo(!side.equals("neither"));
    }
}
