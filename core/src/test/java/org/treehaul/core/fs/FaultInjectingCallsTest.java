// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.fs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.entry;
import static org.treehaul.core.fs.LinuxConstants.AT_EMPTY_PATH;
import static org.treehaul.core.fs.LinuxConstants.AT_FDCWD;
import static org.treehaul.core.fs.LinuxConstants.AT_SYMLINK_FOLLOW;
import static org.treehaul.core.fs.LinuxConstants.O_RDONLY;
import static org.treehaul.core.fs.LinuxConstants.O_TMPFILE;
import static org.treehaul.core.fs.LinuxConstants.O_WRONLY;
import static org.treehaul.core.fs.LinuxConstants.SEEK_SET;
import static org.treehaul.core.fs.LinuxConstants.STATX_BASIC_STATS;
import static org.treehaul.core.fs.LinuxConstants.STATX_SIZE;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.fs.linux.Linux;

class FaultInjectingCallsTest extends CallsFixture {

    private final FileSystemCalls real = Linux.calls();
    private final List<Duration> slept = new ArrayList<>();

    private FaultInjectingCalls with(Fault... faults) {
        return FaultInjectingCalls.over(real, List.of(faults), slept::add);
    }

    private int stat(FileSystemCalls over, int from, String fileName) {
        return over.statx(from, name(fileName), AT_EMPTY_PATH, STATX_BASIC_STATS, memory(STATX_SIZE));
    }

    @Test
    void onlyTheNthMatchingCallFails() {
        FaultInjectingCalls faulty = with(Fault.on(Call.STATX).nth(2).fails(Errno.EIO));
        assertThat(stat(faulty, directory, ".")).isZero();
        assertThat(stat(faulty, directory, ".")).isEqualTo(-Errno.EIO);
        assertThat(stat(faulty, directory, ".")).isZero();
    }

    @Test
    void callsFailFromTheNthOnAndSoManyTimes() {
        FaultInjectingCalls from = with(Fault.on(Call.STATX).from(2).fails(Errno.EIO));
        FaultInjectingCalls times = with(Fault.on(Call.STATX).from(2).times(2).fails(Errno.EIO));
        List<Integer> fromResults = new ArrayList<>();
        List<Integer> timesResults = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            fromResults.add(stat(from, directory, "."));
            timesResults.add(stat(times, directory, "."));
        }
        assertThat(fromResults).containsExactly(0, -5, -5, -5);
        assertThat(timesResults).containsExactly(0, -5, -5, 0);
    }

    @Test
    void namesSelectCallsByNameAndByDescriptor() {
        closedFile("bad", "data");
        closedFile("good", "data");
        FaultInjectingCalls faulty = with(Fault.on(Call.READ, Call.STATX).named("bad").fails(Errno.EIO));
        int bad = opened(faulty.openat(directory, name("bad"), O_RDONLY, 0));
        int good = opened(faulty.openat(directory, name("./good"), O_RDONLY, 0));
        assertThat(faulty.read(bad, memory(4))).isEqualTo(-Errno.EIO);
        assertThat(faulty.read(good, memory(4))).isEqualTo(4);
        assertThat(stat(faulty, bad, "")).isEqualTo(-Errno.EIO);
        assertThat(stat(faulty, directory, "bad")).isEqualTo(-Errno.EIO);
        assertThat(stat(faulty, directory, "good")).isZero();
        assertThat(faulty.close(bad)).isZero();
        assertThat(faulty.close(good)).isZero();
    }

    @Test
    void callsOfTwoNamesMatchByEither() {
        closedFile("from", "");
        FaultInjectingCalls faulty = with(Fault.on(Call.RENAMEAT2).named("to").fails(Errno.EROFS));
        assertThat(faulty.renameat2(directory, name("from"), directory, name("to"), 0)).isEqualTo(-Errno.EROFS);
        assertThat(faulty.renameat2(directory, name("from"), directory, name("other"), 0)).isZero();
    }

    @Test
    void unnamedFilesHaveTheEmptyNameUntilTheyAreLinked() {
        FaultInjectingCalls faulty = with(Fault.on(Call.WRITE).named(ByteString.empty()).fails(Errno.ENOSPC),
                Fault.on(Call.LINKAT).named("final").fails(Errno.EIO));
        int f = opened(faulty.openat(directory, name("."), O_TMPFILE | O_WRONLY, 0600));
        assertThat(faulty.write(f, data("x"))).isEqualTo(-Errno.ENOSPC);
        assertThat(faulty.linkat(AT_FDCWD, name("/proc/self/fd/" + f), directory, name("final"), AT_SYMLINK_FOLLOW))
                .isEqualTo(-Errno.EIO);
        assertThat(faulty.close(f)).isZero();
    }

    @Test
    void onlyUnnamedFilesHaveTheEmptyName() {
        FaultInjectingCalls faulty = with(Fault.on(Call.OPENAT).named("").fails(Errno.EOPNOTSUPP));
        assertThat(faulty.openat(directory, name("."), O_TMPFILE | O_WRONLY, 0600)).isEqualTo(-Errno.EOPNOTSUPP);
        for (String path : new String[]{".", "/", "//", "/usr/", "/usr//"}) {
            assertThat(faulty.close(opened(faulty.openat(directory, name(path), O_RDONLY, 0)))).as(path).isZero();
        }
    }

    @Test
    void failingCloseClosesBeneath() {
        closedFile("f", "");
        FaultInjectingCalls faulty = with(Fault.on(Call.CLOSE).fails(Errno.EDQUOT));
        int f = opened(faulty.openat(directory, name("f"), O_RDONLY, 0));
        assertThat(faulty.close(f)).isEqualTo(-Errno.EDQUOT);
        assertThat(real.read(f, memory(1))).isEqualTo(-Errno.EBADF);
        assertThat(faulty.openDescriptors()).isEmpty();
    }

    @Test
    void limitsShortenReadsWritesAndCopies() {
        FaultInjectingCalls faulty = with(
                Fault.on(Call.READ, Call.WRITE, Call.PREAD, Call.PWRITE, Call.COPY_FILE_RANGE).atMost(3));
        int f = file("f", "0123456789");
        int g = file("g", "");
        MemorySegment none = MemorySegment.NULL;
        assertThat(faulty.pread(f, memory(8), 0)).isEqualTo(3);
        assertThat(faulty.pwrite(f, data("abcdef"), 0)).isEqualTo(3);
        assertThat(faulty.write(g, data("abcdef"))).isEqualTo(3);
        assertThat(faulty.write(g, data("ab"))).isEqualTo(2);
        assertThat(faulty.lseek(f, 0, SEEK_SET)).isZero();
        assertThat(faulty.read(f, memory(8))).isEqualTo(3);
        assertThat(faulty.copyFileRange(f, none, g, none, 10)).isEqualTo(3);
        assertThat(real.close(f)).isZero();
        assertThat(real.close(g)).isZero();
    }

    @Test
    void resultCanReplaceTheCall() {
        int f = file("f", "data");
        assertThat(with(Fault.on(Call.PREAD).returns(0)).pread(f, memory(4), 0)).isZero();
        assertThat(real.close(f)).isZero();
    }

    @Test
    void listingsEndEarlyWithAnErrorOrWithout() {
        for (int i = 0; i < 20; i++) {
            closedFile("entry" + i, "");
        }
        for (int entries : new int[]{0, 1, 7, 20, 21}) {
            for (int errno : new int[]{0, Errno.EIO}) {
                FaultInjectingCalls faulty = with(Fault.on(Call.GETDENTS64).atMost(120).endsListing(entries, errno));
                List<String> names = new ArrayList<>();
                int end = list(faulty, names);
                assertThat(names).hasSize(Math.min(20, entries));
                assertThat(end).isEqualTo(entries <= 20 ? -errno : 0);
            }
        }
    }

    private int list(FileSystemCalls over, List<String> names) {
        int d = opened(over.openat(directory, name("."), LinuxConstants.O_DIRECTORY, 0));
        MemorySegment buffer = memory(4096);
        int filled;
        while ((filled = over.getdents64(d, buffer)) > 0) {
            for (int at = 0; at < filled; at += buffer.get(ValueLayout.JAVA_SHORT, at + 16)) {
                String found = buffer.getString(at + 19, StandardCharsets.UTF_8);
                if (!found.equals(".") && !found.equals("..")) {
                    names.add(found);
                }
            }
        }
        assertThat(over.close(d)).isZero();
        return filled;
    }

    @Test
    void everyCallCanBeDelayed() {
        FaultInjectingCalls faulty = with(Fault.onAny().delays(Duration.ofMillis(2)),
                Fault.on(Call.MKDIRAT).delays(Duration.ofSeconds(1)));
        assertThat(faulty.mkdirat(directory, name("d"), 0700)).isZero();
        assertThat(stat(faulty, directory, "d")).isZero();
        assertThat(slept).containsExactly(Duration.ofMillis(2), Duration.ofSeconds(1), Duration.ofMillis(2));
    }

    @Test
    void actionRunsBeforeTheCallAndKnowsIt() {
        closedFile("f", "data");
        List<Fault.Invocation> seen = new ArrayList<>();
        FaultInjectingCalls faulty = with(Fault.on(Call.STATX).named("f").nth(2).runs(invocation -> {
            seen.add(invocation);
            assertThat(real.unlinkat(directory, name("f"), 0)).isZero();
        }));
        assertThat(stat(faulty, directory, "f")).isZero();
        assertThat(stat(faulty, directory, "f")).isEqualTo(-Errno.ENOENT);
        assertThat(seen).containsExactly(new Fault.Invocation(Call.STATX, directory, List.of(ByteString.of("f"))));
    }

    @Test
    void callsAreCountedAndOpenDescriptorsKnown() {
        closedFile("f", "");
        FaultInjectingCalls counting = with(Fault.on(Call.OPENAT).nth(2).fails(Errno.EMFILE));
        int f = opened(counting.openat(directory, name("f"), O_RDONLY, 0));
        assertThat(counting.openat(directory, name("f"), O_RDONLY, 0)).isEqualTo(-Errno.EMFILE);
        assertThat(counting.fsync(f)).isZero();
        assertThat(counting.counts()).containsOnly(entry(Call.OPENAT, 2L), entry(Call.FSYNC, 1L));
        assertThat(counting.total()).isEqualTo(3);
        assertThat(counting.openDescriptors()).containsOnly(entry(f, ByteString.of("f")));
        assertThat(counting.close(f)).isZero();
        assertThat(counting.openDescriptors()).isEmpty();
    }

    @Test
    void anyCallIsOneInjectionPointAfterTheOther() {
        for (int n = 1; n <= 3; n++) {
            FaultInjectingCalls faulty = with(Fault.onAny().nth(n).fails(Errno.EIO));
            List<Integer> results = List.of(faulty.mkdirat(directory, name("d"), 0700), stat(faulty, directory, "d"),
                    faulty.unlinkat(directory, name("d"), LinuxConstants.AT_REMOVEDIR));
            assertThat(results.get(n - 1)).isEqualTo(-Errno.EIO);
            assertThat(results).filteredOn(result -> result == -Errno.EIO).hasSize(1);
            real.unlinkat(directory, name("d"), LinuxConstants.AT_REMOVEDIR);
        }
    }

    @Test
    void countsHoldOverManyThreads() throws InterruptedException {
        FaultInjectingCalls faulty = with(Fault.on(Call.CLOSE).nth(500).fails(Errno.EIO));
        List<Thread> threads = new ArrayList<>();
        List<Integer> failed = Collections.synchronizedList(new ArrayList<>());
        for (int i = 0; i < 4; i++) {
            threads.add(Thread.ofPlatform().start(() -> {
                for (int n = 0; n < 250; n++) {
                    if (faulty.close(BAD) == -Errno.EIO) {
                        failed.add(n);
                    }
                }
            }));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(faulty.count(Call.CLOSE)).isEqualTo(1000);
        assertThat(failed).hasSize(1);
    }

    @Test
    void rulesAreValuesThatRefuseNonsense() {
        Fault plain = Fault.on(Call.WRITE);
        Fault changed = plain.named("x").nth(3).fails(Errno.ENOSPC).atMost(9).delays(Duration.ofMillis(1));
        assertThat(plain).hasToString("[WRITE]");
        assertThat(changed).hasToString("[WRITE] named 'x' from 3 to 3 fails: No space left on device (ENOSPC)"
                + " at most 9 bytes after PT0.001S");
        assertThatIllegalArgumentException().isThrownBy(() -> plain.nth(0));
        assertThatIllegalArgumentException().isThrownBy(() -> plain.times(0));
        assertThatIllegalArgumentException().isThrownBy(() -> plain.fails(0));
        assertThatIllegalArgumentException().isThrownBy(() -> plain.atMost(0));
        assertThatIllegalArgumentException().isThrownBy(() -> plain.endsListing(-1, 0));
    }
}
