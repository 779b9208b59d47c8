// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.treehaul.core.copy.Copies.archive;
import static org.treehaul.core.copy.Copies.path;
import static org.treehaul.core.fs.LinuxConstants.POSIX_FADV_DONTNEED;

import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.copy.options.CopyOptionsBuilder;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.fs.Call;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.Fault;
import org.treehaul.core.fs.FaultInjectingCalls;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.InterceptedCalls;
import org.treehaul.core.fs.LinuxConstants;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.testing.TreeWriter;

/** Copies past the page cache. The directory for temporary files must be on a disk, as that of the build is. */
class DirectCopyTest {

    private static final int LARGE = (3 << 20) + 123;
    private static final int STATX_DIOALIGN = 0x2000; // linux/stat.h
    private static final long CHUNK = 1 << 20;

    private static CopyOptionsBuilder direct() {
        return archive().direct(true).reflink(CopyOptions.When.NEVER);
    }

    private static void make(TreeWriter writer) {
        writer.file(path("large"), LARGE, 1).file(path("even"), 2 << 20, 2).file(path("small"), 5000, 3);
    }

    /** Writes a file to the disk and drops it from the cache. */
    private static void drop(Path file) throws Exception {
        try (FileAccess access = FileAccess.open(Linux.calls())) {
            int descriptor = access.open(LinuxConstants.AT_FDCWD, access.name(ByteString.of(file).toBytes()),
                    LinuxConstants.O_RDONLY, 0);
            access.calls().fsync(descriptor);
            access.calls().posixFadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED);
            access.close(descriptor);
        }
    }

    private static String cachedPages(Path... files) throws Exception {
        List<String> command = new ArrayList<>(List.of("fincore", "--noheadings", "--output", "PAGES"));
        for (Path file : files) {
            command.add(file.toString());
        }
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(text).isZero();
        return text.replaceAll("\\s+", " ").trim();
    }

    @ParameterizedTest
    @EnumSource(CopyOptions.Verify.class)
    void leavesNothingOfALargeFileInTheCache(CopyOptions.Verify verify) throws Exception {
        for (long chunk : List.of(CHUNK, 64L << 20)) {
            try (Copies copies = Copies.onDisk()) {
                copies.with(DirectCopyTest::make);
                drop(copies.source().resolve("large"));
                drop(copies.source().resolve("even"));
                Copies.Ran ran = copies.copy(direct().verify(verify).chunkBytes(chunk).build()).succeeds();
                assertThat(ran.notices()).isEmpty();
                assertThat(cachedPages(copies.source().resolve("large"), copies.source().resolve("even"),
                        copies.at("large"), copies.at("even"))).isEqualTo("0 0 0 0");
                copies.isCopied().hasNoTemporaries();
            }
        }
    }

    @Test
    void withoutTheOptionTheSameFileIsInTheCache() throws Exception {
        try (Copies copies = Copies.onDisk()) {
            copies.with(DirectCopyTest::make);
            drop(copies.source().resolve("even"));
            copies.copy(archive().build()).succeeds();
            assertThat(cachedPages(copies.source().resolve("even"), copies.at("even"))).isEqualTo("512 512");
        }
    }

    @Test
    void aFileThatDeniesWritingIsDirectToo() throws Exception {
        try (Copies copies = Copies.onDisk()) {
            copies.with(writer -> writer.file(path("f"), LARGE, 1).mode(path("f"), 0444));
            assertThat(copies.copy(direct().build()).succeeds().notices()).isEmpty();
            copies.isCopied();
        }
    }

    private static long blocks(Copies copies, String name) throws Exception {
        try (FileAccess access = FileAccess.open(Linux.calls())) {
            byte[] path = ByteString.of(copies.at(name)).toBytes();
            return access.status(LinuxConstants.AT_FDCWD, access.name(path), false).blocks();
        }
    }

    @Test
    void keepsHolesAndMakesThem() throws Exception {
        try (Copies copies = Copies.onDisk()) {
            copies.with(writer -> writer.sparse(path("holes"), LARGE, 1 << 20, LARGE - 5));
            Files.write(copies.source().resolve("zeros"), new byte[LARGE]);
            copies.copy(direct().sparse(CopyOptions.When.AUTO).build()).succeeds();
            copies.isCopied();
            assertThat(blocks(copies, "holes")).isLessThan(64);
            assertThat(blocks(copies, "zeros")).isGreaterThanOrEqualTo(LARGE / 512);
            copies.remove();
            copies.copy(direct().sparse(CopyOptions.When.ALWAYS).build()).succeeds();
            copies.isCopied();
            assertThat(blocks(copies, "zeros")).isZero();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"open", "alignment", "PREAD", "PWRITE"})
    void whereItIsRefusedTheDataGoThroughTheCacheWithANotice(String step) {
        FileSystemCalls calls = new InterceptedCalls(Linux.calls()) {
            private final Set<Integer> direct = ConcurrentHashMap.newKeySet();
            private boolean isRefused;

            @Override
            public int openat(int directory, MemorySegment name, int flags, int mode) {
                boolean isDirect = (flags & LinuxConstants.O_DIRECT) != 0;
                if (isDirect && step.equals("open")) {
                    return -Errno.EINVAL;
                }
                int descriptor = super.openat(directory, name, flags, mode);
                if (isDirect) {
                    direct.add(descriptor);
                }
                return descriptor;
            }

            @Override
            public int statx(int directory, MemorySegment name, int flags, int mask, MemorySegment result) {
                boolean isMet = step.equals("alignment") && mask == STATX_DIOALIGN;
                return isMet ? -Errno.ENOSYS : super.statx(directory, name, flags, mask, result);
            }

            @Override
            protected synchronized long around(Call call, int descriptor, MemorySegment name, LongSupplier made) {
                // The odd tail, which another thread may write first, goes through the cache and is never refused.
                if (!isRefused && call.name().equals(step) && direct.contains(descriptor)) {
                    isRefused = true;
                    return -Errno.EINVAL;
                }
                return made.getAsLong();
            }
        };
        try (Copies copies = Copies.onDisk()) {
            copies.with(writer -> writer.file(path("f"), LARGE, 1));
            Copies.Ran ran = copies.copy(calls, direct().build()).succeeds();
            assertThat(ran.notices()).hasSize(1)
                    .first()
                    .asString()
                    .startsWith("--direct is not possible")
                    .endsWith("go through the page cache");
            copies.isCopied();
        }
    }

    @ParameterizedTest
    @EnumSource(value = CopyOptions.Verify.class, names = {"NONE", "XXH3"})
    void shortReadsAndWritesAreContinued(CopyOptions.Verify verify) {
        for (long most : List.of(4096L, 300_001L)) {
            try (Copies copies = Copies.onDisk()) {
                copies.with(DirectCopyTest::make);
                copies.copy(direct().verify(verify).build(), Fault.on(Call.PREAD, Call.PWRITE).atMost(most)).succeeds();
                copies.isCopied();
            }
        }
    }

    @Test
    void anErrorOfReadingOrWritingFailsTheFileAndLeavesNothing() {
        for (Call call : List.of(Call.PREAD, Call.PWRITE, Call.FDATASYNC)) {
            try (Copies copies = Copies.onDisk()) {
                copies.with(writer -> writer.file(path("f"), LARGE, 1));
                Copies.Ran ran = copies.copy(direct().build(), Fault.on(call).from(1).fails(Errno.ENOSPC));
                String operation = call == Call.PREAD ? "read" : call == Call.PWRITE ? "write" : "fdatasync";
                assertThat(ran.failed()).hasSize(1).first().asString().contains(" " + operation + " " + Errno.ENOSPC);
                copies.hasNoTemporaries();
                assertThat(copies.at("f")).doesNotExist();
            }
        }
    }

    @Test
    void isTriedAgainWhicheverCallFailsOnce() {
        List<String> wrong = new ArrayList<>();
        boolean isMet = true;
        for (long n = 1; isMet; n++) {
            try (Copies copies = Copies.onDisk()) {
                copies.with(writer -> writer.file(path("f"), (1 << 20) + 123, 1));
                FaultInjectingCalls calls = FaultInjectingCalls.over(Linux.calls(),
                        Fault.onAny().nth(n).fails(Errno.ESTALE));
                Copies.Ran ran = copies.copy(calls, direct().threads(1).build());
                isMet = calls.total() >= n;
                if (ran.failures().isEmpty()) {
                    copies.isCopied().hasNoTemporaries();
                } else {
                    wrong.add(n + ": " + ran.failed());
                }
            }
        }
        assertThat(wrong).isEmpty();
    }

    @Test
    void theLimitOfTheRateHolds() {
        try (Copies copies = Copies.onDisk()) {
            copies.with(writer -> writer.file(path("f"), LARGE, 1));
            long start = System.nanoTime();
            copies.copy(direct().bandwidth(6L << 20).build()).succeeds();
            // A tenth of a second is given at once.
            assertThat(System.nanoTime() - start).isGreaterThan(350_000_000);
            copies.isCopied();
        }
    }
}
