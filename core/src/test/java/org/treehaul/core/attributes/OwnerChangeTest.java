// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.attributes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.Call;
import org.treehaul.core.fs.FaultInjectingCalls;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.testing.Privilege;
import org.treehaul.core.testing.TestDirectory;

class OwnerChangeTest {

    private static final int LARGEST_NUMBER = 4;

    private final TestDirectory directory = TestDirectory.onTmpfs();

    @AfterEach
    void close() {
        directory.close();
    }

    private static OptionalLong number(Random random) {
        return random.nextInt(3) == 0 ? OptionalLong.empty() : OptionalLong.of(random.nextInt(LARGEST_NUMBER));
    }

    private static String text(OptionalLong user, OptionalLong group) {
        // A colon after a user alone would mean the login group.
        return (user.isPresent() ? "+" + user.getAsLong() : ":")
                + (group.isPresent() ? (user.isPresent() ? ":+" : "+") + group.getAsLong() : "");
    }

    private static void make(Path tree, long seed) throws IOException {
        Random random = new Random(seed);
        List<Path> directories = new ArrayList<>(List.of(Files.createDirectories(tree)));
        List<Path> all = new ArrayList<>(directories);
        for (int i = 0; i < 10; i++) {
            Path path = directories.get(random.nextInt(directories.size())).resolve("e" + i);
            switch (random.nextInt(3)) {
                case 0 -> directories.add(Files.createDirectory(path));
                case 1 -> Files.createSymbolicLink(path, Path.of(random.nextBoolean() ? "/" : "e0"));
                default -> Files.createFile(path);
            }
            all.add(path);
        }
        for (Path path : all) {
            Files.setAttribute(path, "unix:uid", random.nextInt(LARGEST_NUMBER), LinkOption.NOFOLLOW_LINKS);
            Files.setAttribute(path, "unix:gid", random.nextInt(LARGEST_NUMBER), LinkOption.NOFOLLOW_LINKS);
            if (!Files.isSymbolicLink(path)) {
                Files.setAttribute(path, "unix:mode", random.nextInt(010000));
            }
        }
    }

    private static Map<String, String> owners(Path tree, boolean withModes) throws IOException {
        Map<String, String> owners = new TreeMap<>();
        try (Stream<Path> all = Files.walk(tree)) {
            for (Path path : all.toList()) {
                owners.put(tree.relativize(path).toString(), attribute(path, "uid") + ":" + attribute(path, "gid")
                        + (withModes ? " " + Integer.toOctalString(attribute(path, "mode")) : ""));
            }
        }
        return owners;
    }

    private static int attribute(Path path, String name) throws IOException {
        return (int) Files.getAttribute(path, "unix:" + name, LinkOption.NOFOLLOW_LINKS);
    }

    @Test
    void rootLeavesTheOwnersOfGnuChown() throws Exception {
        Privilege.requireRoot("it gives files to other users");
        for (int i = 0; i < 500; i++) {
            Random random = new Random(i);
            OwnerChange change = new OwnerChange(number(random), number(random), number(random), number(random));
            Path ours = directory.resolve("ours" + i);
            Path gnu = directory.resolve("gnu" + i);
            make(ours, i);
            make(gnu, i);
            Map<String, String> before = owners(ours, false);
            Map<String, String> modes = owners(ours, true);
            ChangeProcess.change(ours, change, 1 + random.nextInt(4));
            ChangeProcess.output(List.of("chown", "-R", "--from=" + text(change.fromUser(), change.fromGroup()),
                    text(change.user(), change.group()), gnu.toString()), 0);
            Map<String, String> after = owners(ours, false);
            assertThat(after).as(change.toString()).isEqualTo(owners(gnu, false));
            // GNU chown also makes the call, which clears the set-id bits, for files that have the owner already.
            Map<String, String> withModes = owners(ours, true);
            Map<String, String> gnuModes = owners(gnu, true);
            after.forEach((path, owner) -> assertThat(withModes.get(path)).as(path + " of " + change)
                    .isEqualTo((owner.equals(before.get(path)) ? modes : gnuModes).get(path)));
        }
    }

    @Test
    void anEntryThatHasTheOwnerIsNotTouchedAndOnlyWhatDiffersIsChanged() throws IOException {
        Privilege.requireRoot("it gives files to other users");
        Path tree = directory.resolve("t");
        make(tree, 5);
        OwnerChange change = OwnerChange.to(OptionalLong.of(2), OptionalLong.of(3));
        ChangeProcess.change(tree, change, 1);
        FaultInjectingCalls calls = FaultInjectingCalls.over(Linux.calls());
        TreeChanger.of(calls, change, ChangeOptions.ofTrees())
                .change(List.of(ByteString.of(tree.toString())), event -> {
                    throw new AssertionError(event);
                }, new Progress(), new Cancellation());
        assertThat(calls.count(Call.FCHOWNAT)).isZero();
        assertThat(owners(tree, false).values()).containsOnly("2:3");
    }

    @ParameterizedTest
    @ValueSource(longs = {-1, 0xFFFF_FFFFL, Long.MAX_VALUE})
    void numbersThatNoUserHasAreRefused(long number) {
        assertThatThrownBy(() -> OwnerChange.to(OptionalLong.of(number), OptionalLong.empty()))
                .hasMessageContaining("not the number of a user or group");
        assertThatThrownBy(() -> OwnerChange.to(OptionalLong.empty(), OptionalLong.of(number)))
                .hasMessageContaining("not the number of a user or group");
    }

    @Test
    void theLargestNumberIsSet() throws IOException {
        Privilege.requireRoot("it gives files to other users");
        Path tree = directory.resolve("t");
        make(tree, 6);
        ChangeProcess.change(tree, OwnerChange.to(OptionalLong.of(OwnerChange.LARGEST), OptionalLong.empty()), 2);
        assertThat(Files.readAttributes(tree, "unix:uid").get("uid")).isEqualTo((int) OwnerChange.LARGEST);
    }
}
