// SPDX-License-Identifier: Apache-2.0
package org.treehaul.spaces;

import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;

import org.jspecify.annotations.Nullable;
import org.treehaul.programs.Median;
import org.treehaul.spaces.SharedSpaceReport.Part;
import org.treehaul.tuplespace.store.SpaceUri;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * The command: {@code src-test/bench --server}. Measures spaces of a PostgreSQL server and statements of the same
 * meaning, by turns, on the same server.
 */
@Command(
        name = "src-test/bench --server",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = "Measures tuple spaces of a PostgreSQL server beside plain SQL on the same server.")
public final class ServerRace implements Callable<Integer> {
    private static final String SCHEMA = "treehaul_bench_";

    @Option(
            names = "--server",
            required = true,
            paramLabel = "HOST[:PORT]/DATABASE",
            description = "A database in which the role may make schemas; those that begin with treehaul_bench_ are"
                    + " removed.")
    String server = "";

    @Option(names = "--user", description = "The role; the name of the user by default.")
    String user = System.getProperty("user.name");

    @Option(names = "--parts", split = ",", description = "Only these: groups, load, queries.")
    List<String> parts = List.of("groups", "load", "queries");

    @Option(names = "--rounds", description = "How often each takes its turn after the first time; 5 by default.")
    int rounds = 5;

    @Option(names = "--groups", description = "How many groups of 500 tuples in a round; 40 by default.")
    int groups = 40;

    @Option(names = "--loaded", description = "How many entries are loaded; 500000 by default.")
    int loaded = 500_000;

    @Option(names = "--entries", description = "Of how many entries queries are asked; 2000000 by default.")
    int entries = 2_000_000;

    @Option(names = "--on", paramLabel = "DIR", description = "Where the file of SQLite is made; /var/tmp by default.")
    Path on = Path.of("/var/tmp");

    @Option(
            names = "--report",
            paramLabel = "FILE",
            description = "Replace the part about a server in this report, instead of printing it.")
    @Nullable Path report;

    /** The times of our calls and of the others, measured in turns. */
    static final class Times {
        private final List<Double> ours = new ArrayList<>();
        private final List<Double> others = new ArrayList<>();

        void add(double own, double other) {
            ours.add(own);
            others.add(other);
        }

        /** Returns the median of ours. */
        double own() {
            return Median.of(ours);
        }

        /**
         * Returns the median of the ratios of the times.
         *
         * @param isRate whether the numbers are rates instead of times
         */
        double ratio(boolean isRate) {
            return Median.of(ratios(isRate));
        }

        private List<Double> ratios(boolean isRate) {
            List<Double> ratios = new ArrayList<>();
            for (int i = 0; i < ours.size(); i++) {
                double ratio = ours.get(i) / others.get(i);
                ratios.add(isRate ? 1 / ratio : ratio);
            }
            ratios.sort(null);
            return ratios;
        }
    }

    /** Runs the command. */
    public static void main(String[] args) {
        System.exit(new CommandLine(new ServerRace()).execute(args));
    }

    SpaceUri space(String name) {
        return SpaceUri.parse("postgresql://" + user + "@" + server + "?schema=" + SCHEMA + name);
    }

    /** Connects as a program with plain statements does. */
    Connection connect() throws SQLException {
        Connection connection = DriverManager.getConnection("jdbc:postgresql://" + server, user,
                System.getenv().getOrDefault("PGPASSWORD", ""));
        run(connection, "SET search_path TO " + SCHEMA + "plain");
        return connection;
    }

    static void run(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /** Removes the schema of a space or of the plain tables. */
    void drop(String name) throws SQLException {
        try (Connection connection = connect()) {
            run(connection, "DROP SCHEMA IF EXISTS " + SCHEMA + name + " CASCADE");
        }
    }

    /** Returns the seconds that work takes. */
    static double seconds(Callable<?> work) throws Exception {
        long begin = System.nanoTime();
        work.call();
        return (System.nanoTime() - begin) / 1e9;
    }

    @Override
    public Integer call() throws Exception {
        StringBuilder text = new StringBuilder(head());
        ServerGoals goals = new ServerGoals();
        if (parts.contains("groups")) {
            text.append(
                    "\n### Writes and takes\n\nTuples of nine fields in a second, of one thread. A group is one call and one commit.\n\n");
            Map<String, Times> rates = ServerGroups.measure(this);
            table(text, "plain statements", "%,.0f", true, rates);
            goals.groups(rates);
        }
        if (parts.contains("load")) {
            text.append("\n### Load of an index\n\nSeconds for ")
                    .append(String.format(Locale.ROOT, "%,d", loaded))
                    .append(" entries in bulk, with the indexes of the database, on disk.\n\n");
            Map<String, Times> times = ServerQueries.loads(this);
            table(text, "SQLite", "%.2f", false, times);
            goals.loads(times);
        }
        if (parts.contains("queries")) {
            text.append("\n### Queries of an index of ")
                    .append(String.format(Locale.ROOT, "%,d", entries))
                    .append(" entries\n\nMilliseconds of a call of the library, and of one statement with the same answer.\n\n");
            Map<String, Times> times = ServerQueries.queries(this);
            table(text, "plain SQL", "%.2f", false, times);
            goals.queries(times);
        }
        SharedSpaceReport.write(report, Part.SERVER, text.toString(), goals.all());
        return 0;
    }

    private String head() throws SQLException, IOException {
        String version = "";
        try (Connection connection = connect();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(
                        "SELECT current_setting('server_version') || ', fsync ' || current_setting('fsync')"
                                + " || ', shared_buffers ' || current_setting('shared_buffers')")) {
            row.next();
            version = row.getString(1);
        }
        Map<String, String> facts = SharedSpaceReport.facts();
        facts.put("PostgreSQL", version);
        return "    src-test/bench --server ... --rounds " + rounds + " --groups " + groups + " --loaded " + loaded
                + " --entries " + entries
                + "\n\nOurs and the other took turns on the same server; medians of the rounds after a first one that does not count.\n"
                + "They take turns within each round, so the ratios count on a busy machine too, with the ranges that they show; the tuples in a second are lower bounds there.\n"
                + "The measurements are described in [bench.md](../guide/bench.md#tuple-spaces-on-a-server).\n\n"
                + SharedSpaceReport.table(facts);
    }

    private static void table(StringBuilder text, String other, String format, boolean isRate, Map<String, Times> all) {
        text.append("|  | ours | ").append(other).append(" | ratio of the times | least | most |\n");
        text.append("| --- | --- | --- | --- | --- | --- |\n");
        new LinkedHashMap<>(all).forEach((what, times) -> {
            List<Double> ratios = times.ratios(isRate);
            text.append("| ").append(what);
            for (double number : new double[]{Median.of(times.ours), Median.of(times.others)}) {
                text.append(" | ").append(String.format(Locale.ROOT, format, number));
            }
            for (double number : new double[]{Median.of(ratios), ratios.getFirst(), ratios.getLast()}) {
                text.append(" | ").append(String.format(Locale.ROOT, "%.2f", number));
            }
            text.append(" |\n");
        });
        System.err.print(text.substring(text.lastIndexOf("\n### ")));
    }
}
