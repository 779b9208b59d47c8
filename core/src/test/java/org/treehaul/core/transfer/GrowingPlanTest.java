// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.treehaul.core.plan.PlanWriter;
import org.treehaul.core.plan.format.ManifestEntry;
import org.treehaul.core.plan.format.Plan;
import org.treehaul.core.plan.format.PlanException;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.directory.TransferResult;
import org.treehaul.core.transfer.work.WorkResult;

/** Workers of a plan that is not sealed yet. */
class GrowingPlanTest {

    private TransferFixture fixture = TransferFixture.onTmpfs();

    @BeforeEach
    void make() {
        fixture.close();
        fixture = TransferFixture.onTmpfs().with(TransferTest::tree);
    }

    @AfterEach
    void remove() {
        fixture.close();
    }

    @Test
    void aPlanThatGrowsIsWorkedOnWhileItDoes() throws Exception {
        TransferDirectory transfer = fixture.create();
        Files.writeString(fixture.token(transfer), "");
        int generation = fixture.transfers().start(transfer);
        SmallPlan plan = SmallPlan.of(fixture.source(), 6);
        AtomicReference<@Nullable Object> ended = new AtomicReference<>();
        try (PlanWriter writer = PlanWriter.create(transfer.plan(),
                fixture.header(transfer, TransferFixture.options()))) {
            writer.probes(plan.probes());
            Files.writeString(Plan.heartbeat(transfer.plan()), "");
            Thread working = Thread.ofPlatform().start(() -> {
                try {
                    ended.set(fixture.run(transfer, generation, 3));
                } catch (IOException e) {
                    ended.set(e);
                }
            });
            for (List<ManifestEntry> batch : plan.batches()) {
                writer.addBatch(batch);
                Thread.sleep(100);
            }
            assertThat(ended.get()).isNull();
            plan.end(writer);
            working.join();
        }
        assertThat(ended.get()).isInstanceOfSatisfying(TransferResult.class,
                result -> assertThat(result.state()).isEqualTo(TransferResult.State.COMPLETE));
        fixture.isCopied();
    }

    /** Begins a plan that is never sealed. */
    private void planFirstBatch(TransferDirectory transfer) throws IOException {
        SmallPlan plan = SmallPlan.of(fixture.source(), 6);
        try (PlanWriter writer = PlanWriter.create(transfer.plan(),
                fixture.header(transfer, TransferFixture.options()))) {
            writer.probes(plan.probes());
            writer.addBatch(plan.batches().getFirst());
        }
    }

    @Test
    void whenThePlannerDiesTheWorkersEndAndItIsPlannedAgain() throws Exception {
        TransferDirectory transfer = fixture.create();
        Files.writeString(fixture.token(transfer), "");
        int generation = fixture.transfers().start(transfer);
        planFirstBatch(transfer);
        Files.writeString(Plan.heartbeat(transfer.plan()), "");
        TransferFixture.age(Plan.heartbeat(transfer.plan()), Duration.ofHours(1));
        assertThat(fixture.work(transfer, generation).ending()).isEqualTo(WorkResult.Ending.PLANNER_DIED);
        TransferResult result = fixture.finish(transfer, generation);
        assertThat(result.state()).isEqualTo(TransferResult.State.INCOMPLETE);
        assertThat(result.problem()).contains("plans again");
        assertThat(fixture.transfers().needsPlan(transfer)).isTrue();

        int next = fixture.transfers().resume(transfer);
        fixture.transfers().removePlan(transfer);
        assertThat(fixture.token(transfer)).doesNotExist();
        Files.writeString(fixture.token(transfer), "");
        SmallPlan.of(fixture.source(), 3).write(transfer.plan(), fixture.header(transfer, TransferFixture.options()));
        assertThat(fixture.run(transfer, next, 2).state()).isEqualTo(TransferResult.State.COMPLETE);
        fixture.isCopied();
    }

    @Test
    @Timeout(value = 5, unit = TimeUnit.MINUTES)
    void whenThePlannerFailedAndTookItsHeartbeatWithItTheWorkersEnd() throws Exception {
        fixture.withTiming(TransferFixture.FAST);
        TransferDirectory transfer = fixture.create();
        Files.writeString(fixture.token(transfer), "");
        int generation = fixture.transfers().start(transfer);
        planFirstBatch(transfer);
        assertThat(fixture.work(transfer, generation).ending()).isEqualTo(WorkResult.Ending.PLANNER_DIED);
        assertThat(fixture.finishAtLast(transfer, generation).problem()).contains("plans again");
    }

    @Test
    void aPlanThatCannotBeReadNowIsNotMadeAgain() throws Exception {
        TransferDirectory transfer = fixture.planned(3);
        int generation = fixture.transfers().start(transfer);
        fixture.work(transfer, generation);
        Path header = transfer.plan().resolve("header");
        Path away = transfer.plan().resolve("away");
        Files.move(header, away);
        // The call fails, but not because there is no such file.
        Files.createSymbolicLink(header, header);
        assertThatThrownBy(() -> Plan.open(transfer.plan())).hasMessageContaining("header: ");
        assertThatThrownBy(() -> fixture.transfers().needsPlan(transfer)).isInstanceOfSatisfying(PlanException.class,
                problem -> assertThat(problem.isUnreadable()).isTrue());
        assertThatThrownBy(() -> fixture.transfers().status(transfer)).isInstanceOfSatisfying(PlanException.class,
                problem -> assertThat(problem.isUnreadable()).isTrue());
        assertThatThrownBy(() -> fixture.finish(transfer, generation)).isInstanceOf(PlanException.class);
        Files.delete(header);
        Files.move(away, header);
        assertThat(fixture.transfers().needsPlan(transfer)).isFalse();
        assertThat(fixture.finish(transfer, generation).state()).isEqualTo(TransferResult.State.COMPLETE);
        fixture.isCopied();
    }

    @Test
    void aPlannerThatEndedAMomentAgoIsNotTakenForDead() throws Exception {
        TransferDirectory transfer = fixture.create();
        Files.writeString(fixture.token(transfer), "");
        int generation = fixture.transfers().start(transfer);
        SmallPlan plan = SmallPlan.of(fixture.source(), 2);
        CompletableFuture<WorkResult> working = new CompletableFuture<>();
        try (PlanWriter writer = PlanWriter.create(transfer.plan(),
                fixture.header(transfer, TransferFixture.options()))) {
            writer.probes(plan.probes());
            Thread.ofPlatform().start(() -> {
                try {
                    working.complete(fixture.work(transfer, generation));
                } catch (IOException e) {
                    working.completeExceptionally(e);
                }
            });
            // It has checked, and found neither a heartbeat nor a complete plan.
            Awaitility.await()
                    .atMost(Duration.ofMinutes(2))
                    .until(() -> working.isDone() || !TransferFixture.names(transfer.progress()).isEmpty());
            for (List<ManifestEntry> batch : plan.batches()) {
                writer.addBatch(batch);
            }
            plan.end(writer);
        }
        assertThat(working.join().ending()).isEqualTo(WorkResult.Ending.DONE);
        assertThat(fixture.finish(transfer, generation).state()).isEqualTo(TransferResult.State.COMPLETE);
        fixture.isCopied();
    }
}
