// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.treehaul.core.attributes.ModeChange;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.Event;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.Call;
import org.treehaul.core.fs.FaultInjectingCalls;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.InjectedFault;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.directory.TransferResult;
import org.treehaul.core.transfer.operation.Operation;

/**
 * The modes of a small tree are changed by a transfer again and again; each time another system call fails once.
 * Whatever fails: a transfer that calls itself complete has changed everything, any other reports why, and the resumed
 * one is complete.
 */
class ChangeFaultTest {

    // The distance between two faults in the normal run: a prime, so that it meets every kind of call.
    private static final int STEP = 7;

    private static final Operation.OnEntries CHANGE = new Operation.ChangeMode(ModeChange.parse("ug=rX,o=", 0));

    private static void make(Path tree) throws IOException {
        for (String name : List.of("a/b/f", "a/b/g", "a/c/f", "d/f")) {
            Path file = tree.resolve(name);
            Files.createDirectories(file.getParent());
            Files.createFile(file);
            Files.setAttribute(file, "unix:mode", 0755);
        }
        Files.createLink(tree.resolve("d/link"), tree.resolve("a/c/f"));
        Files.createSymbolicLink(tree.resolve("d/symlink"), tree.resolve("a/c/f"));
    }

    private static Map<Path, Integer> modes(Path tree) throws IOException {
        Map<Path, Integer> modes = new TreeMap<>();
        try (Stream<Path> all = Files.walk(tree)) {
            for (Path path : all.toList()) {
                modes.put(path, (int) Files.getAttribute(path, "unix:mode", LinkOption.NOFOLLOW_LINKS) & 07777);
            }
        }
        return modes;
    }

    private static Map<Path, Integer> wanted(Path tree) throws IOException {
        Map<Path, Integer> modes = modes(tree);
        modes.replaceAll((path, mode) -> Files.isSymbolicLink(path) ? mode : 0550);
        return modes;
    }

    private static TransferResult run(FileSystemCalls calls, TransferDirectory transfer, int generation,
            List<String> failures) throws IOException {
        return TransferRunner.of(calls, transfer).run(generation, event -> {
            if (event instanceof Event.Failed failed) {
                failures.add(failed.failure().toString());
            }
        }, new Progress(), new Cancellation());
    }

    private static Map<Call, Long> campaign(List<InjectedFault> faults, int step) throws IOException {
        List<String> wrong = new ArrayList<>();
        Map<Call, Long> counts = Map.of();
        for (int i = 0; i <= faults.size(); i += step) {
            try (TestDirectory directory = TestDirectory.onTmpfs()) {
                Path tree = directory.directory("tree");
                make(tree);
                FaultInjectingCalls calls = i < faults.size()
                        ? FaultInjectingCalls.over(Linux.calls(), faults.get(i).fault())
                        : FaultInjectingCalls.over(Linux.calls());
                try {
                    suffer(Transfers.in(directory.resolve("state")), tree, calls);
                } catch (AssertionError e) {
                    wrong.add((i < faults.size() ? faults.get(i) : "no fault") + ": " + e.getMessage());
                }
                counts = calls.counts();
            }
        }
        assertThat(wrong).as("of " + faults.size() / step).isEmpty();
        return counts;
    }

    private static void suffer(Transfers transfers, Path tree, FileSystemCalls calls) throws IOException {
        List<String> failures = Collections.synchronizedList(new ArrayList<>());
        TransferDirectory transfer = WalkedPlans.onEntries(transfers, CHANGE, tree, 1, 1, event -> {});
        TransferResult.State state;
        String why;
        try {
            TransferResult result = run(calls, transfer, transfers.start(transfer), failures);
            state = result.state();
            why = result.problem();
        } catch (IOException e) {
            state = TransferResult.State.STOPPED;
            why = String.valueOf(e.getMessage());
        }
        if (state == TransferResult.State.COMPLETE) {
            assertThat(modes(tree)).isEqualTo(wanted(tree));
            return;
        }
        assertThat(why.isEmpty() && failures.isEmpty()).as("a transfer that is " + state + " says why").isFalse();
        failures.clear();
        TransferResult again = run(Linux.calls(), transfer, transfers.resume(transfer), failures);
        assertThat(failures).as("resumed after " + why).isEmpty();
        assertThat(again.state()).isEqualTo(TransferResult.State.COMPLETE);
        assertThat(modes(tree)).isEqualTo(wanted(tree));
    }

    private static void inEachCall(int step) throws IOException {
        campaign(InjectedFault.inEach(campaign(List.of(), 1)), step);
    }

    @Test
    void someCallsFailOnce() throws IOException {
        inEachCall(STEP);
    }

    @Tag("campaign")
    @Test
    void everyCallFailsOnce() throws IOException {
        inEachCall(1);
    }
}
