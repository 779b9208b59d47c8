// SPDX-License-Identifier: Apache-2.0
package org.treehaul.strategies.ranks.profile;

import java.util.Comparator;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.IntStream;

import org.treehaul.core.annotation.Internal;
import org.treehaul.core.fs.Call;
import org.treehaul.core.picture.Svg;
import org.treehaul.strategies.ranks.RankReport;
import org.treehaul.strategies.ranks.RankTimes;

/**
 * The work of all ranks of a group.
 *
 * @param ranks the report of each rank, by its number
 */
public record RankProfile(List<RankReport> ranks) {

    private static final String TIMES = "threads,threads_ns,callback_ns,stat_ns,readdir_ns,data_ns,other_calls_ns,walk_ns,"
            + "waiting_ns";

    /**
     * Sorts and checks the reports.
     *
     * @throws IllegalArgumentException when the report of a rank is missing, or there are two
     */
    public RankProfile {
        ranks = ranks.stream().sorted(Comparator.comparingInt(RankReport::rank)).toList();
        for (int rank = 0; rank < ranks.size(); rank++) {
            RankReport report = ranks.get(rank);
            if (report.rank() != rank || report.traffic().messages().size() != ranks.size()) {
                throw new IllegalArgumentException("reports of " + ranks.size() + " ranks, at " + rank + " that of "
                        + report.rank() + " among " + report.traffic().messages().size());
            }
        }
    }

    /** Returns the profile of walks that the same ranks made one after another. */
    @Internal
    public static RankProfile ofWalks(List<RankReport> reports) {
        Map<Integer, RankReport> byRank = new LinkedHashMap<>();
        reports.forEach(report -> byRank.merge(report.rank(), report, RankReport::then));
        return new RankProfile(List.copyOf(byRank.values()));
    }

    /** Returns the names of the files and their contents; omits files for values that were not measured. */
    public Map<String, String> files() {
        Map<String, String> files = new LinkedHashMap<>();
        files.put("ranks.csv", ranksTable());
        files.put("pairs.csv", pairsTable());
        files.put("messages.svg", HeatMap.draw("Messages between ranks", "Messages", sent(false)).finish());
        files.put("bytes.svg", bytes("Bytes between ranks").finish());
        files.put("shares.svg", Charts.shares(ranks));
        files.put("histogram.svg", histogram("Ranks by their share of the work").finish());
        if (ranks.stream().allMatch(rank -> rank.times().isPresent())) {
            files.put("calls.csv", callsTable());
            files.put("times.svg", Charts.times(ranks));
        }
        return files;
    }

    /** Draws the bytes from each rank to each other (LaFon et al., Fig. 1 and 5). */
    @Internal
    public Svg bytes(String title) {
        return HeatMap.draw(title, "Bytes", sent(true));
    }

    /** Draws how many ranks had a share of which size (LaFon et al., Fig. 6). */
    @Internal
    public Svg histogram(String title) {
        return Charts.histogram(title, ranks);
    }

    private long[][] sent(boolean isBytes) {
        return ranks.stream()
                .map(RankReport::traffic)
                .map(traffic -> isBytes ? traffic.bytes() : traffic.messages())
                .map(row -> row.stream().mapToLong(Long::longValue).toArray())
                .toArray(long[][]::new);
    }

    private String ranksTable() {
        StringBuilder table = new StringBuilder("rank,host,entries,messages_sent,bytes_sent,messages_received,")
                .append("bytes_received,lasted_ns,communication_ns,")
                .append(TIMES)
                .append('\n');
        long[][] messages = sent(false);
        long[][] bytes = sent(true);
        for (RankReport rank : ranks) {
            int to = rank.rank();
            table.append(rank.rank()).append(',').append(rank.host()).append(',').append(rank.entries());
            table.append(',').append(rank.traffic().totalMessages()).append(',').append(rank.traffic().totalBytes());
            table.append(',').append(column(messages, to)).append(',').append(column(bytes, to));
            table.append(',')
                    .append(rank.elapsed().toNanos())
                    .append(',')
                    .append(rank.communication().toNanos())
                    .append(',');
            table.append(rank.times().map(RankProfile::times).orElseGet(() -> TIMES.replaceAll("[^,]", "")));
            table.append('\n');
        }
        return table.toString();
    }

    private static long column(long[][] sent, int to) {
        return IntStream.range(0, sent.length).mapToLong(from -> sent[from][to]).sum();
    }

    private static String times(RankTimes times) {
        return String.format(Locale.ROOT, "%d,%d,%d,%d,%d,%d,%d,%d,%d", times.threads(), times.nanos(),
                times.callback(), times.stat(), times.readdir(), times.data(), times.otherCalls(), times.walk(),
                times.waiting());
    }

    private String pairsTable() {
        StringBuilder table = new StringBuilder("from,to,messages,bytes\n");
        for (RankReport rank : ranks) {
            for (int to = 0; to < ranks.size(); to++) {
                if (rank.traffic().messages().get(to) > 0) {
                    table.append(rank.rank()).append(',').append(to);
                    table.append(',').append(rank.traffic().messages().get(to));
                    table.append(',').append(rank.traffic().bytes().get(to)).append('\n');
                }
            }
        }
        return table.toString();
    }

    private String callsTable() {
        StringBuilder table = new StringBuilder("rank,call,count,ns\n");
        for (RankReport rank : ranks) {
            Map<Call, RankTimes.CallTime> calls = rank.times().orElseThrow().calls();
            for (Call call : EnumSet.allOf(Call.class)) {
                RankTimes.CallTime time = calls.get(call);
                if (time != null) {
                    table.append(rank.rank()).append(',').append(call.name().toLowerCase(Locale.ROOT));
                    table.append(',').append(time.count()).append(',').append(time.nanos()).append('\n');
                }
            }
        }
        return table.toString();
    }
}
