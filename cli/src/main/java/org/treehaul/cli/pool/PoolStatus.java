// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.pool;

import java.util.Comparator;
import java.util.List;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;
import org.treehaul.cli.args.Options;
import org.treehaul.cli.common.CommonOptions;
import org.treehaul.cli.common.PoolAddress;
import org.treehaul.cli.report.JsonLines;
import org.treehaul.cli.report.Output;
import org.treehaul.cli.report.Text;
import org.treehaul.core.condition.Accounts;
import org.treehaul.core.entry.ByteString;
import org.treehaul.schedulers.pool.PlaceBound;
import org.treehaul.schedulers.pool.Pool;
import org.treehaul.schedulers.pool.PresentWorker;
import org.treehaul.schedulers.pool.TransferOffer;
import org.treehaul.tuplespace.store.Owned;
import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.store.SpaceUri;
import picocli.CommandLine.Model.CommandSpec;

/** The option that shows a pool: its workers, the transfers that they carry out, and the bounds of directories. */
public final class PoolStatus {

    private final CommandSpec command;
    private final CommonOptions common;
    private final Accounts accounts = Accounts.system();
    private @Nullable String named;

    /** Adds the option to a command. */
    public PoolStatus(CommandSpec command, CommonOptions common) {
        this.command = command;
        this.common = common;
        Options.add(command, Options.value(String.class, value -> named = value, "--pool"), "URI",
                "Show the workers of the pool in this tuple space, DIR, partitions:FILE or postgresql://HOST/DATABASE, and the transfers "
                        + "that they carry out.");
    }

    /** Returns whether the pool is to be shown. */
    public boolean isWanted() {
        return named != null;
    }

    /**
     * Refuses options and operands that are for transfers.
     *
     * @param hasOthers whether such ones were given, apart from those that all commands share
     */
    public void check(boolean hasOthers) {
        if (isWanted() && (hasOthers || common.isGiven("--metrics"))) {
            throw common.usage("--pool shows a pool; an ID, --batches and --metrics are for transfers");
        }
    }

    /**
     * Prints the pool.
     *
     * @param clear written first, unless the output is JSON
     * @return whether the pool has transfers
     * @throws SpaceException if the space cannot be read
     */
    public boolean print(Output output, byte[] clear) {
        SpaceUri uri = PoolAddress.parse(command, "--pool", String.valueOf(named));
        List<TransferOffer> offers;
        List<PresentWorker> workers;
        Consumer<String> unreadable = message -> common.screen().note(message + "; it is left out");
        try (Pool pool = Pool.openToRead(uri, unreadable)) {
            workers = pool.workers()
                    .stream()
                    .sorted(Comparator.comparing(PresentWorker::host).thenComparingLong(PresentWorker::pid))
                    .toList();
            offers = pool.ownedTransfers()
                    .stream()
                    .map(Owned::tuple)
                    .sorted(Comparator.comparing(TransferOffer::transfer))
                    .toList();
            List<PlaceBound> bounds = pool.bounds().stream().filter(bound -> bound.most() > 0).toList();
            if (common.json) {
                json(new JsonLines(output), pool, workers, offers, bounds);
            } else {
                output.write(clear, clear.length);
                workers.forEach(worker -> output.line(line(worker)));
                offers.forEach(offer -> output.line(line(offer, workers, pool.waitingBatches(offer))));
                bounds.forEach(bound -> output.line("bound  " + ByteString.printable(bound.place()) + "  at most "
                        + Text.count(bound.most(), "worker", "workers")));
            }
        }
        output.flush();
        if (workers.isEmpty() && offers.isEmpty() && !common.json) {
            common.screen().note("the pool " + uri + " has no worker and no transfer that you may see");
        }
        return !offers.isEmpty();
    }

    private String line(PresentWorker worker) {
        return "worker  " + ByteString.printable(worker.host()) + ":" + worker.pid() + "  "
                + accounts.userName(worker.uid()) + "  "
                + (worker.transfer().isEmpty() ? "waiting" : ByteString.printable(worker.transfer())) + " since "
                + Text.dateTime(worker.since());
    }

    private String line(TransferOffer offer, List<PresentWorker> workers, long waiting) {
        return "transfer  " + ByteString.printable(offer.transfer()) + "  " + accounts.userName(offer.uid()) + "  "
                + Text.count(number(offer, workers), "worker", "workers")
                + (offer.most() > 0 ? " of at most " + offer.most() : "") + "; batches waiting " + Text.count(waiting)
                + " of " + Text.count(offer.offered()) + (offer.priority() == 0 ? "" : "; priority " + offer.priority())
                + "; to " + ByteString.printable(offer.destination());
    }

    private static long number(TransferOffer offer, List<PresentWorker> workers) {
        return workers.stream()
                .filter(worker -> worker.transfer().equals(offer.transfer())
                        && worker.generation() == offer.generation())
                .count();
    }

    private void json(JsonLines json, Pool pool, List<PresentWorker> workers, List<TransferOffer> offers,
            List<PlaceBound> bounds) {
        for (PresentWorker worker : workers) {
            json.begin("worker")
                    .text("host", worker.host())
                    .number("pid", worker.pid())
                    .number("uid", worker.uid())
                    .text("user", accounts.userName(worker.uid()));
            if (!worker.transfer().isEmpty()) {
                json.text("transfer", worker.transfer()).number("generation", worker.generation());
            }
            json.text("since", worker.since().toString()).end();
        }
        for (TransferOffer offer : offers) {
            json.begin("offer")
                    .text("transfer", offer.transfer())
                    .number("generation", offer.generation())
                    .number("uid", offer.uid())
                    .text("user", accounts.userName(offer.uid()))
                    .number("priority", offer.priority())
                    .number("workers", number(offer, workers));
            if (offer.most() > 0) {
                json.number("max_workers", offer.most());
            }
            json.number("batches", offer.offered())
                    .number("waiting", pool.waitingBatches(offer))
                    .text("destination", offer.destination())
                    .text("since", offer.since().toString())
                    .end();
        }
        bounds.forEach(
                bound -> json.begin("bound").text("place", bound.place()).number("max_workers", bound.most()).end());
        json.flush();
    }
}
