// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.partition;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

import org.treehaul.tuplespace.partition.Control.Layout;
import org.treehaul.tuplespace.partition.Control.PartitionKey;
import org.treehaul.tuplespace.partition.Control.State;
import org.treehaul.tuplespace.partition.Control.Turn;
import org.treehaul.tuplespace.store.BulkLoad;
import org.treehaul.tuplespace.tuple.TupleType;

/**
 * Fills the first partitions of a new space. The first store gets its name last; if the process dies while the others
 * have theirs, these must be removed before the next attempt.
 */
final class PartitionLoad implements BulkLoad {
    private final List<BulkLoad> loads;
    private final PartitionOptions options;
    private final PartitionMap map;
    private final Map<String, String> keys = new ConcurrentHashMap<>();

    /**
     * Begins.
     *
     * @param loads those of the first partitions, in their order
     */
    PartitionLoad(List<BulkLoad> loads, PartitionOptions options) {
        this.loads = List.copyOf(loads);
        this.options = options;
        map = PartitionMap.ofFirst(loads.size());
    }

    private int partition(Record tuple) {
        TupleType<?> type = TupleType.of(tuple);
        return map.of(Keys.hash(type, keys.computeIfAbsent(type.name(), name -> Keys.wanted(type, options)), tuple));
    }

    @Override
    public void add(Record tuple) {
        loads.get(partition(tuple)).add(tuple);
    }

    @Override
    public void addAll(Collection<? extends Record> tuples) {
        Map<Integer, List<Record>> places = new TreeMap<>();
        tuples.forEach(tuple -> places.computeIfAbsent(partition(tuple), none -> new ArrayList<>()).add(tuple));
        places.forEach((number, some) -> loads.get(number).addAll(some));
    }

    @Override
    public long finish() {
        Layout layout = new Layout(UUID.randomUUID(), map.active());
        loads.getFirst().add(layout);
        keys.forEach((type, key) -> loads.getFirst().add(new PartitionKey(type, key)));
        long count = -1L - keys.size();
        for (int number = loads.size() - 1; number >= 0; number--) {
            BulkLoad load = loads.get(number);
            load.addAll(List.of(new State(layout.space(), number, layout.active()), new Turn(number, 0)));
            count += load.finish() - 2;
        }
        return count;
    }

    @Override
    public void close() {
        RuntimeException failure = null;
        for (BulkLoad load : loads) {
            try {
                load.close();
            } catch (RuntimeException e) {
                failure = failure == null ? e : failure;
            }
        }
        if (failure != null) {
            throw failure;
        }
    }
}
