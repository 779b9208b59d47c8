// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.treehaul.core.fs.LinuxConstants.O_PATH;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.LongSupplier;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.Call;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.InterceptedCalls;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.directory.TransferResult;

/** Transfers make directories that cannot be read, as GNU cp does. */
class UnreadDirectoriesTest {

    private static final Set<String> SHUT = Set.of("shut", "other");

    private final TransferFixture fixture = TransferFixture.onTmpfs();
    private final Path source = fixture.source();
    private final Path target = fixture.target();
    private final FileSystemCalls calls = new ShutDirectories(Linux.calls());
    private boolean areShut = true;

    /** The calls of a user who may not read some directories of the source. */
    private final class ShutDirectories extends InterceptedCalls {

        ShutDirectories(FileSystemCalls calls) {
            super(calls);
        }

        @Override
        protected long around(Call call, int descriptor, MemorySegment name, LongSupplier made) {
            return made.getAsLong();
        }

        @Override
        public int openat(int directory, MemorySegment name, int flags, int mode) {
            return areShut && (flags & O_PATH) == 0 && isShut(directory, name)
                    ? -Errno.EACCES
                    : super.openat(directory, name, flags, mode);
        }

        private boolean isShut(int directory, MemorySegment name) {
            try {
                Path path = Path.of(name.getString(0, StandardCharsets.ISO_8859_1));
                Path whole = directory < 0 || path.isAbsolute()
                        ? path
                        : Path.of("/proc/self/fd/" + directory).toRealPath().resolve(path);
                return whole.startsWith(source) && SHUT.contains(whole.getFileName().toString());
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    @BeforeEach
    void makeTree() throws IOException {
        fixture.with(writer -> {
            for (String name : List.of("d/f", "d/shut/f", "other/f", "g")) {
                writer.file(ByteString.of(name), 10, 1);
            }
            writer.mode(ByteString.of("d/shut"), 01711).mode(ByteString.of("d"), 0750);
        });
        FileTime old = FileTime.from(Instant.parse("2001-02-03T00:00:00Z"));
        for (String name : List.of("d/shut", "other", "d", "")) {
            Files.setLastModifiedTime(source.resolve(name), old);
        }
    }

    @AfterEach
    void close() {
        fixture.close();
    }

    private TransferResult run(TransferDirectory transfer, int generation) throws IOException {
        return TransferRunner.of(calls, transfer)
                .run(generation, fixture.listener(), new Progress(), new Cancellation());
    }

    private List<String> failed(TransferDirectory transfer) throws IOException {
        List<String> failed = new ArrayList<>();
        fixture.transfers().failures(transfer, failure -> failed.add(failure.failure().path().toString()));
        return failed;
    }

    private void areMade() throws IOException {
        for (String name : List.of("d/shut", "other")) {
            assertThat(target.resolve(name)).isEmptyDirectory();
            // Neither its content nor its times say that it is complete.
            assertThat(Files.getLastModifiedTime(target.resolve(name)))
                    .isGreaterThan(Files.getLastModifiedTime(source.resolve(name)));
        }
        assertThat((int) Files.getAttribute(target.resolve("d/shut"), "unix:mode") & 07777).isEqualTo(01711);
        assertThat((int) Files.getAttribute(target.resolve("d"), "unix:mode") & 07777).isEqualTo(0750);
        assertThat(Files.getLastModifiedTime(target.resolve("d")))
                .isEqualTo(Files.getLastModifiedTime(source.resolve("d")));
    }

    @Test
    void aCopyMakesThemAndResumeCopiesTheirContent() throws IOException {
        TransferDirectory transfer = WalkedPlans.plan(fixture, WalkedPlans.arguments(source, target),
                TransferFixture.options(), calls, false);
        TransferResult result = run(transfer, fixture.transfers().start(transfer));
        assertThat(result.state()).isEqualTo(TransferResult.State.PARTIAL);
        assertThat(failed(transfer)).containsExactlyInAnyOrder("d/shut", "other");
        areMade();
        areShut = false;
        fixture.completes(transfer);
    }

    @Test
    void oneThatCanBeReadInTheMeantimeIsLeftToResume() throws IOException {
        TransferDirectory transfer = WalkedPlans.plan(fixture, WalkedPlans.arguments(source, target),
                TransferFixture.options(), calls, false);
        areShut = false;
        run(transfer, fixture.transfers().start(transfer));
        assertThat(failed(transfer)).containsExactlyInAnyOrder("d/shut", "other");
        assertThat(target.resolve("other")).doesNotExist();
        fixture.completes(transfer);
    }

    @Test
    void aSourceThatCannotBeReadIsMade() throws IOException {
        Path shut = source.resolve("d/shut");
        Files.createDirectory(target);
        TransferDirectory transfer = WalkedPlans.plan(fixture, WalkedPlans.arguments(shut, source.resolve("g"), target),
                TransferFixture.options(), calls, false);
        run(transfer, fixture.transfers().start(transfer));
        assertThat(target.resolve("shut")).isEmptyDirectory();
        assertThat((int) Files.getAttribute(target.resolve("shut"), "unix:mode") & 07777).isEqualTo(01711);
        assertThat(target.resolve("g")).exists();
    }

    @Test
    void aMoveMakesThemAndTheyStayAtTheSource() throws IOException {
        TransferDirectory transfer = WalkedPlans.move(fixture, WalkedPlans.arguments(source, target),
                TransferFixture.options(), calls);
        TransferResult result = run(transfer, fixture.transfers().start(transfer));
        assertThat(result.state()).isEqualTo(TransferResult.State.PARTIAL);
        for (String name : List.of("d/shut", "other")) {
            assertThat(target.resolve(name)).isEmptyDirectory();
        }
        assertThat(source.resolve("d/shut/f")).exists();
        assertThat(source.resolve("d/f")).doesNotExist();
        assertThat(target.resolve("d/f")).exists();
        fixture.hasNothingLeft();
    }
}
