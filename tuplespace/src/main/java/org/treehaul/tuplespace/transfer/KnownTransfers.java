// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.transfer;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

import org.treehaul.core.entry.ByteString;
import org.treehaul.core.transfer.TransferStatus;
import org.treehaul.tuplespace.TupleSpace;
import org.treehaul.tuplespace.tuple.Template;

/** The transfers in a space, which are few beside their batches and failures. Not thread-safe. */
final class KnownTransfers {

    private record Entry(ByteString directory, ByteString name) {}

    private final TupleSpace space;
    private final Map<String, TransferTuple> byId = new HashMap<>();
    private final Map<String, List<TransferTuple>> verifications = new HashMap<>();
    // The entries that a verification found to differ, read when they are first asked for.
    private final Map<String, Set<Entry>> differing = new HashMap<>();

    KnownTransfers(TupleSpace space) {
        this.space = space;
        try (Stream<TransferTuple> all = space.contents(Template.of(TransferTuple.class))) {
            all.forEach(transfer -> {
                byId.put(transfer.transfer(), transfer);
                if (transfer.verifies() != null) {
                    verifications.computeIfAbsent(transfer.verifies(), copy -> new ArrayList<>()).add(transfer);
                }
            });
        }
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
                        && !differing.computeIfAbsent(one.transfer(), this::failures).contains(entry));
    }

    private Stream<TransferTuple> ofCopy(String id) {
        return verifications.getOrDefault(id, List.of()).stream();
    }

    private Set<Entry> failures(String verification) {
        Set<Entry> entries = new HashSet<>();
        try (Stream<FailureTuple> all = space
                .contents(Template.of(FailureTuple.class).equal(WorkColumns.TRANSFER, verification))) {
            all.forEach(failure -> entries.add(new Entry(failure.directory(), failure.name())));
        }
        return entries;
    }
}
