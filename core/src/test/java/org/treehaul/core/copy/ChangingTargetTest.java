// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.treehaul.core.copy.Copies.archive;
import static org.treehaul.core.copy.Copies.path;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.fs.Call;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.Fault;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.testing.HostileTree;
import org.treehaul.core.testing.PosixAcl;
import org.treehaul.core.testing.Privilege;
import org.treehaul.core.testing.TreeRemoval;

/**
 * Another process changes the destination between two calls of the copy: nothing outside is written, nothing hangs, the
 * rest is copied, and entries that were not copied are reported.
 */
@Timeout(120) // a copy that waits forever is one of the possible failures
class ChangingTargetTest {

    private static final String OUTSIDE = "nobody may write here";
    private static final int LARGE = 3 * HostileTree.CHUNK_BYTES;

    /** The entry that takes the place of a file. */
    enum Intruder {
        LINK,
        DANGLING_LINK,
        DIRECTORY,
        FIFO,
        FILE,
        NOTHING
    }

    private Copies copies;
    private Path outside;

    @BeforeEach
    void make() throws IOException {
        copies = Copies.onTmpfs();
        outside = copies.directory().directory("outside");
        Files.writeString(outside.resolve("f"), OUTSIDE);
    }

    @AfterEach
    void remove() {
        copies.close();
    }

    private interface Change {
        void make() throws IOException;
    }

    private static Fault once(Fault when, Change change) {
        AtomicBoolean isDone = new AtomicBoolean();
        return when.runs(call -> {
            if (!isDone.getAndSet(true)) {
                make(change);
            }
        });
    }

    private static void make(Change change) {
        try {
            change.make();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void put(Intruder intruder, Path at) throws IOException {
        if (Files.exists(at, LinkOption.NOFOLLOW_LINKS)) {
            Files.move(at, copies.directory().resolve("moved-" + at.getFileName()),
                    StandardCopyOption.REPLACE_EXISTING);
        }
        switch (intruder) {
            case LINK -> Files.createSymbolicLink(at, outside.resolve("f"));
            case DANGLING_LINK -> Files.createSymbolicLink(at, outside.resolve("new"));
            case DIRECTORY -> Files.createDirectory(at);
            case FIFO -> copies.there(
                    writer -> writer.special(path(copies.target().relativize(at).toString()), EntryKind.FIFO, 0));
            case FILE -> Files.writeString(at, "another one's");
            case NOTHING -> {
            }
        }
    }

    private void assertNothingOutsideIsWritten() throws IOException {
        assertThat(outside.toFile().list()).containsExactly("f");
        assertThat(outside.resolve("f")).hasContent(OUTSIDE);
    }

    // The rest is copied, and a second copy reports what is impossible, or succeeds.
    private void assertTheRestIsCopiedAndTheNextEndsRight(Copies.Ran ran, CopyOptions options) throws IOException {
        assertNothingOutsideIsWritten();
        copies.hasNoTemporaries();
        assertThat(copies.at("g")).hasSameBinaryContentAs(copies.source().resolve("g"));
        if (ran.failures().isEmpty()) {
            copies.isCopied();
        }
        if (copies.copy(options).failures().isEmpty()) {
            copies.isCopied();
        }
        copies.hasNoTemporaries();
        assertNothingOutsideIsWritten();
    }

    @ParameterizedTest
    @EnumSource
    void betweenALookAtAFileAndWritingToItInPlace(Intruder intruder) throws IOException {
        copies.with(writer -> writer.file(path("f"), 1000, 1).file(path("g"), 10, 2))
                .there(writer -> writer.file(path("f"), 500, 3));
        CopyOptions options = archive().threads(1).inPlace(true).build();
        // The file is opened first to be created, which fails because it exists; then it is examined, then opened to be
        // written to.
        Copies.Ran ran = copies.copy(options,
                once(Fault.on(Call.OPENAT).named("f").nth(3), () -> put(intruder, copies.at("f"))));
        assertTheRestIsCopiedAndTheNextEndsRight(ran, options);
        assertThat(copies.directory().resolve("moved-f")).exists();
    }

    @ParameterizedTest
    @CsvSource({"LINK,1000", "LINK,300000", "LINK,3145728", "DANGLING_LINK,1000", "DANGLING_LINK,300000",
            "DIRECTORY,1000", "DIRECTORY,300000", "DIRECTORY,3145728", "FIFO,1000", "FIFO,300000", "FILE,1000",
            "FILE,300000", "NOTHING,1000", "NOTHING,3145728"})
    void betweenALookAtAFileAndItsReplacement(Intruder intruder, int size) throws IOException {
        copies.with(writer -> writer.file(path("f"), size, 1).file(path("g"), 10, 2))
                .there(writer -> writer.file(path("f"), 500, 3));
        CopyOptions options = archive().threads(2).chunkBytes(HostileTree.CHUNK_BYTES).build();
        Copies.Ran ran = copies.copy(options,
                once(Fault.on(Call.RENAMEAT2).named("f").nth(1), () -> put(intruder, copies.at("f"))));
        assertTheRestIsCopiedAndTheNextEndsRight(ran, options);
    }

    @ParameterizedTest
    @CsvSource({"LINK,false", "DANGLING_LINK,false", "DIRECTORY,false", "FIFO,false", "FILE,false", "LINK,true",
            "DANGLING_LINK,true", "DIRECTORY,true", "FIFO,true", "FILE,true"})
    void whereThereWasNothingBeforeTheFileGetsItsName(Intruder intruder, boolean isNamed) throws IOException {
        copies.with(writer -> writer.file(path("f"), 300_000, 1).file(path("g"), 10, 2))
                .there(writer -> writer.directory(path("")));
        CopyOptions options = archive().threads(1).build();
        Fault named = Copies.noUnnamedFiles(isNamed);
        Copies.Ran ran = copies.copy(options, named,
                once(Fault.on(isNamed ? Call.RENAMEAT2 : Call.LINKAT).named("f").nth(1),
                        () -> put(intruder, copies.at("f"))));
        assertTheRestIsCopiedAndTheNextEndsRight(ran, options);
        assertThat(ran.failures().isEmpty()).isEqualTo(intruder == Intruder.FILE);
    }

    @ParameterizedTest
    @EnumSource(names = {"LINK", "DANGLING_LINK", "DIRECTORY", "FIFO", "FILE"})
    void whereAFileOfOneBufferIsMade(Intruder intruder) throws IOException {
        copies.with(writer -> writer.file(path("f"), 1000, 1).file(path("g"), 10, 2))
                .there(writer -> writer.directory(path("")));
        CopyOptions options = archive().threads(1).build();
        // The first open is that of the source.
        Copies.Ran ran = copies.copy(options,
                once(Fault.on(Call.OPENAT).named("f").nth(2), () -> put(intruder, copies.at("f"))));
        assertTheRestIsCopiedAndTheNextEndsRight(ran, options);
    }

    @ParameterizedTest
    @EnumSource(names = {"LINK", "DANGLING_LINK", "DIRECTORY", "FILE"})
    void whereANodeHasJustBeenMade(Intruder intruder) throws IOException {
        Privilege.requireRoot("gives a FIFO away");
        copies.with(writer -> writer.special(path("f"), EntryKind.FIFO, 0)
                .mode(path("f"), 0666)
                .owner(path("f"), 1, 2)
                .file(path("g"), 10, 2)).there(writer -> writer.directory(path("")));
        CopyOptions options = archive().threads(1).build();
        Object before = Files.getAttribute(outside.resolve("f"), "unix:ctime");
        Copies.Ran ran = copies.copy(options,
                once(Fault.on(Call.OPENAT).named("f"), () -> put(intruder, copies.at("f"))));
        assertThat(ran.failed()).containsExactly("ERROR f open " + Errno.ESTALE);
        assertThat(Files.getAttribute(outside.resolve("f"), "unix:ctime")).isEqualTo(before);
        assertTheRestIsCopiedAndTheNextEndsRight(ran, options);
    }

    @Test
    void whereANodeIsToGetItsAcl() throws IOException {
        copies.with(writer -> writer.special(path("f"), EntryKind.FIFO, 0)
                .attribute(path("f"), PosixAcl.ACCESS, PosixAcl.of(1, 2))).there(writer -> writer.directory(path("")));
        Path secret = outside.resolve("f");
        Object mode = Files.getAttribute(secret, "unix:mode");
        Path moved = copies.directory().resolve("moved-f");
        copies.copy(archive().threads(1).build(), once(Fault.on(Call.SETXATTR), () -> {
            Files.move(copies.at("f"), moved);
            Files.createLink(copies.at("f"), secret);
        }));
        assertThat(moved).as("was made before it was moved away").exists();
        assertThat(Files.getAttribute(secret, "unix:mode")).as("with the mask of an ACL").isEqualTo(mode);
        assertNothingOutsideIsWritten();
    }

    @ParameterizedTest
    @EnumSource(names = {"OPENAT", "LINKAT"})
    void whereALinkIsToBeMadeToAFile(Call before) throws IOException {
        copies.with(
                writer -> writer.file(path("a/f"), 1000, 1).hardLink(path("a/f"), path("b/f")).file(path("g"), 10, 2))
                .there(writer -> writer.directory(path("a")).directory(path("b")));
        Path a = copies.at("a/f");
        Path b = copies.at("b/f");
        AtomicReference<Path> other = new AtomicReference<>();
        CopyOptions options = archive().threads(1).build();
        Copies.Ran ran = copies.copy(options, Fault.on(before).runs(call -> {
            // The first one exists and is finished, and the second one does not exist yet.
            boolean isFirst = Files.exists(a) != Files.exists(b) && isFinished(Files.exists(a) ? a : b);
            if (isFirst && other.get() == null) {
                other.set(Files.exists(a) ? b : a);
                make(() -> put(Intruder.FILE, Files.exists(a) ? a : b));
            }
        })).succeeds();
        assertThat(other.get()).as("met between the two").isNotNull();
        assertThat(other.get()).hasSameBinaryContentAs(copies.source().resolve("a/f"));
        assertThat(ran.notices()).hasSizeLessThan(2).allMatch(notice -> notice.contains("hard links"));
        assertThat(copies.copy(options).succeeds().notices()).isEmpty();
        copies.isCopied();
    }

    private boolean isFinished(Path copy) {
        try {
            return Files.getLastModifiedTime(copy).equals(Files.getLastModifiedTime(copies.source().resolve("a/f")));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whereADirectoryHasJustBeenMadeOrFoundALinkIsNotFollowed(boolean isNew) throws IOException {
        copies.with(writer -> writer.file(path("d/f"), 10, 1).file(path("d/e/f"), 10, 1).file(path("g"), 10, 2))
                .there(writer -> writer.directory(path(isNew ? "" : "d/e")));
        Copies.Ran ran = copies.copy(archive().threads(1).build(), once(Fault.on(Call.OPENAT).named("d").nth(2), () -> {
            Files.move(copies.at("d"), copies.directory().resolve("moved"));
            Files.createSymbolicLink(copies.at("d"), outside);
        }));
        assertThat(ran.failed()).containsExactly("ERROR d replace by a directory " + Errno.ENOTDIR);
        assertThat(copies.at("g")).exists();
        assertNothingOutsideIsWritten();
    }

    @Test
    void aDirectoryThatIsOpenedAgainMustBeTheOneItWas() throws IOException {
        // Many directories at once and no descriptors: directories without holders are closed and opened again.
        copies.with(writer -> {
            for (int i = 0; i < 5; i++) {
                writer.file(path("d/" + i + "/f"), 10, i).file(path("d/" + i + "/g/f"), 10, i);
            }
            writer.file(path("g"), 10, 2);
        });
        Path moved = copies.directory().resolve("moved");
        Copies.Ran ran = copies.copy(archive().threads(1).build(),
                Fault.on(Call.OPENAT).named("f").times(3).fails(Errno.EMFILE),
                once(Fault.on(Call.OPENAT).named("f").nth(3), () -> {
                    Files.move(copies.at("d"), moved);
                    Files.createDirectory(copies.at("d"));
                    for (int i = 0; i < 5; i++) {
                        Files.createSymbolicLink(copies.at("d/" + i), outside);
                    }
                }));
        assertNothingOutsideIsWritten();
        assertThat(copies.at("d").toFile().list()).hasSize(5);
        assertThat(ran.failures()).isNotEmpty().allMatch(failure -> failure.path().toString().startsWith("d"));
    }

    @Test
    void aDirectoryThatIsRemovedMidwayIsReportedAndTheRestIsCopied() throws IOException {
        copies.with(writer -> {
            for (int i = 0; i < 20; i++) {
                writer.file(path("d/f" + i), 10, i).file(path("d/m" + i), 300_000, i);
            }
            writer.file(path("g"), 10, 2);
        });
        Copies.Ran ran = copies.copy(archive().threads(1).build(), once(Fault.on(Call.OPENAT).named("f7").nth(2),
                () -> TreeRemoval.remove(Linux.calls(), copies.at("d"))));
        assertThat(ran.failures()).isNotEmpty().allMatch(failure -> failure.errno() == Errno.ENOENT);
        assertThat(ran.result().isSuccess()).isFalse();
        assertThat(copies.at("g")).exists();
        copies.copy(archive().build()).succeeds();
        copies.isCopied();
    }

    @ParameterizedTest
    @CsvSource({"true,true", "true,false", "false,true", "false,false"})
    void aTemporaryThatIsRemovedIsMadeAgainOrReported(boolean isOnce, boolean isNamed) throws IOException {
        copies.with(writer -> writer.file(path("f"), LARGE, 1).file(path("g"), 10, 2))
                .there(writer -> writer.file(path("f"), 7, 1));
        Change removal = () -> {
            try (Stream<Path> names = Files.list(copies.target())) {
                for (Path file : names.filter(name -> name.getFileName().toString().startsWith(".treehaul-"))
                        .toList()) {
                    Files.delete(file);
                }
            }
        };
        Fault named = Copies.noUnnamedFiles(isNamed);
        Fault removing = Fault.on(Call.RENAMEAT2).named("f");
        Copies.Ran ran = copies.copy(archive().threads(2).chunkBytes(HostileTree.CHUNK_BYTES).build(), named,
                isOnce ? once(removing, removal) : removing.runs(call -> make(removal)));
        if (isOnce) {
            ran.succeeds();
            copies.isCopied();
        } else {
            assertThat(ran.failed()).containsExactly("ERROR f " + (isNamed ? "rename " : "link ") + Errno.ENOENT);
            assertThat(Files.size(copies.at("f"))).isEqualTo(7);
        }
        copies.hasNoTemporaries();
    }
}
