// SPDX-License-Identifier: Apache-2.0
package org.treehaul.spaces;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

import org.treehaul.spaces.Items.Item;
import org.treehaul.spaces.ServerRace.Times;
import org.treehaul.tuplespace.Lease;
import org.treehaul.tuplespace.TupleSpace;
import org.treehaul.tuplespace.TupleSpaces;

/** Writes and takes tuples, by the space and by plain prepared statements. */
final class ServerGroups implements AutoCloseable {
    private static final int GROUP = 500;
    /** Writes and takes one by one in a round, for each group. */
    private static final int SINGLE = 10;
    private static final String INSERT = "INSERT INTO items(number, owner, kind, state, path, size, mtime, mode, inode)"
            + " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)";
    // With IN (SELECT ...), the server may run the inner query several times, and take more than its limit.
    private static final String TAKE = "DELETE FROM items WHERE id = ANY(ARRAY(SELECT id FROM items%s LIMIT %d"
            + " FOR UPDATE SKIP LOCKED)) RETURNING *";

    private final Connection plain;
    private final TupleSpace space;
    private final PreparedStatement insert;
    private final PreparedStatement take;
    private final PreparedStatement takeOne;

    private ServerGroups(Connection plain, TupleSpace space) throws SQLException {
        this.plain = plain;
        this.space = space;
        insert = plain.prepareStatement(INSERT);
        take = plain.prepareStatement(String.format(TAKE, "", GROUP));
        takeOne = plain.prepareStatement(String.format(TAKE, " WHERE state = ?", 1));
    }

    static Map<String, Times> measure(ServerRace race) throws Exception {
        race.drop("plain");
        race.drop("groups");
        Map<String, Times> times = new LinkedHashMap<>();
        try (Connection plain = race.connect()) {
            ServerRace.run(plain, "CREATE SCHEMA treehaul_bench_plain");
            ServerRace.run(plain,
                    "CREATE TABLE items(id bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY, number bigint,"
                            + " owner text, kind text, state text, path text, size bigint, mtime bigint, mode bigint, inode bigint)");
            for (String column : List.of("number", "owner, kind", "state")) {
                ServerRace.run(plain, "CREATE INDEX ON items(" + column + ")");
            }
            plain.setAutoCommit(false);
            try (ServerGroups groups = new ServerGroups(plain,
                    TupleSpaces.open(race.space("groups"), TreehaulRival.OPTIONS))) {
                for (int round = 0; round <= race.rounds; round++) {
                    double[] seconds = groups.round(race.groups);
                    String[] names = {"durable write of 500 in one call", "durable take of 500 in one call",
                            "durable write", "durable take"};
                    for (int i = 0; i < names.length && round > 0; i++) {
                        double tuples = race.groups * (i < 2 ? GROUP : SINGLE);
                        times.computeIfAbsent(names[i], name -> new Times())
                                .add(tuples / seconds[2 * i], tuples / seconds[2 * i + 1]);
                    }
                }
            }
        }
        race.drop("plain");
        race.drop("groups");
        return times;
    }

    private double[] round(int groups) throws Exception {
        List<Item> group = IntStream.range(0, GROUP).mapToObj(Item::of).toList();
        double[] seconds = new double[8];
        for (int i = 0; i < groups; i++) {
            seconds[0] += ServerRace.seconds(() -> space.writeAll(group, Lease.FOREVER));
            seconds[1] += ServerRace.seconds(() -> insert(group));
            seconds[2] += ServerRace.seconds(() -> expect(space.takeAll(TreehaulRival.ITEMS, GROUP).size(), GROUP));
            seconds[3] += ServerRace.seconds(() -> expect(take(take), GROUP));
            for (int j = 0; j < SINGLE; j++) {
                Item item = group.get(2 * j);
                seconds[4] += ServerRace.seconds(() -> space.write(item));
                seconds[5] += ServerRace.seconds(() -> insert(List.of(item)));
            }
            for (int j = 0; j < SINGLE; j++) {
                seconds[6] += ServerRace
                        .seconds(() -> space.take(TreehaulRival.ITEMS.equal("state", Items.NEW), Duration.ZERO)
                                .tuple()
                                .orElseThrow());
                takeOne.setString(1, Items.NEW);
                seconds[7] += ServerRace.seconds(() -> expect(take(takeOne), 1));
            }
        }
        return seconds;
    }

    private static boolean expect(int found, int expected) {
        if (found != expected) {
            throw new IllegalStateException("took " + found + " tuples instead of " + expected);
        }
        return true;
    }

    private boolean insert(List<Item> items) throws SQLException {
        for (Item item : items) {
            insert.setLong(1, item.number());
            insert.setString(2, item.owner());
            insert.setString(3, item.kind());
            insert.setString(4, item.state());
            insert.setString(5, item.path());
            insert.setLong(6, item.size());
            insert.setLong(7, item.mtime());
            insert.setLong(8, item.mode());
            insert.setLong(9, item.inode());
            insert.addBatch();
        }
        insert.executeBatch();
        plain.commit();
        return true;
    }

    private int take(PreparedStatement statement) throws SQLException {
        int found = 0;
        try (ResultSet rows = statement.executeQuery()) {
            while (rows.next()) {
                Item item = new Item(rows.getInt("number"), rows.getString("owner"), rows.getString("kind"),
                        rows.getString("state"), rows.getString("path"), rows.getLong("size"), rows.getLong("mtime"),
                        rows.getInt("mode"), rows.getLong("inode"));
                found += item.number() >= 0 ? 1 : 0;
            }
        }
        plain.commit();
        return found;
    }

    @Override
    public void close() throws SQLException {
        space.close();
        insert.close();
        take.close();
        takeOne.close();
    }
}
