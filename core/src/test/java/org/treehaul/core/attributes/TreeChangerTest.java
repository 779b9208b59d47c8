// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.attributes;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.treehaul.core.condition.ConditionContext;
import org.treehaul.core.condition.FileQuery;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.Timestamp;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.Event;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.Call;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.Fault;
import org.treehaul.core.fs.FaultInjectingCalls;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.testing.HostileTree;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.core.testing.TreeListing;

class TreeChangerTest {

    private static final ModeChange CLOSE = ModeChange.parse("go=", 0);
    private static final ChangeOptions ALONE = new ChangeOptions(false, true, true, false, true, true, 1);
    private static final ChangeOptions REPORTED = new ChangeOptions(true, false, true, false, true, true, 1);

    private final TestDirectory directory = TestDirectory.onTmpfs();
    private final List<String> failures = Collections.synchronizedList(new ArrayList<>());
    private final List<Event.Changed> events = Collections.synchronizedList(new ArrayList<>());

    @AfterEach
    void close() {
        directory.close();
    }

    private Path file(String name, String mode) throws IOException {
        Path path = directory.resolve(name);
        Files.createDirectories(path.getParent());
        Files.setPosixFilePermissions(path.getParent(), PosixFilePermissions.fromString("rwxr-xr-x"));
        Files.writeString(path, name);
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(mode));
        return path;
    }

    private static String mode(Path path) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(path, LinkOption.NOFOLLOW_LINKS));
    }

    private FaultInjectingCalls change(AttributeChange change, ChangeOptions options, List<String> names,
            Fault... faults) {
        failures.clear();
        events.clear();
        FaultInjectingCalls calls = FaultInjectingCalls.over(Linux.calls(), faults);
        List<ByteString> paths = names.stream().map(name -> ByteString.of(directory.path() + "/" + name)).toList();
        ChangeResult result = TreeChanger.of(calls, change, options).change(paths, event -> {
            switch (event) {
                case Event.Failed e -> failures.add(e.failure().toString().replace(directory.path() + "/", ""));
                case Event.Changed e -> events.add(e);
                default -> throw new AssertionError(event);
            }
        }, new Progress(), new Cancellation());
        assertThat(result.isComplete()).isTrue();
        assertThat(result.counts().failures()).isEqualTo(failures.size());
        assertThat(calls.openDescriptors()).as("descriptors left open").isEmpty();
        return calls;
    }

    @Test
    void anEntryThatHasTheModeIsNotTouched() throws IOException {
        file("t/a/f", "rw-r--r--");
        file("t/a/g", "rw-------");
        FaultInjectingCalls first = change(CLOSE, REPORTED, List.of("t"));
        assertThat(first.count(Call.FCHMODAT)).isEqualTo(3);
        assertThat(events).filteredOn(Event.Changed::isChange)
                .extracting(event -> event.path().toString().replace(directory.path() + "/", "") + " " + event.before()
                        + " " + event.after())
                .containsExactlyInAnyOrder("t 0755 0700", "t/a 0755 0700", "t/a/f 0644 0600");
        Object changed = Files.getAttribute(directory.resolve("t/a/f"), "unix:ctime");
        FaultInjectingCalls second = change(CLOSE, REPORTED, List.of("t"));
        assertThat(second.counts().keySet()).doesNotContain(Call.FCHMODAT, Call.FCHMOD);
        assertThat(events).hasSize(4).noneMatch(Event.Changed::isChange);
        assertThat(Files.getAttribute(directory.resolve("t/a/f"), "unix:ctime")).isEqualTo(changed);
    }

    // A directory that may not be searched is changed from above, when its content is done.
    @Test
    void aDirectoryThatOthersRemoveOrReplaceBeforeItIsChangedHasVanishedOrChanged() throws IOException {
        OwnerChange change = OwnerChange.to(OptionalLong.of(4711), OptionalLong.empty());
        for (boolean isReplaced : new boolean[]{false, true}) {
            Files.createDirectories(directory.resolve("t/d"));
            Fault shut = Fault.on(Call.OPENAT).named("d").nth(2).runs(call -> {
                Files.move(directory.resolve("t/d"), directory.resolve("moved" + isReplaced));
                if (isReplaced) {
                    Files.createDirectory(directory.resolve("t/d"));
                }
            }).fails(Errno.EACCES);
            // Nothing of the tree itself is changed.
            change(change, REPORTED, List.of("t"), Fault.on(Call.FCHOWNAT).returns(0), shut);
            assertThat(failures).singleElement().asString().startsWith(isReplaced ? "t/d: changed" : "t/d: vanished: ");
        }
    }

    @Test
    void aDirectoryIsOpenedBeforeAnOperandInIt() throws IOException {
        Path closed = file("d/e/f", "rw-r--r--").getParent();
        Files.setPosixFilePermissions(closed, PosixFilePermissions.fromString("---------"));
        Files.setPosixFilePermissions(directory.resolve("d"), PosixFilePermissions.fromString("---------"));
        change(ModeChange.parse("u+rwx", 0), new ChangeOptions(false, true, true, false, true, true, 4),
                List.of("d", "d/e"));
        assertThat(events).extracting(event -> event.path().toString().replace(directory.path() + "/", ""))
                .containsExactly("d", "d/e");
    }

    @Test
    void allNamesAreChanged() throws IOException {
        Path tree = directory.directory("t");
        HostileTree.make(Linux.calls(), tree);
        change(ModeChange.parse("u+rwX,go=", 0), ChangeOptions.ofTrees(), List.of("t"));
        assertThat(failures).isEmpty();
        assertThat(TreeListing.of(Linux.calls(), tree).entries()).hasSizeGreaterThan(20)
                .filteredOn(entry -> !entry.status().kind().equals(EntryKind.SYMLINK))
                .allMatch(entry -> (entry.status().permissions() & 0677) == 0600);
    }

    @Test
    void aDryRunReportsTheSameAndChangesNothing() throws IOException {
        Path path = file("t/f", "rw-r--r--");
        FaultInjectingCalls calls = change(CLOSE, new ChangeOptions(true, false, true, true, true, false, 1),
                List.of("t"));
        assertThat(events).hasSize(2);
        assertThat(calls.count(Call.FCHMODAT)).isZero();
        assertThat(mode(path)).isEqualTo("rw-r--r--");
    }

    private static ChangeOptions where(String condition) {
        return REPORTED.withWhere(FileQuery.parse(List.of(ByteString.of(condition)),
                ConditionContext.ofTrees(path -> Timestamp.ofNanos(0))));
    }

    @ParameterizedTest
    @CsvSource({"kind=regular,rwxr-xr-x,rwxr-xr-x,rw-------", "kind=directory,rwx------,rwx------,rw-r--r--",
            "name=a,rwxr-xr-x,rwx------,rw-r--r--", "depth>=1,rwxr-xr-x,rwx------,rw-------",
            "size=9999999,rwxr-xr-x,rwxr-xr-x,rw-r--r--"})
    void onlyEntriesThatMeetTheConditionsAreChanged(String condition, String root, String inner, String leaf)
            throws IOException {
        Path path = file("t/a/f", "rw-r--r--");
        Files.setPosixFilePermissions(directory.resolve("t"), PosixFilePermissions.fromString("rwxr-xr-x"));
        change(CLOSE, where(condition), List.of("t"));
        assertThat(failures).isEmpty();
        assertThat(List.of(mode(directory.resolve("t")), mode(directory.resolve("t/a")), mode(path)))
                .containsExactly(root, inner, leaf);
    }

    // Such a directory is changed when it is left.
    @Test
    void aDirectoryThatIsClosedMeetsTheConditionsBeforeTheChange() throws IOException {
        Path path = file("t/a/f", "rw-r--r--");
        Files.setPosixFilePermissions(directory.resolve("t"), PosixFilePermissions.fromString("rwxr-xr-x"));
        change(ModeChange.parse("a-x", 0), where("name=a"), List.of("t"));
        assertThat(mode(directory.resolve("t"))).isEqualTo("rwxr-xr-x");
        assertThat(mode(directory.resolve("t/a"))).isEqualTo("rw-r--r--");
        Files.setPosixFilePermissions(directory.resolve("t/a"), PosixFilePermissions.fromString("rwxr-xr-x"));
        assertThat(mode(path)).isEqualTo("rw-r--r--");
    }

    @Test
    void withoutRecursionADirectoryIsChangedAlone() throws IOException {
        Path path = file("t/f", "rw-r--r--");
        change(CLOSE, ALONE, List.of("t"));
        assertThat(mode(directory.resolve("t"))).isEqualTo("rwx------");
        assertThat(mode(path)).isEqualTo("rw-r--r--");
    }

    @Test
    void anOperandIsFollowedAndALinkInATreeIsNot() throws IOException {
        Path target = file("kept/f", "rw-r--r--");
        Files.createDirectory(directory.resolve("t"));
        Files.createSymbolicLink(directory.resolve("t/link"), target);
        change(CLOSE, REPORTED, List.of("t"));
        assertThat(mode(target)).isEqualTo("rw-r--r--");
        change(CLOSE, ALONE, List.of("t/link"));
        assertThat(mode(target)).isEqualTo("rw-------");
        assertThat(failures).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"f", "d"})
    void anEntryExchangedForALinkLeadsNowhere(String victim) throws IOException {
        Path kept = file("kept/f", "rw-r--r--");
        file("t/f", "rw-r--r--");
        file("t/d/x", "rw-r--r--");
        Path swapped = directory.resolve("t").resolve(victim);
        Fault swap = Fault.on(Call.OPENAT).named(victim).times(1).runs(call -> exchange(swapped, kept));
        change(ModeChange.parse("o+w", 0), REPORTED, List.of("t"), swap);
        assertThat(failures).contains("t/" + victim + ": changed concurrently: open: Stale file handle (ESTALE)");
        assertThat(mode(kept)).isEqualTo("rw-r--r--");
        assertThat(mode(directory.resolve("kept"))).isEqualTo("rwxr-xr-x");
        assertThat(mode(directory.resolve("moved"))).doesNotEndWith("w-").doesNotEndWith("wx");
    }

    private void exchange(Path swapped, Path kept) throws IOException {
        Files.move(swapped, directory.resolve("moved"));
        Files.createSymbolicLink(swapped, kept);
    }

    @Test
    void otherFailuresAreReportedAndTheRestIsChanged() throws IOException {
        Path rest = file("t/rest", "rw-r--r--");
        file("t/bad", "rw-r--r--");
        file("t/gone", "rw-r--r--");
        change(CLOSE, REPORTED, List.of("t", "none"), Fault.on(Call.OPENAT).named("bad").fails(Errno.EPERM),
                Fault.on(Call.OPENAT).named("gone").runs(call -> Files.delete(directory.resolve("t/gone"))));
        assertThat(failures)
                .contains("t/bad: open: " + Errno.describe(Errno.EPERM),
                        "t/gone: vanished: open: " + Errno.describe(Errno.ENOENT),
                        "none: stat: " + Errno.describe(Errno.ENOENT))
                .hasSize(3);
        assertThat(mode(rest)).isEqualTo("rw-------");
    }

    @Test
    void anEmptyPathNamesNothing() {
        List<String> refused = new ArrayList<>();
        TreeChanger.of(Linux.calls(), CLOSE, REPORTED)
                .change(List.of(ByteString.empty()), event -> refused.add(event.toString()), new Progress(),
                        new Cancellation());
        assertThat(refused).singleElement().asString().contains(": stat: " + Errno.describe(Errno.ENOENT));
    }

    // If it is not refused, the injected faults keep it from changing anything.
    @ParameterizedTest
    @ValueSource(strings = {"/", "//", "/.", "/../"})
    void theTopOfAllDirectoriesIsRefused(String top) {
        List<String> refused = new ArrayList<>();
        TreeChanger
                .of(FaultInjectingCalls.over(Linux.calls(), Fault.on(Call.FCHMODAT).fails(Errno.EPERM),
                        Fault.on(Call.GETDENTS64).fails(Errno.EPERM)), CLOSE, REPORTED)
                .change(List.of(ByteString.of(top)), event -> refused.add(event.toString()), new Progress(),
                        new Cancellation());
        assertThat(refused).singleElement().asString().contains("refused to change '/' with its content");
    }

    // Rotating the classes twice gives other modes than once, so this shows that each entry is changed once.
    @ParameterizedTest
    @ValueSource(strings = {"u=g,g=o,o=", "u=o,o=g", "g=o,o=u,u=g"})
    void aChangeThatIsNotRepeatableIsMadeOnce(String expression) throws IOException {
        for (int i = 0; i < 512; i++) {
            Path path = Files.createDirectories(directory.resolve("t/d" + i));
            Files.setAttribute(path, "unix:mode", i);
        }
        change(ModeChange.parse(expression, 0), ChangeOptions.ofTrees().withThreads(3), List.of("t"));
        for (int i = 0; i < 512; i++) {
            int found = (int) Files.getAttribute(directory.resolve("t/d" + i), "unix:mode") & 07777;
            assertThat(found).as(Integer.toOctalString(i)).isEqualTo(ModeChange.parse(expression, 0).apply(i, true));
        }
    }

    private Map<String, String> modes() throws IOException {
        Map<String, String> modes = new TreeMap<>();
        try (Stream<Path> all = Files.walk(directory.resolve("t"))) {
            for (Path path : all.toList()) {
                modes.put(path.toString(), mode(path));
            }
        }
        return modes;
    }

    // Whatever fails: the failure is reported, and the repeated command completes the change.
    @ParameterizedTest
    @ValueSource(strings = {"go=", "a-x", "u+rwX,g=u", "ug=rX,o="})
    void eachCallThatFailsOnceIsReportedAndTheRepeatedChangeIsComplete(String expression) throws IOException {
        ModeChange change = ModeChange.parse(expression, 0);
        Consumer<Path> make = path -> {
            try {
                file("t/a/b/f", "rw-r--r--");
                file("t/a/g", "r--rwxr-x");
                Files.setPosixFilePermissions(directory.resolve("t"), PosixFilePermissions.fromString("rwxr-x---"));
                Files.deleteIfExists(directory.resolve("t/link"));
                Files.createSymbolicLink(directory.resolve("t/link"), path);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        };
        make.accept(directory.path());
        Map<Call, Long> counts = change(change, REPORTED, List.of("t")).counts();
        Map<String, String> wanted = modes();
        int cases = 0;
        for (Map.Entry<Call, Long> count : counts.entrySet()) {
            for (long nth = 1; nth <= count.getValue(); nth++) {
                for (int errno : new int[]{Errno.EIO, Errno.EACCES, Errno.ENOENT, Errno.EINTR, Errno.EROFS}) {
                    make.accept(directory.path());
                    change(change, REPORTED, List.of("t"), Fault.on(count.getKey()).nth(nth).fails(errno));
                    String what = count.getKey() + " " + nth + " " + Errno.symbol(errno);
                    if (failures.isEmpty()) {
                        assertThat(modes()).as(what).isEqualTo(wanted);
                    } else {
                        assertThat(failures).as(what).anyMatch(text -> text.contains(Errno.symbol(errno)));
                    }
                    change(change, REPORTED, List.of("t"));
                    assertThat(failures).as(what).isEmpty();
                    assertThat(modes()).as(what).isEqualTo(wanted);
                    cases++;
                }
            }
        }
        assertThat(cases).isGreaterThan(100);
    }
}
