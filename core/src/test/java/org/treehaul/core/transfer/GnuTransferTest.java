// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.treehaul.core.copy.CopyArguments;
import org.treehaul.core.copy.CopyLayout;
import org.treehaul.core.copy.CopyRefusedException;
import org.treehaul.core.copy.TreeCopier;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.Event;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.testing.Campaign;
import org.treehaul.core.testing.Installed;
import org.treehaul.core.testing.TreeRemoval;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.directory.TransferResult;

/**
 * Compares transfers of random small trees, whose large files are in chunks, with plain copies by the same options and
 * with those that GNU cp makes; half of them are done once more.
 */
class GnuTransferTest {

    private static final long SEED = 20_261_123;

    private final List<String> said = new ArrayList<>();

    @Test
    void transfersMakeTheTreesOfGnuCp() throws Exception {
        compare(SEED, 20);
    }

    @Test
    @Tag("campaign")
    void manyTransfersMakeTheTreesOfGnuCp() throws Exception {
        compare(Campaign.seed(1), Campaign.cases(2000));
    }

    private void compare(long seed, int count) throws Exception {
        Installed.require("cp");
        Process version = new ProcessBuilder("cp", "--version").start();
        Assumptions.assumeTrue(version.inputReader().readAllAsString().contains("GNU coreutils"), "cp is not GNU cp");
        for (long i = 0; i < count; i++) {
            try (TransferFixture fixture = TransferFixture.onTmpfs()) {
                compareOne(fixture, new Random(seed * 1_000_003 + i).nextLong());
            }
        }
    }

    /** Copies S to T and returns whether something failed. */
    private interface Way {
        boolean fails(Path source, Path target) throws Exception;
    }

    private void compareOne(TransferFixture fixture, long seed) throws Exception {
        RandomCopy copy = new RandomCopy(seed);
        said.clear();
        said.add("seed " + seed + ": cp -rT " + String.join(" ", copy.words())
                + (copy.options().inPlace() ? " --in-place" : ""));
        String gnu = outcome(fixture, copy, seed, (source, target) -> gnu(copy, source, target));
        String plain = outcome(fixture, copy, seed, (source, target) -> plain(copy.options(), source, target));
        String found = outcome(fixture, copy, seed,
                (source, target) -> transfer(fixture, copy.options(), seed % 3 == 0, source, target));
        String what = String.join("\n", said) + "\n";
        assertThat(found).as(what + "as plain").isEqualTo(plain);
        if (copy.isLikeGnu()) {
            assertThat(found).as(what + "as by GNU cp").isEqualTo(gnu);
        }
    }

    // One after the other under the same name, because absolute links contain it.
    private String outcome(TransferFixture fixture, RandomCopy copy, long seed, Way way) throws Exception {
        Path world = fixture.directory().resolve("world");
        copy.make(world);
        if (said.size() == 1) {
            said.add(copy.state(world));
        }
        boolean fails = way.fails(world.resolve("S"), world.resolve("T"));
        if (seed % 2 == 0) {
            fails = way.fails(world.resolve("S"), world.resolve("T"));
        }
        String state = copy.state(world);
        TreeRemoval.remove(Linux.calls(), world);
        return state + (fails ? "fails" : "succeeds");
    }

    private boolean gnu(RandomCopy copy, Path source, Path target) throws Exception {
        List<String> command = new ArrayList<>(List.of("cp", "-rT"));
        command.addAll(copy.words());
        command.addAll(List.of(source.toString(), target.toString()));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        said.add("GNU cp: " + process.inputReader().readAllAsString());
        return process.waitFor() != 0;
    }

    private static CopyArguments arguments(Path source, Path target) {
        return WalkedPlans.arguments(source, target).withNoTargetDirectory(true);
    }

    private boolean plain(CopyOptions options, Path source, Path target) throws CopyRefusedException {
        CopyLayout layout = CopyLayout.of(Linux.calls(), arguments(source, target), options);
        List<String> failures = Collections.synchronizedList(new ArrayList<>());
        TreeCopier.of(Linux.calls(), layout.adapt(options)).copy(layout.pairs(), event -> {
            if (event instanceof Event.Failed failed) {
                failures.add(failed.failure().toString());
            }
        }, new Progress(), new Cancellation());
        said.add("plain: " + failures);
        return !failures.isEmpty();
    }

    private boolean transfer(TransferFixture fixture, CopyOptions options, boolean isStreamed, Path source, Path target)
            throws IOException {
        TransferDirectory transfer = WalkedPlans.plan(fixture, arguments(source, target), options, Linux.calls(),
                isStreamed);
        fixture.failures().clear();
        TransferResult result = fixture.run(transfer, fixture.transfers().start(transfer), 2);
        said.add("transfer: " + fixture.failures() + fixture.notices() + result);
        assertThat(result.openBatches()).isZero();
        boolean isComplete = result.state() == TransferResult.State.COMPLETE;
        if (isComplete) {
            assertThat(fixture.failures()).as(String.join("\n", said)).isEmpty();
        }
        return !isComplete;
    }
}
