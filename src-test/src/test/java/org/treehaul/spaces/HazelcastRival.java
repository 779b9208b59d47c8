// SPDX-License-Identifier: Apache-2.0
package org.treehaul.spaces;

import com.hazelcast.config.Config;
import com.hazelcast.config.IndexConfig;
import com.hazelcast.config.IndexType;
import com.hazelcast.config.JoinConfig;
import com.hazelcast.core.Hazelcast;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.map.IMap;
import com.hazelcast.query.Predicate;
import com.hazelcast.query.Predicates;
import org.treehaul.spaces.Items.Item;

/**
 * Hazelcast alone in its process: it has no tuple space, but its map is similar to one. A tuple is found by predicates
 * and taken by its key; the search is repeated if another thread took the tuple first.
 */
final class HazelcastRival implements Rival {
    private final HazelcastInstance instance;
    private final IMap<Integer, Item> map;

    HazelcastRival() {
        Config config = new Config();
        config.setProperty("hazelcast.phone.home.enabled", "false");
        config.setProperty("hazelcast.logging.type", "none");
        config.getNetworkConfig().getInterfaces().setEnabled(true).addInterface("127.0.0.1");
        JoinConfig join = config.getNetworkConfig().getJoin();
        join.getAutoDetectionConfig().setEnabled(false);
        join.getMulticastConfig().setEnabled(false);
        config.getMapConfig("items")
                .addIndexConfig(new IndexConfig(IndexType.HASH, "owner"))
                .addIndexConfig(new IndexConfig(IndexType.HASH, "state"));
        instance = Hazelcast.newHazelcastInstance(config);
        map = instance.getMap("items");
    }

    @Override
    public void write(int number) {
        map.set(number, Item.of(number));
    }

    @Override
    public boolean read(int number) {
        return map.get(number) != null;
    }

    private boolean isAny(Predicate<Integer, Item> predicate) {
        // By their keys, as a page has to be sorted; then the tuple itself, as the others give it.
        for (Integer number : map.keySet(Predicates.pagingPredicate(predicate, 1))) {
            if (map.get(number) != null) {
                return true;
            }
        }
        return false;
    }

    @Override
    public boolean readAny(String owner, String kind) {
        return isAny(Predicates.and(Predicates.equal("owner", owner), Predicates.equal("kind", kind)));
    }

    @Override
    public boolean take(int number) {
        return map.remove(number) != null;
    }

    @Override
    public boolean takeAny(String state) {
        while (true) {
            var some = map.keySet(Predicates.pagingPredicate(Predicates.equal("state", state), 1));
            if (some.isEmpty()) {
                return false;
            }
            for (Integer number : some) {
                if (map.remove(number) != null) {
                    return true;
                }
            }
        }
    }

    @Override
    public boolean scan(long size) {
        return isAny(Predicates.equal("size", size));
    }

    @Override
    public void close() {
        instance.shutdown();
    }
}
