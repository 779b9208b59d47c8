// SPDX-License-Identifier: Apache-2.0
package org.treehaul.spaces;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.apache.commons.io.file.PathUtils;
import org.treehaul.core.condition.FileField;
import org.treehaul.core.condition.FileQuery;
import org.treehaul.core.entry.ByteString;
import org.treehaul.programs.Median;
import org.treehaul.spaces.ServerRace.Times;
import org.treehaul.tuplespace.TupleSpaces;
import org.treehaul.tuplespace.files.FileGroup;
import org.treehaul.tuplespace.files.FileGroups;
import org.treehaul.tuplespace.files.FileIndex;
import org.treehaul.tuplespace.files.FileTuple;
import org.treehaul.tuplespace.store.BulkLoad;
import org.treehaul.tuplespace.store.SpaceUri;

/** Loads an index, and asks it questions, by the library and by SQL. */
final class ServerQueries {
    /** The condition that the guide gives to those who write SQL. */
    private static final String VISIBLE = " \"$writer\" IS NULL AND \"$taker\" IS NULL";

    /** Seconds for which both are asked a short question again and again in a turn. */
    private static final double TURN = 1;
    private static final int MOST_CALLS = 5000;
    /** Seconds of a question that is so short that the time of our code counts. */
    private static final double SHORT = 1e-3;
    /**
     * Calls of a short question that do not count: its path through the library and the driver has several hundred
     * methods, of which the JVM compiles the last after 24,000 to 80,000 calls.
     */
    private static final int WARM_UP = 120_000;
    /** A value with which a head is compared: a parameter of the statement, as programs pass it. */
    private static final Pattern VALUE = Pattern.compile("(substring\\([a-z]+, 1, 600\\) [<>=]+ )'([^']*)'");

    /** A question as conditions of {@code query}, and by the answer that is asked for. */
    private enum Answer {
        ENTRIES,
        COUNT,
        SUM,
        TOP,
        GROUPS
    }

    private record Question(Answer answer, String conditions, FileField field, String sql) {}

    private static final List<Question> QUESTIONS = List.of(new Question(Answer.ENTRIES,
            "path=/scratch/project5/run5/d7/file25.h", FileField.SIZE,
            "SELECT * FROM files WHERE HEAD(directory) = '/scratch/project5/run5/d7' AND HEAD(name) = 'file25.h'"),
            new Question(Answer.ENTRIES, "name=file7.o size>1M", FileField.SIZE,
                    "SELECT * FROM files WHERE name = 'file7.o' AND size > 1048576"),
            new Question(Answer.COUNT, "path^=/scratch/project5/run5/", FileField.SIZE,
                    "SELECT count(*) FROM files WHERE (HEAD(directory) = '/scratch/project5/run5'"
                            + " OR HEAD(directory) >= '/scratch/project5/run5/' AND HEAD(directory) < '/scratch/project5/run50')"),
            new Question(Answer.COUNT, "kind=regular size>1M", FileField.SIZE,
                    "SELECT count(*) FROM files WHERE kind = 'REGULAR' AND size > 1048576"),
            new Question(Answer.COUNT, "name=*.h5", FileField.SIZE,
                    "SELECT count(*) FROM files WHERE name LIKE '%.h5'"),
            new Question(Answer.COUNT, "mtime>@1735689600", FileField.SIZE,
                    "SELECT count(*) FROM files WHERE mtime > 1735689600000000000"),
            new Question(Answer.SUM, "kind=regular", FileField.SIZE,
                    "SELECT sum(size) FROM files WHERE kind = 'REGULAR'"),
            new Question(Answer.TOP, "kind=regular", FileField.SIZE,
                    "SELECT * FROM files WHERE kind = 'REGULAR' ORDER BY size DESC, directory || '/' || name LIMIT 3"),
            new Question(Answer.GROUPS, "", FileField.OWNER,
                    "SELECT owner, count(*), sum(size), sum(blocks) FROM files GROUP BY owner"
                            + " ORDER BY 3 DESC, 2 DESC, 1"),
            new Question(Answer.GROUPS, "size>1G", FileField.DIRECTORY,
                    "SELECT directory, count(*), sum(size), sum(blocks) FROM files WHERE size > 1073741824"
                            + " GROUP BY directory ORDER BY 3 DESC, 2 DESC, 1"));

    private ServerQueries() {}

    /** Loads an index into the server and into a file, by turns. */
    static Map<String, Times> loads(ServerRace race) throws Exception {
        Times times = new Times();
        for (int round = 0; round <= Math.max(2, race.rounds / 2); round++) {
            race.drop("load");
            double server = ServerRace.seconds(() -> load(race.space("load"), race.loaded));
            Path directory = Files.createTempDirectory(race.on, "treehaul-load");
            try {
                double file = ServerRace.seconds(() -> load(SpaceUri.of(directory.resolve("space")), race.loaded));
                if (round > 0) {
                    times.add(server, file);
                }
            } finally {
                PathUtils.deleteDirectory(directory);
            }
        }
        race.drop("load");
        return Map.of("bulk load, synced", times);
    }

    private static long load(SpaceUri space, int entries) {
        try (BulkLoad load = TupleSpaces.bulkLoad(space, FileIndex.SPACE)) {
            SampleIndex.generate(entries, load::add);
            return load.finish();
        }
    }

    static Map<String, Times> queries(ServerRace race) throws Exception {
        race.drop("queries");
        load(race.space("queries"), race.entries);
        Map<String, Times> times = new LinkedHashMap<>();
        try (FileIndex index = FileIndex.open(race.space("queries")); Connection plain = race.connect()) {
            for (Question question : QUESTIONS) {
                String name = question.answer().name().toLowerCase(Locale.ROOT);
                Times turns = new Times();
                Turn turn;
                int asked = 0;
                do {
                    turn = turn(index, plain, question);
                    asked += turn.calls();
                } while (turn.other() < SHORT && asked < WARM_UP);
                for (int round = 0; round < race.rounds; round++) {
                    turn = turn(index, plain, question);
                    turns.add(turn.own() * 1000, turn.other() * 1000);
                }
                times.put("`" + (name + " " + question.conditions()).strip() + "`"
                        + (question.answer() == Answer.GROUPS ? " by " + question.field().label() : ""), turns);
            }
        }
        race.drop("queries");
        return times;
    }

    /** Medians of the seconds that a question takes us and the other. */
    private record Turn(int calls, double own, double other) {}

    /** Asks a question by turns, once at least. */
    private static Turn turn(FileIndex index, Connection plain, Question question) throws Exception {
        List<Double> owns = new ArrayList<>();
        List<Double> others = new ArrayList<>();
        double seconds = 0;
        do {
            List<String> own = new ArrayList<>();
            List<String> other = new ArrayList<>();
            owns.add(ServerRace.seconds(() -> ask(index, question, own)));
            others.add(ServerRace.seconds(() -> ask(plain, question, other)));
            if (!own.equals(other)) {
                throw new IllegalStateException(question + ": " + own + " but " + other);
            }
            seconds += owns.getLast() + others.getLast();
        } while (seconds < TURN && owns.size() < MOST_CALLS);
        return new Turn(owns.size(), Median.of(owns), Median.of(others));
    }

    private static boolean ask(FileIndex index, Question question, List<String> answer) {
        List<ByteString> words = Stream.of(question.conditions().split(" "))
                .filter(word -> !word.isEmpty())
                .map(ByteString::of)
                .toList();
        FileQuery query = FileQuery.parse(words);
        switch (question.answer()) {
            case COUNT -> answer.add(String.valueOf(index.count(query)));
            case SUM -> answer.add(String.valueOf(index.sum(query, question.field())));
            case TOP -> answer.add(count(index.top(query, question.field(), 3)));
            case ENTRIES -> answer.add(count(index.entries(query)));
            case GROUPS -> {
                try (FileGroups groups = index.groupBy(query, question.field());
                        Stream<FileGroup> all = groups.stream()) {
                    all.forEach(group -> answer.add(group.count() + " " + group.size()));
                }
            }
        }
        return true;
    }

    private static String count(Stream<FileTuple> found) {
        try (found) {
            List<FileTuple> all = found.toList();
            return all.size() + " of " + all.stream().mapToLong(FileTuple::size).sum();
        }
    }

    private static boolean ask(Connection plain, Question question, List<String> answer) throws SQLException {
        String table = "treehaul_bench_queries.\"" + FileTuple.class.getName() + "\" WHERE" + VISIBLE + " ";
        String sql = question.sql();
        String where = sql.contains(" WHERE ") ? " files WHERE " : " files";
        sql = sql.replace(where, " " + table + (sql.contains(" WHERE ") ? "AND " : ""))
                .replaceAll("HEAD\\((\\w+)\\)", "substring($1, 1, 600)");
        List<String> values = VALUE.matcher(sql).results().map(value -> value.group(2)).toList();
        try (PreparedStatement statement = plain.prepareStatement(VALUE.matcher(sql).replaceAll("$1?"))) {
            for (int i = 0; i < values.size(); i++) {
                statement.setBytes(i + 1, values.get(i).getBytes(StandardCharsets.UTF_8));
            }
            read(statement, question, answer);
        }
        return true;
    }

    private static void read(PreparedStatement statement, Question question, List<String> answer) throws SQLException {
        try (ResultSet rows = statement.executeQuery()) {
            long count = 0;
            long size = 0;
            while (rows.next()) {
                switch (question.answer()) {
                    case COUNT, SUM -> answer.add(rows.getString(1));
                    case GROUPS -> answer.add(rows.getLong(2) + " " + rows.getLong(3));
                    case TOP, ENTRIES -> {
                        count++;
                        size += rows.getLong("size");
                        // As the library, which makes a tuple of each row.
                        for (int i = 1; i <= rows.getMetaData().getColumnCount(); i++) {
                            rows.getObject(i);
                        }
                    }
                }
            }
            if (question.answer() == Answer.TOP || question.answer() == Answer.ENTRIES) {
                answer.add(count + " of " + size);
            }
        }
    }
}
