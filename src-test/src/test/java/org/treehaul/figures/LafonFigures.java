// SPDX-License-Identifier: Apache-2.0
package org.treehaul.figures;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.DoubleFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.treehaul.core.picture.Svg;
import org.treehaul.figures.Drawing.Beside;
import org.treehaul.strategies.ranks.communicator.Communicator;
import org.treehaul.strategies.ranks.simulation.Costs;
import org.treehaul.strategies.ranks.simulation.SimulatedNetwork;

/** Figures 1, 2, 5 and 6 of LaFon, Misra, Bringham; the others are in {@link LafonCharts}. */
final class LafonFigures {

    static final int HEAT_RANKS = 30;
    private static final int BALANCE_PROCESSES = 20;
    private static final int ENTRY_BYTES = 250;
    /** The cell of a number that the paper does not print. */
    static final String NOT_PRINTED = "not printed";

    /**
     * A part of a figure.
     *
     * @param letter its letter
     * @param title its content
     * @param from the number of its first panel
     * @param to the number of the panel after its last
     * @param distributions the distributions of its rows; all if empty
     * @param beside the numbers of the statements about it
     */
    private record Part(String letter, String title, int from, int to, List<String> distributions,
            List<Integer> beside) {}

    private LafonFigures() {}

    /** Returns all six figures, each followed by its parts. */
    static List<Figure> all() {
        return Stream.of(
                figure(1, "Centralized Parallel Tree Walk: Communication Cost",
                        "from,to,here_messages,here_bytes,paper_bytes", LafonFigures::communicationCost),
                figure(2,
                        "Co-located processes have lower communication cost in comparison with non co-located processes",
                        "from,to,hosts,bytes,here_nanoseconds,paper_edge", scale -> coLocated()),
                figure(3, "Running Time Illustrations",
                        "distribution,processes,here_seconds,here_status_seconds,here_listing_seconds,"
                                + "here_communication_seconds,here_waiting_seconds,paper",
                        LafonCharts::runningTime, new Part("a", "Running time", 0, 1, List.of(), List.of(0, 1, 2)),
                        new Part("b", "Profile of H-DRQS", 1, 2, List.of("H-DRQS"), List.of(3, 4))),
                figure(4, "Messages and Bytes Transferred Statistics",
                        "entries,distribution,here_messages,here_bytes,here_messages_of_CP,here_bytes_of_CP,"
                                + "paper_messages_of_CP,paper_bytes_of_CP",
                        LafonCharts::transferred, new Part("a", "Messages", 0, 1, List.of(), List.of(0, 1, 2, 3)),
                        new Part("b", "Bytes", 1, 2, List.of(), List.of(0, 1, 2, 3))),
                figure(5, "Heat Maps Showing Message Exchanges",
                        "distribution,from,to,here_messages,here_bytes,paper_bytes_of_CP", LafonFigures::heatMaps,
                        new Part("a", "CP", 0, 1, List.of("CP"), List.of(0)),
                        new Part("b", "DRQS", 1, 2, List.of("DRQS"), List.of(1)),
                        new Part("c", "PA-DRQS", 2, 3, List.of("PA-DRQS"), List.of(2)),
                        new Part("d", "H-DRQS", 3, 4, List.of("H-DRQS"), List.of(3))),
                figure(6,
                        "Load Balancing: H-DRQS and PA-DRQS perform much better load-balancing than standard DRQS/DEQS.",
                        "distribution,rank,threads,here_entries,here_percent,here_of_equal,paper",
                        LafonFigures::loadBalancing,
                        new Part("a", "Span of the work", 0, 1, List.of(), List.of(0, 1, 2, 3)),
                        new Part("b", "DRQS", 1, 2, List.of("DRQS"), List.of(0)),
                        new Part("c", "DEQS", 2, 3, List.of("DEQS"), List.of(1)),
                        new Part("d", "PA-DRQS and H-DRQS", 3, 5, List.of("PA-DRQS", "H-DRQS"), List.of(2, 3))))
                .flatMap(List::stream)
                .toList();
    }

    private static List<Figure> figure(int number, String caption, String columns, DoubleFunction<Drawing> drawing,
            Part... parts) {
        String name = "lafon-" + number;
        String printed = "LaFon et al., Fig. " + number + ". " + caption;
        Figure.Maker maker = results -> results.once(name, () -> drawing.apply(results.scale())
                .assuming(text("Scale %s of the paper's numbers of entries, seed 1; the same picture on every machine.",
                        results.scale())));
        List<Figure> all = new ArrayList<>(List.of(Figure.of(name, printed, columns, Figure.Kind.COMPUTED, maker)));
        for (Part part : parts) {
            all.add(Figure.of(name + part.letter, printed + " (" + part.letter + ") " + part.title, columns,
                    Figure.Kind.COMPUTED,
                    results -> maker.draw(results)
                            .part(part.from, part.to,
                                    row -> part.distributions.isEmpty() || part.distributions.contains(row.getFirst()),
                                    part.beside)));
        }
        return all;
    }

    private static Drawing communicationCost(double scale) {
        LafonRun run = LafonRun.CENTRALIZED.run(LafonRun.SMALL * scale, HEAT_RANKS);
        long[] largest = {0, 0, 0};
        long slaveMessages = 0;
        long slaveBytes = 0;
        List<List<String>> rows = pairs(run);
        for (List<String> row : rows) {
            long bytes = Long.parseLong(row.get(3));
            if (bytes > largest[2]) {
                largest = new long[]{Long.parseLong(row.get(0)), Long.parseLong(row.get(1)), bytes};
            }
            if (!row.get(0).equals("0") && !row.get(1).equals("0")) {
                slaveMessages += Long.parseLong(row.get(2));
                slaveBytes += bytes;
            }
        }
        List<List<String>> shown = rows.stream().map(row -> {
            boolean isSlaves = !row.get(0).equals("0") && !row.get(1).equals("0");
            boolean isExample = row.get(0).equals("1") && row.get(1).equals("0");
            return with(row, isSlaves ? "0" : isExample ? "up to 1.6e9" : NOT_PRINTED);
        }).toList();
        return new Drawing(shown, List.of(run.profile().bytes("Bytes, CP, " + HEAT_RANKS + " ranks")), 1,
                List.of(new Beside(
                        "red, the most between two ranks: 1.6e9 bytes; its example is the square (1,0), from rank 1 to the master",
                        text("%,d bytes from rank %d to rank %d", largest[2], largest[0], largest[1])),
                        new Beside("communication strictly between the master and slaves, never between two slaves",
                                text("%,d messages, %,d bytes between slaves, to part when all is done", slaveMessages,
                                        slaveBytes))),
                LafonRun.assumptions(List.of(run), "Rank 1 alone lists directories (II.B).", ENTRY_BYTES
                        + " bytes for each entry in a message: chosen, as with 6.5 million entries they make the 1.6 GB."));
    }

    /** Returns a row with a further cell. */
    static List<String> with(List<String> row, String cell) {
        return Stream.concat(row.stream(), Stream.of(cell)).toList();
    }

    private static List<List<String>> pairs(LafonRun run) {
        return run.profile()
                .files()
                .getOrDefault("pairs.csv", "")
                .lines()
                .skip(1)
                .map(line -> List.of(line.split(",", -1)))
                .toList();
    }

    private static Drawing coLocated() {
        int each = 4;
        List<Integer> hosts = IntStream.range(0, 2 * each).map(rank -> rank / each).boxed().toList();
        List<List<String>> rows = new ArrayList<>();
        Svg panel = new Svg(760, 360, "Two hosts of four ranks; the wider a line, the longer a message of "
                + ENTRY_BYTES + " bytes is on its way");
        panel.rectangle(60, 50, 220, 290, "#eef3f8", "host 0");
        panel.rectangle(480, 50, 220, 290, "#eef3f8", "host 1");
        long[] nanos = new long[2];
        for (int from = 0; from < hosts.size(); from++) {
            for (int to = from + 1; to < hosts.size(); to++) {
                boolean isLocal = hosts.get(from).equals(hosts.get(to));
                long took = nanos(hosts, from, to);
                nanos[isLocal ? 0 : 1] = took;
                rows.add(List.of(text("%d", from), text("%d", to), isLocal ? "same" : "different",
                        text("%d", ENTRY_BYTES), text("%d", took), isLocal ? "thinner" : "thicker"));
                panel.line(x(from, each), y(from, each), x(to, each), y(to, each), isLocal ? "#67a9cf" : "#2166ac",
                        took / 1000.0);
            }
        }
        for (int rank = 0; rank < hosts.size(); rank++) {
            panel.rectangle(x(rank, each) - 14, y(rank, each) - 12, 28, 24, "#ffffff", "rank " + rank);
            panel.text(x(rank, each), y(rank, each) + 4, Svg.Anchor.middle, text("%d", rank));
        }
        return new Drawing(rows, List.of(panel), 1,
                List.of(new Beside("thicker edges represent a higher cost of communication; no numbers",
                        text("%.3f µs within a host, %.3f µs between hosts, besides %.0f µs at each end",
                                nanos[0] / 1e3, nanos[1] / 1e3, Costs.defaults().overhead() / 1e3))),
                List.of("The costs of the simulation: 1 µs and 0.1 ns for each byte within a host, 5 µs and 0.5 ns between hosts. Chosen, not measured."));
    }

    private static long nanos(List<Integer> hosts, int from, int to) {
        SimulatedNetwork network = SimulatedNetwork.of(hosts, Costs.defaults());
        List<Communicator> ranks = network.communicators();
        ranks.get(from).send(to, new byte[ENTRY_BYTES]);
        if (ranks.get(to).poll(Duration.ofSeconds(1)).isEmpty()) {
            throw new IllegalStateException("no message from rank " + from + " to rank " + to);
        }
        return network.nanos();
    }

    private static double x(int rank, int each) {
        return (rank < each ? 120 : 540) + rank % 2 * 100;
    }

    private static double y(int rank, int each) {
        return 110 + rank % each / 2 * 160 + rank % 2 * 30;
    }

    private static Drawing heatMaps(double scale) {
        List<LafonRun.Algorithm> shown = List.of(LafonRun.CENTRALIZED, LafonRun.RANDOM, LafonRun.PROXIMITY,
                LafonRun.HYBRID);
        List<LafonRun> runs = shown.stream().map(one -> one.run(LafonRun.SMALL * scale, HEAT_RANKS)).toList();
        List<List<String>> rows = new ArrayList<>();
        for (LafonRun run : runs) {
            String paper = switch (run.name()) {
                case "CP" -> "1";
                case "DRQS" -> "1/10";
                case "H-DRQS" -> "almost 1/100";
                default -> NOT_PRINTED;
            };
            pairs(run).forEach(
                    row -> rows.add(List.of(run.name(), row.get(0), row.get(1), row.get(2), row.get(3), paper)));
        }
        double central = runs.get(0).prediction().bytes();
        return new Drawing(rows, runs.stream().map(run -> run.profile().bytes("Bytes, " + run.name())).toList(), 0.7,
                List.of(new Beside("CP: no number for this figure", less(central, runs.get(0))),
                        new Beside("bytes of DRQS: an order of magnitude better than CP", less(central, runs.get(1))),
                        new Beside("PA-DRQS: no number for this figure", less(central, runs.get(2))),
                        new Beside("bytes of H-DRQS: the best result, almost two orders of magnitude better than CP",
                                less(central, runs.get(3)))),
                LafonRun.assumptions(runs, "CP: rank 1 alone lists directories (II.B).",
                        HEAT_RANKS + " processes, 2 on a host; H-DRQS has a rank of 2 threads on each.",
                        "The paper gives its heat maps no letters; those here follow its order of algorithms."));
    }

    private static String less(double central, LafonRun run) {
        return text("%s: %,d bytes, 1/%.0f of CP", run.name(), run.prediction().bytes(),
                central / run.prediction().bytes());
    }

    private static Drawing loadBalancing(double scale) {
        List<LafonRun> runs = LafonRun.WITHOUT_MASTER.stream()
                .map(one -> one.run(LafonRun.LARGE * scale, BALANCE_PROCESSES))
                .toList();
        List<List<String>> rows = new ArrayList<>();
        List<Svg> panels = new ArrayList<>();
        panels.add(LafonCharts.spans(runs));
        List<Beside> beside = new ArrayList<>();
        for (LafonRun run : runs) {
            String paper = switch (run.name()) {
                case "DRQS" -> "DRQS: one process performs a disproportionate amount of the work";
                case "H-DRQS" -> "H-DRQS: a much smaller span than DRQS";
                case "PA-DRQS" -> "PA-DRQS: improved work distribution by fewer non-fruitful requests";
                default -> run.name() + ": worse balanced than H-DRQS and PA-DRQS";
            };
            List<Long> shares = run.prediction().shares();
            for (int rank = 0; rank < shares.size(); rank++) {
                double part = (double) shares.get(rank) / run.entries();
                rows.add(List.of(run.name(), text("%d", rank), text("%d", run.prediction().threads()),
                        text("%d", shares.get(rank)), text("%.4f", 100 * part), text("%.4f", part * shares.size()),
                        paper));
            }
            panels.add(run.profile().histogram(run.name() + ": ranks by their share of the work"));
            beside.add(new Beside(paper, text("%.3f to %.3f of an equal share", run.prediction().smallestShare(),
                    run.prediction().largestShare())));
        }
        return new Drawing(rows, panels, 0.65, beside, LafonRun.assumptions(runs, BALANCE_PROCESSES
                + " processes, 2 on a host; H-DRQS has a rank of 2 threads on each, so that an equal share is 10 %, else 5 %.",
                "The paper names four subfigures and describes (b) and (d) twice: here (d) has both algorithms."));
    }

    // The annotation that the check asks for belongs to Error Prone, which is not on the class path.
    @SuppressWarnings("AnnotateFormatMethod")
    static String text(String format, Object... arguments) {
        return String.format(Locale.ROOT, format, arguments);
    }
}
