// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.pool.carry;

import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.IntConsumer;

import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.Event;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.plan.format.Plan;
import org.treehaul.core.plan.servers.OwnHost;
import org.treehaul.core.transfer.batch.Claims;
import org.treehaul.core.transfer.directory.BandwidthShares;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.directory.TransferResult;
import org.treehaul.core.transfer.finish.Finishing;
import org.treehaul.core.transfer.journal.FinishingHistory;
import org.treehaul.core.transfer.work.BatchShare;
import org.treehaul.core.transfer.work.WorkResult;
import org.treehaul.schedulers.TransferJobs;
import org.treehaul.schedulers.batch.JobWork;
import org.treehaul.schedulers.discovery.Schedulers;

/** Carries out the transfers of the user of this process. Used by one thread; closing ends the threads. */
public final class OwnCarriers implements AutoCloseable {

    private final Path stateDirectory;
    private final int threads;
    private final int number;
    private final PoolListener listener;
    private final Progress progress;
    private final LivePublishers publishers;
    private final BandwidthShares bandwidth = new BandwidthShares();
    // Growing plans whose planners are watched.
    private final Map<String, Claims> watched = new HashMap<>();

    /**
     * Creates the carriers of a state directory.
     *
     * @param stateDirectory contains the transfers that may be carried out
     * @param threads the number of threads; 0 for the options of each transfer
     * @param number the number of the worker, so that not all begin with the same batch
     */
    public OwnCarriers(Path stateDirectory, int threads, int number, PoolListener listener, Progress progress) {
        this.stateDirectory = stateDirectory;
        this.threads = threads;
        this.number = number;
        this.listener = listener;
        this.progress = progress;
        this.publishers = new LivePublishers(problem -> listener.onEvent(new Event.Notice(problem)));
    }

    /**
     * Opens a transfer after the checks of {@link Accepted}.
     *
     * @return the carrier; empty if the transfer has a newer generation
     * @throws IOException if it must not or cannot be carried out here; the message gives the reason
     */
    public Optional<Carrier> open(String transfer, int generation) throws IOException {
        return Accepted.open(stateDirectory, transfer, generation).map(found -> {
            JobWork work = new JobWork(found, generation, threads,
                    TransferJobs.of(found, name -> Schedulers.named(name, System.getenv())));
            return new Own(work, publishers.of(found));
        });
    }

    /** Ends the publishers of other transfers than these, and forgets their plans and shares of the bandwidth. */
    public void keepOnly(Set<String> transfers) {
        publishers.keepOnly(transfers);
        bandwidth.keepOnly(transfers);
        watched.entrySet().removeIf(entry -> {
            if (transfers.contains(entry.getKey())) {
                return false;
            }
            close(entry.getValue());
            return true;
        });
    }

    private final class Own implements Carrier {

        private final JobWork work;
        private final IntConsumer changes;

        Own(JobWork work, IntConsumer changes) {
            this.work = work;
            this.changes = changes;
        }

        @Override
        public WorkResult work(BatchShare batches, Cancellation stop) throws IOException {
            return work.work(number, batches, bandwidth, changes, listener, progress, stop);
        }

        @Override
        public Local local(int from) throws IOException {
            Plan plan = Plan.open(work.transfer().plan());
            return plan.hasServers()
                    ? Local.of(plan::servers, OwnHost.here(), from, plan.batchCount())
                    : new Local(plan.batchCount(), Set.of());
        }

        @Override
        public Remainder remainder(int offered) throws IOException {
            Plan plan = Plan.open(work.transfer().plan());
            if (plan.batchCount() > offered) {
                return new Planned(plan.batchCount());
            }
            return plan.isSealed() || isPlannerDead() ? new Complete() : new Growing();
        }

        private boolean isPlannerDead() throws IOException {
            String id = work.transfer().id().text();
            Claims claims = watched.get(id);
            if (claims == null) {
                claims = new Claims(work.transfer(), work.generation(), number, FinishingHistory.read(work.transfer()));
                watched.put(id, claims);
            }
            return claims.isPlannerDead();
        }

        @Override
        public Finished finish(Cancellation stop) throws IOException {
            TransferDirectory transfer = work.transfer();
            Claims claims = watched.remove(transfer.id().text());
            if (claims != null) {
                claims.close();
            }
            WorkResult worked = work.work(number, changes, listener, progress, stop);
            if (stop.isCancelled() || worked.ending() == WorkResult.Ending.STOPPED
                    || worked.ending() == WorkResult.Ending.SUPERSEDED) {
                return new Finished(worked, Optional.empty());
            }
            // Finishing joins by itself.
            bandwidth.leave(transfer.id().text());
            TransferResult result = Finishing.of(Linux.calls(), transfer, work.generation())
                    .withThreads(threads)
                    .withAnother()
                    .finish(listener, progress, stop);
            if (!stop.isCancelled()) {
                listener.onFinished(transfer, work.generation(), result);
            }
            return new Finished(worked, Optional.of(result.state()));
        }
    }

    private static void close(Claims claims) {
        try {
            claims.close();
        } catch (IOException e) {
            // A state directory that fails ends its transfer, not the worker.
        }
    }

    @Override
    public void close() {
        keepOnly(Set.of());
    }
}
