// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.pool.submitter;

import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.fs.ProcessStatus;
import org.treehaul.core.state.Periodic;
import org.treehaul.core.transfer.directory.StateDirectory;
import org.treehaul.core.transfer.directory.TransferException;
import org.treehaul.core.transfer.work.BatchShare;
import org.treehaul.core.transfer.work.WorkResult;
import org.treehaul.schedulers.pool.carry.Carrier;
import org.treehaul.schedulers.pool.carry.OwnCarriers;

/**
 * Carries out a transfer in a process of its user, as a worker of root says by lines: {@code open}, {@code turn},
 * {@code batch N} or {@code end} in a turn, {@code local N}, {@code rest N}, {@code finish} and {@code stop}. The end
 * of these lines is the end of the worker. Used once, by one thread.
 */
public final class Service {

    private static final Duration ALIVE = Duration.ofSeconds(5);
    private static final int MOST_WAITING = 16;
    private static final Order END = new Order("", new Cancellation());

    /** Something to do, and what stops it. */
    private record Order(String text, Cancellation stop) {

        boolean isEnd() {
            return text.isEmpty();
        }
    }

    private final String transfer;
    private final int generation;
    private final OwnCarriers carriers;
    private final Answers answers;
    private final Cancellation cancellation;
    private final BlockingQueue<Order> orders = new ArrayBlockingQueue<>(MOST_WAITING);
    private @Nullable Carrier carrier;

    private Service(String transfer, int generation, OwnCarriers carriers, Answers answers, Cancellation cancellation) {
        this.transfer = transfer;
        this.generation = generation;
        this.carriers = carriers;
        this.answers = answers;
        this.cancellation = cancellation;
    }

    /**
     * Checks that this process is an ordinary user's.
     *
     * @throws TransferException if it is another user's, or has privileges
     */
    public static void requireUser(long uid) throws IOException {
        ProcessStatus status = ProcessStatus.read();
        if (uid == 0 || status.effectiveUid() != uid || status.effectiveCapabilities() != 0) {
            throw new TransferException("this process runs as user " + status.effectiveUid() + " with the capabilities "
                    + Long.toHexString(status.effectiveCapabilities()) + ", not as user " + uid + " without any");
        }
    }

    /**
     * Does what the worker says, until it ends.
     *
     * @param in the standard input of the process
     * @param transfer the id of the transfer
     * @param carriers the transfers of the user
     * @param cancellation ends the process, too
     * @param abandon is called if the work has not stopped half a minute after the worker has ended
     */
    public static void serve(InputStream in, Answers answers, String transfer, int generation, OwnCarriers carriers,
            Cancellation cancellation, Runnable abandon) throws InterruptedException {
        Service service = new Service(transfer, generation, carriers, answers, cancellation);
        Thread.ofPlatform().daemon().name("treehaul-orders").start(() -> service.read(in, abandon));
        try (Periodic _ = Periodic.of("treehaul-alive", ALIVE, answers::alive).start()) {
            service.serve();
        }
    }

    private void read(InputStream in, Runnable abandon) {
        Lines lines = new Lines(in);
        Cancellation current = new Cancellation();
        try {
            for (Optional<String> line = lines.next(); line.isPresent(); line = lines.next()) {
                if (line.get().equals("stop")) {
                    current.cancel();
                    continue;
                }
                if (line.get().equals("turn") || line.get().equals("finish")) {
                    current = Cancellation.of(cancellation);
                }
                orders.put(new Order(line.get(), current));
            }
        } catch (IOException e) {
            answers.notice("cannot read from the worker: " + e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        cancellation.cancel();
        try {
            orders.put(END);
            Thread.sleep(Duration.ofSeconds(30));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        abandon.run();
    }

    private void serve() throws InterruptedException {
        for (Order order = orders.take(); !order.isEnd() && !cancellation.isCancelled(); order = orders.take()) {
            try {
                obey(order);
            } catch (IOException e) {
                answers.line("failed " + Lines.part(StateDirectory.reason(e)));
            } catch (RuntimeException e) {
                answers.line("failed " + Lines.part(e.toString()));
            }
        }
    }

    private void obey(Order order) throws IOException, InterruptedException {
        String[] words = order.text().split(" ", 2);
        switch (words[0]) {
            case "open" -> {
                Optional<Carrier> opened = carriers.open(transfer, generation);
                carrier = opened.orElse(null);
                answers.line(opened.isPresent() ? "opened" : "old");
            }
            case "turn" -> worked(opened().work(new Given(), order.stop()));
            case "local" -> {
                Carrier.Local local = opened().local(Integer.parseInt(words[1]));
                answers.line(Stream.concat(Stream.of(local.lookedTo()), local.batches().stream())
                        .map(String::valueOf)
                        .collect(Collectors.joining(" ", "local ", "")));
            }
            case "rest" -> answers.line(switch (opened().remainder(Integer.parseInt(words[1]))) {
                case Carrier.Planned planned -> "planned " + planned.batches();
                case Carrier.Growing growing -> "growing";
                case Carrier.Complete complete -> "complete";
            });
            case "finish" -> {
                Carrier.Finished finished = opened().finish(order.stop());
                worked(finished.work());
                answers.line(finished.state().map(state -> "finished " + state).orElse("unfinished"));
            }
            default -> throw new TransferException("unknown order '" + order.text() + "'");
        }
    }

    private Carrier opened() throws TransferException {
        Carrier open = carrier;
        if (open == null) {
            throw new TransferException("the transfer is not open");
        }
        return open;
    }

    private void worked(WorkResult result) {
        answers.alive();
        StringBuilder line = new StringBuilder("worked " + result.ending() + " " + result.batches());
        for (EntryFailure.Kind kind : EntryFailure.Kind.values()) {
            line.append(' ').append(result.failures().getOrDefault(kind, 0L));
        }
        answers.line(line + " " + Lines.part(result.problem()));
    }

    /** The batches that the worker gives, one after another. */
    private final class Given implements BatchShare {

        @Override
        public OptionalInt next() {
            answers.line("next");
            try {
                Order order = orders.take();
                if (order.text().startsWith("batch ")) {
                    return OptionalInt.of(Integer.parseInt(order.text().substring(6)));
                }
                if (order.isEnd()) {
                    // The loop has to see it too.
                    orders.put(END);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                cancellation.cancel();
            }
            return OptionalInt.empty();
        }

        @Override
        public boolean takeBack(int batch) {
            answers.line("back " + batch);
            return true;
        }

        @Override
        public boolean isOpen() {
            return true;
        }
    }
}
