// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.transfer;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.transfer.TransferStatus;
import org.treehaul.tuplespace.TupleSpace;
import org.treehaul.tuplespace.tuple.Template;

/** The transfers in a space, which are few beside their batches and failures. Not thread-safe. */
final class KnownTransfers {

    private record Entry(ByteString directory, ByteString name) {}

    /** About 20 MB. */
    private static final int MOST_ENTRIES = 100_000;

    private final TupleSpace space;
    private final Map<String, TransferTuple> byId = new HashMap<>();
    private final Map<String, List<TransferTuple>> verifications = new HashMap<>();
    // The entries that a verification found to differ, read when they are first asked for, if they are not too many.
    private final Map<String, Set<Entry>> differing = new HashMap<>();
    private final Set<String> large = new HashSet<>();
    private final int most;
    private int kept;

    /**
     * Reads the transfers.
     *
     * @param now decides which commands have been silent for too long
     */
    KnownTransfers(TupleSpace space, Instant now) {
        this(space, now, MOST_ENTRIES);
    }

    /**
     * Reads the transfers.
     *
     * @param most the number of entries to keep in memory; the space is asked for each other one
     */
    KnownTransfers(TupleSpace space, Instant now, int most) {
        this.space = space;
        this.most = most;
        read();
        if (!silent(now).isEmpty()) {
            Set<String> live;
            try (Stream<LiveCommand> all = space.contents(Template.of(LiveCommand.class))) {
                live = all.map(LiveCommand::transfer).collect(Collectors.toSet());
            }
            // Only now: a command may have ended since the transfers were read.
            read();
            silent(now).stream()
                    .filter(command -> !live.contains(command.transfer()))
                    .forEach(command -> byId.put(command.transfer(), command.lost()));
        }
    }

    private void read() {
        byId.clear();
        verifications.clear();
        try (Stream<TransferTuple> all = space.contents(Template.of(TransferTuple.class))) {
            all.forEach(transfer -> {
                byId.put(transfer.transfer(), transfer);
                if (transfer.verifies() != null) {
                    verifications.computeIfAbsent(transfer.verifies(), copy -> new ArrayList<>()).add(transfer);
                }
            });
        }
    }

    private List<TransferTuple> silent(Instant now) {
        return byId.values().stream().filter(transfer -> transfer.mayBeLost(WorkTuples.nanos(now))).toList();
    }

    /**
     * Returns a tuple as it is to be seen: a transfer that runs for all that its tuple says may have been killed. One
     * that was resumed, or has said something, since the transfers were read runs.
     */
    Record judged(Record tuple) {
        return tuple instanceof TransferTuple transfer
                && find(transfer.transfer()).filter(known -> known.equals(transfer.lost())).isPresent()
                        ? transfer.lost()
                        : tuple;
    }

    Optional<TransferTuple> find(String id) {
        return Optional.ofNullable(byId.get(id));
    }

    /** Returns whether everything that a transfer copied was verified. */
    boolean isVerified(String id) {
        return find(id).filter(transfer -> transfer.checked() && transfer.state() == TransferStatus.State.COMPLETE)
                .isPresent() || ofCopy(id).anyMatch(one -> one.state() == TransferStatus.State.COMPLETE);
    }

    /** Returns whether an entry that a transfer copied was verified. */
    boolean isVerified(String id, ByteString directory, ByteString name) {
        Entry entry = new Entry(directory, name);
        return find(id).filter(TransferTuple::checked).isPresent() || ofCopy(id).anyMatch(
                one -> (one.state() == TransferStatus.State.COMPLETE || one.state() == TransferStatus.State.PARTIAL)
                        && !isDifferent(one.transfer(), entry));
    }

    private Stream<TransferTuple> ofCopy(String id) {
        return verifications.getOrDefault(id, List.of()).stream();
    }

    private boolean isDifferent(String verification, Entry entry) {
        Set<Entry> entries = differing.get(verification);
        if (entries == null && !large.contains(verification)) {
            entries = failures(verification);
        }
        return entries != null
                ? entries.contains(entry)
                : space.count(ofVerification(verification).equal("directory", entry.directory())
                        .equal("name", entry.name())) > 0;
    }

    /** Reads the entries that a verification found to differ; returns null if there are too many. */
    private @Nullable Set<Entry> failures(String verification) {
        Set<Entry> entries = new HashSet<>();
        try (Stream<FailureTuple> all = space.contents(ofVerification(verification))) {
            for (FailureTuple failure : (Iterable<FailureTuple>) all::iterator) {
                entries.add(new Entry(failure.directory(), failure.name()));
                if (kept + entries.size() > most) {
                    large.add(verification);
                    return null;
                }
            }
        }
        kept += entries.size();
        differing.put(verification, entries);
        return entries;
    }

    private static Template<FailureTuple> ofVerification(String verification) {
        return Template.of(FailureTuple.class).equal(WorkColumns.TRANSFER, verification);
    }
}
