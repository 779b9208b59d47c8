// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.pool;

import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import org.treehaul.core.copy.options.ShellWord;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.fs.ProcessStatus;
import org.treehaul.core.fs.linux.ServerView;
import org.treehaul.core.plan.format.Plan;
import org.treehaul.core.plan.format.PlannedRoot;
import org.treehaul.core.transfer.directory.StateDirectory;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.schedulers.JobPhase;
import org.treehaul.schedulers.JobRequest;
import org.treehaul.schedulers.JobState;
import org.treehaul.schedulers.Scheduler;
import org.treehaul.schedulers.SchedulerException;
import org.treehaul.schedulers.Script;
import org.treehaul.schedulers.Submission;
import org.treehaul.schedulers.common.Cancelling;
import org.treehaul.tuplespace.store.Owned;
import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.store.SpaceUri;

/**
 * Offers the batches of transfers to a pool of workers, which run already. The id of a transfer's work is
 * {@code TRANSFER.GENERATION}; that of its finishing ends in {@code .finish}.
 */
final class PoolScheduler implements Scheduler {

    private static final Pattern ID = Pattern.compile("([0-9]{8}-[0-9]{6}-[a-z0-9]{4})\\.([0-9]{1,9})(\\.finish)?");
    private static final Pattern PRIORITY = Pattern.compile("priority=(-?[0-9]{1,6})");

    private final SpaceUri space;
    private final String home;

    /**
     * Makes the scheduler of the pool in a space.
     *
     * @param environment the variables of the user, which determine where a worker looks for transfers
     */
    PoolScheduler(SpaceUri space, Map<String, String> environment) {
        this.space = space;
        String named = environment.getOrDefault("HOME", "");
        this.home = named.isEmpty() ? System.getProperty("user.home") : named;
    }

    private record Id(String transfer, int generation, boolean isFinish) {
        static Id of(String text) {
            Matcher id = ID.matcher(text);
            if (!id.matches()) {
                throw new IllegalArgumentException("not the id of work in a pool: " + text);
            }
            return new Id(id.group(1), Integer.parseInt(id.group(2)), id.group(3) != null);
        }

        boolean has(TransferOffer offer) {
            return offer.transfer().equals(transfer) && offer.generation() == generation;
        }

        boolean has(PresentWorker worker) {
            return worker.transfer().equals(transfer) && worker.generation() == generation;
        }
    }

    /** An operation on the space. */
    @FunctionalInterface
    private interface Use<R> {
        R of(Pool pool);
    }

    private <R> R use(boolean mayCreate, Use<R> use) throws SchedulerException {
        try (Pool pool = mayCreate ? Pool.open(space) : Pool.openExisting(space)) {
            return use.of(pool);
        } catch (SpaceException e) {
            throw new SchedulerException("the pool " + space + ": " + e.getMessage(), e);
        }
    }

    @Override
    public String name() {
        return PoolProvider.name(space);
    }

    /** Returns nothing: workers of a pool run already. */
    @Override
    public List<Script> render(JobRequest request) {
        return List.of();
    }

    @Override
    public void check(JobRequest request) throws SchedulerException {
        if (request.phase() == JobPhase.PLAN) {
            throw new SchedulerException("a pool plans nothing: leave out --plan-in-job");
        }
        if (request.isRanks()) {
            throw new SchedulerException("the workers of a pool are no ranks: leave out --ranks");
        }
        if (request.walltime().isPresent() || request.requeue()) {
            throw new SchedulerException(
                    "the workers of a pool run already, without time limits: leave out --walltime, --finish-walltime and --requeue; "
                            + "a transfer that has them from another scheduler needs --walltime '' --finish-walltime '' --no-requeue");
        }
        priority(request.options());
        try {
            UserPrograms.checkOperation(TransferDirectory.open(request.directory()).operation());
        } catch (IOException e) {
            throw new SchedulerException(StateDirectory.reason(e), e);
        }
        use(true, Pool::bounds);
    }

    private static int priority(List<String> options) throws SchedulerException {
        int priority = 0;
        for (String option : options) {
            Matcher given = PRIORITY.matcher(option);
            if (!given.matches()) {
                throw new SchedulerException("a pool knows the option --queue priority=N, not '" + option + "'");
            }
            priority = Integer.parseInt(given.group(1));
        }
        return priority;
    }

    @Override
    public Submission submit(JobRequest request) throws SchedulerException {
        check(request);
        String id = request.transfer() + "." + request.generation();
        if (request.phase() == JobPhase.FINISH) {
            return new Submission(name(), List.of(id + ".finish"), 1);
        }
        try {
            TransferDirectory transfer = TransferDirectory.open(request.directory());
            requireNoPrograms(transfer);
            UserPrograms.check(transfer);
            Plan plan = Plan.open(transfer.plan());
            TransferOffer offer = new TransferOffer(request.transfer(), request.generation(), TransferOffer.FORMAT,
                    transfer.path().toString(), destination(plan), ProcessStatus.read().effectiveUid(),
                    priority(request.options()), request.maxRunning(), plan.batchCount(), Instant.now());
            use(true, pool -> {
                pool.offer(offer, plan.batchCount());
                return offer;
            });
        } catch (IOException e) {
            throw new SchedulerException(
                    "cannot offer the batches to the pool " + space + ": " + StateDirectory.reason(e), e);
        }
        return new Submission(name(), List.of(id), request.jobs());
    }

    private static void requireNoPrograms(TransferDirectory transfer) throws IOException, SchedulerException {
        for (String file : List.of("pre", "post", "jars")) {
            if (ServerView.exists(transfer.launch().resolve(file))) {
                throw new SchedulerException(file.equals("jars")
                        ? "the workers of a pool know only the operations of TreeHaul, not those of other jars"
                        : "the workers of a pool run already: leave out --" + file
                                + ", or give it as '' if the transfer has it");
            }
        }
    }

    private static String destination(Plan plan) {
        List<PlannedRoot> roots = plan.header().roots();
        if (roots.isEmpty()) {
            return "/";
        }
        PlannedRoot first = roots.getFirst();
        // Byte for byte: this locale may have no text for it.
        return ByteString.of((first.target().length() == 0 ? first.source() : first.place()).toPath().normalize())
                .toString();
    }

    @Override
    public Map<String, JobState> states(Collection<String> ids) throws SchedulerException {
        return use(false, pool -> {
            // A worker that just replaces the offer holds it, so that it is not among the contents of the space.
            Set<Id> offered = ids.stream()
                    .map(Id::of)
                    .filter(id -> pool.isOffered(id.transfer(), id.generation()))
                    .collect(Collectors.toSet());
            // After the offers: a worker that begins in between is seen with its offer.
            List<PresentWorker> workers = pool.workers();
            Map<String, JobState> states = new LinkedHashMap<>();
            for (String text : ids) {
                Id id = Id.of(text);
                boolean isOffered = offered.contains(id);
                List<PresentWorker> busy = id.isFinish() ? List.of() : workers.stream().filter(id::has).toList();
                if (busy.isEmpty()) {
                    states.put(text, isOffered ? JobState.WAITING : JobState.GONE);
                }
                for (int i = 0; i < busy.size(); i++) {
                    states.put(text + "_" + i, JobState.RUNNING);
                }
            }
            return states;
        });
    }

    @Override
    public List<String> reasons(Collection<String> ids) throws SchedulerException {
        return use(false, pool -> {
            List<Owned<TransferOffer>> offers = pool.ownedTransfers();
            List<PresentWorker> workers = pool.workers();
            List<String> reasons = new ArrayList<>();
            for (Id id : ids.stream().map(Id::of).filter(one -> !one.isFinish()).toList()) {
                offers.stream().filter(owned -> id.has(owned.tuple())).findFirst().ifPresent(owned -> {
                    TransferOffer offer = owned.tuple();
                    // In a space that records users, workers of root may serve all, and may be visible or not.
                    boolean isShared = owned.owner().isPresent();
                    long own = workers.stream()
                            .filter(worker -> worker.uid() == offer.uid() || isShared && worker.uid() == 0)
                            .count();
                    if (own == 0) {
                        reasons.add((isShared ? "a worker of root, which you may not see, or one of yours" : "a worker")
                                + ": start 'treehaul worker --pool " + space + stateOption(offer) + "'");
                    } else if (workers.stream().noneMatch(id::has)) {
                        reasons.add("one of " + own + (own == 1 ? " worker" : " workers") + " of the pool");
                    }
                });
            }
            return reasons;
        });
    }

    // A worker finds the transfer only in its own state directory.
    private String stateOption(TransferOffer offer) {
        String below = "/transfers/" + offer.transfer();
        if (!offer.directory().endsWith(below)) {
            return "";
        }
        String state = offer.directory().substring(0, offer.directory().length() - below.length());
        return isDefault(state) ? "" : " --state-dir " + ShellWord.of(ByteString.of(state));
    }

    private boolean isDefault(String state) {
        try {
            Path usual = StateDirectory.locate(Optional.empty(), Map.of(), Path.of(home));
            return state.equals(usual.toString()) || state.equals(usual.toRealPath().toString());
        } catch (IOException | InvalidPathException e) {
            // A home directory that the locale cannot express has no transfers either.
            return false;
        }
    }

    @Override
    public void cancel(Collection<String> ids) throws SchedulerException {
        // Also the ids that states gives to single workers.
        List<String> whole = ids.stream().map(id -> id.replaceFirst("_[0-9]+$", "")).distinct().toList();
        use(false, pool -> {
            whole.stream().map(Id::of).forEach(id -> pool.withdraw(id.transfer(), id.generation()));
            return pool;
        });
        Cancelling.untilGone(this::states, whole, "");
    }
}
