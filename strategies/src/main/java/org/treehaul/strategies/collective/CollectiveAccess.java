// SPDX-License-Identifier: Apache-2.0
package org.treehaul.strategies.collective;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;

import org.jspecify.annotations.Nullable;
import org.treehaul.strategies.collective.Exchange.Kind;
import org.treehaul.strategies.collective.Exchange.Message;
import org.treehaul.strategies.collective.order.CollectiveRequest;
import org.treehaul.strategies.collective.order.ShuffleHint;
import org.treehaul.strategies.collective.order.ShuffleModel;
import org.treehaul.strategies.ranks.communicator.RanksException;

/**
 * One rank's part in one collective read or write. It handles messages whenever it waits, so ranks wait for each other
 * in any order.
 *
 * <p>
 * The bytes of a view in the part of an aggregator lie together in the memory of the rank. So each message of data has
 * one offset in that memory, and may come in any order. Ranks send data without an answer for {@link #WINDOW} messages.
 */
abstract class CollectiveAccess {

    /** Messages of data that a rank sends before the first is taken: 3.2 MB. */
    private static final int WINDOW = 32;
    private static final int WRITES = 1;
    private static final int ORDERED = 2;
    private static final int UNMEASURED = 4;
    static final int CHUNK = Exchange.MOST_CONTENT - Long.BYTES;

    final Exchange exchange;
    final long number;
    final FileView view;
    final ByteBuffer memory;
    final CollectiveFile file;
    private final @Nullable FileView[] views;
    private final boolean[] writes;
    private final ShuffleProbe probe;
    private CollectiveRequest origin;
    private boolean isOrdered;
    // Whether a rank does not know the costs of messages: it may miss them after an access that failed.
    private boolean isUnmeasured;
    private final Queue<long[]> pulls = new ArrayDeque<>();
    private CollectiveSettings settings;
    private int known;
    private long moved;
    private int sent;
    private int ended;
    private boolean isDone;
    private @Nullable CollectiveException failure;

    CollectiveAccess(Exchange exchange, long number, CollectiveSettings settings, FileView view, ByteBuffer memory,
            CollectiveFile file) {
        this.exchange = exchange;
        this.number = number;
        this.settings = settings;
        this.view = view;
        this.memory = memory;
        this.file = file;
        this.views = new FileView[exchange.size()];
        this.writes = new boolean[exchange.size()];
        this.probe = new ShuffleProbe(exchange, number);
        this.origin = new CollectiveRequest(exchange.application, number, 0, ShuffleHint.NONE);
        this.isOrdered = file.isOrdered();
        this.isUnmeasured = exchange.model == null;
    }

    /** Returns whether this is a write. */
    abstract boolean isWrite();

    /** Moves the data of a part of the file: some ranks have bytes in each piece, at its ends too. */
    abstract void piece(long from, long to) throws IOException;

    /** Takes data from another rank. */
    abstract void data(int from, long at, ByteBuffer bytes);

    final CollectiveRequest origin() {
        return origin;
    }

    final int bufferBytes() {
        return settings.bufferBytes();
    }

    final FileView viewOf(int rank) {
        return Objects.requireNonNull(views[rank], "all views are known");
    }

    /** Notes that some bytes of this rank's memory were filled or sent. */
    final void moved(long bytes) {
        moved += bytes;
    }

    /** Carries out the access; returns when it has ended on all ranks. */
    final void run() throws CollectiveException {
        try {
            work();
        } catch (CollectiveException | RanksException e) {
            throw e;
        } catch (IOException e) {
            fail(e.getMessage() == null ? e.toString() : e.getMessage());
            waitFor(() -> false);
        } catch (RuntimeException | Error e) {
            tryToFail(e);
            throw e;
        }
    }

    private void tryToFail(Throwable e) {
        try {
            fail(e.toString());
        } catch (RuntimeException broken) {
            e.addSuppressed(broken);
        }
    }

    private void work() throws IOException {
        exchange.requireAll(number);
        ByteBuffer mine = exchange.begin(Kind.VIEW, number,
                1 + 2 * Integer.BYTES + 2 * Long.BYTES + view.encodedBytes());
        mine.put((byte) ((isWrite() ? WRITES : 0) | (isOrdered ? ORDERED : 0) | (isUnmeasured ? UNMEASURED : 0)))
                .putLong(exchange.application)
                .putInt(settings.aggregators())
                .putInt(settings.bufferBytes())
                .putLong(settings.alignment());
        view.encode(mine);
        exchange.sendToOthers(mine);
        views[exchange.rank()] = view;
        writes[exchange.rank()] = isWrite();
        known++;
        waitFor(() -> known == views.length);
        requireSameCall();
        List<FileView> all = Arrays.stream(views).map(Objects::requireNonNull).toList();
        FileDomains domains = new FileDomains(all, FileDomains.choose(exchange.communicator, settings.aggregators()),
                settings.alignment());
        ShuffleModel model = exchange.model;
        // All ranks know whether a file of one of them has such servers, and whether one does not know the costs.
        if (isOrdered && !isWrite() && isUnmeasured) {
            model = probe.measure(this::waitFor);
            exchange.model = model;
        }
        if (domains.has(exchange.rank())) {
            if (isOrdered && !isWrite() && model != null) {
                origin = new CollectiveRequest(origin.application(), number, 0, hint(all, domains, model));
            }
            pieces(all, domains.from(exchange.rank()), domains.to(exchange.rank()));
        }
        waitFor(() -> moved == view.bytes());
        if (exchange.rank() == 0) {
            ended();
        } else {
            exchange.send(0, exchange.begin(Kind.ENDED, number, 0));
        }
        waitFor(() -> isDone);
    }

    // All ranks know the same, so all of them end here, before any data are moved.
    private void requireSameCall() throws CollectiveException {
        for (int rank = 1; rank < writes.length; rank++) {
            if (writes[rank] != writes[0]) {
                throw new CollectiveException(rank,
                        exchange.name(rank) + (writes[rank] ? " writes" : " reads") + " in collective access " + number
                                + ", in which " + exchange.name(0) + (writes[0] ? " writes" : " reads"));
            }
        }
    }

    // The delay of each piece delays those after it.
    private ShuffleHint hint(List<FileView> all, FileDomains domains, ShuffleModel model) {
        int[] hosts = IntStream.range(0, all.size()).map(exchange.communicator::hostOf).toArray();
        List<Integer> aggregators = domains.aggregators();
        long[] costs = aggregators.stream()
                .mapToLong(one -> model.nanos(one, hosts,
                        all.stream()
                                .mapToLong(other -> other.before(domains.to(one)) - other.before(domains.from(one)))
                                .toArray()))
                .toArray();
        ShuffleHint whole = ShuffleHint.ofRead(costs).get(aggregators.indexOf(exchange.rank()));
        long pieces = Math.max(1,
                Math.ceilDiv(domains.to(exchange.rank()) - domains.from(exchange.rank()), settings.bufferBytes()));
        return new ShuffleHint(whole.shuffleNanos() / pieces, whole.delayNanos() / pieces, whole.rank());
    }

    private void pieces(List<FileView> all, long from, long to) throws IOException {
        long at = next(all, from);
        while (at < to) {
            long limit = Math.min(to, at + settings.bufferBytes());
            long last = at;
            for (FileView one : all) {
                long before = one.before(limit);
                if (before > one.before(at)) {
                    last = Math.max(last, one.position(before - 1) + 1);
                }
            }
            piece(at, last);
            at = next(all, limit);
        }
    }

    /** Returns the first offset not before another that is in a view. */
    private static long next(List<FileView> all, long from) {
        long next = Long.MAX_VALUE;
        for (FileView one : all) {
            long before = one.before(from);
            if (before < one.bytes()) {
                next = Math.min(next, one.position(before));
            }
        }
        return next;
    }

    /** Handles messages until a condition holds. */
    final void waitFor(BooleanSupplier condition) throws CollectiveException {
        while (true) {
            if (failure != null) {
                throw failure;
            }
            if (condition.getAsBoolean()) {
                return;
            }
            handle(exchange.next(number));
        }
    }

    /** Waits until another message of data may be sent. */
    final void waitForRoom() throws CollectiveException {
        waitFor(() -> sent < WINDOW);
    }

    /** Sends data: the message has the bytes of the receiver's or the sender's memory at an offset. */
    final void sendData(int to, ByteBuffer message) {
        sent++;
        exchange.send(to, message);
    }

    /** Begins a message of data. */
    final ByteBuffer beginData(long at, int length) {
        return exchange.begin(Kind.DATA, number, Long.BYTES + length).putLong(at);
    }

    private void handle(Message message) {
        ByteBuffer content = message.content();
        switch (message.kind()) {
            case VIEW -> view(message.from(), content);
            case DATA -> {
                exchange.send(message.from(), exchange.begin(Kind.TAKEN, number, 0));
                data(message.from(), content.getLong(), content);
            }
            case TAKEN -> {
                sent--;
                pump();
            }
            case PULL -> {
                pulls.add(new long[]{message.from(), content.getLong(), content.getLong()});
                pump();
            }
            case ENDED -> ended();
            case FAILED -> {
                content.getInt();
                failed(message.from(), message.text());
            }
            case RESULT -> {
                int rank = content.getInt();
                isDone = true;
                if (rank >= 0) {
                    failure = new CollectiveException(rank, message.text());
                }
            }
            case PROBE, PROBED, MEASURED -> probe.handle(message.kind(), message.from(), content);
            case LEFT -> throw new IllegalStateException("handled by the exchange");
        }
    }

    private void view(int from, ByteBuffer content) {
        byte call = content.get();
        writes[from] = (call & WRITES) != 0;
        isOrdered |= (call & ORDERED) != 0;
        isUnmeasured |= (call & UNMEASURED) != 0;
        long application = content.getLong();
        CollectiveSettings others = new CollectiveSettings(content.getInt(), content.getInt(), content.getLong());
        if (from == 0) {
            settings = others;
            origin = new CollectiveRequest(application, number, 0, ShuffleHint.NONE);
        }
        views[from] = FileView.decode(content);
        known++;
    }

    // Sends what aggregators have asked for, as far as the window allows.
    private void pump() {
        while (sent < WINDOW && !pulls.isEmpty()) {
            long[] pull = pulls.element();
            int length = (int) Math.min(CHUNK, pull[2] - pull[1]);
            ByteBuffer message = beginData(pull[1], length);
            message.put(memory.slice((int) pull[1], length));
            sendData((int) pull[0], message);
            moved(length);
            pull[1] += length;
            if (pull[1] == pull[2]) {
                pulls.remove();
            }
        }
    }

    private void ended() {
        ended++;
        if (ended == exchange.size() && failure == null) {
            exchange.sendToOthers(exchange.text(Kind.RESULT, number, -1, ""));
            isDone = true;
        }
    }

    private void fail(String text) {
        if (exchange.rank() == 0) {
            failed(0, text);
        } else {
            exchange.send(0, exchange.text(Kind.FAILED, number, 0, text));
        }
    }

    private void failed(int rank, String text) {
        if (failure == null && !isDone) {
            String named = exchange.name(rank) + ": " + text;
            failure = new CollectiveException(rank, named);
            exchange.sendToOthers(exchange.text(Kind.RESULT, number, rank, named));
        }
    }
}
