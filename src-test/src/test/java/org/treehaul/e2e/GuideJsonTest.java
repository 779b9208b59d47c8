// SPDX-License-Identifier: Apache-2.0
package org.treehaul.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.treehaul.core.testing.TestDirectory;

/** Runs commands with {@code --json} and compares the types and fields of their output with the guide. */
class GuideJsonTest {

    /** The commands to run, by the headings of the page. */
    private static final Map<String, String> COMMANDS = new LinkedHashMap<>();
    static {
        COMMANDS.put("walk, find", "$T walk --json a; $T find --json a kind=regular,symlink");
        COMMANDS.put("walk --summary", "$T walk --json --summary a");
        COMMANDS.put("du", "$T du --json -c a; $T du --json --by owner a");
        COMMANDS.put("plan, show", "$T plan -a --json -o p a planned; $T show --json --entries p");
        COMMANDS.put("cp, mv, rm, chmod, run",
                "cp -a a moved; $T mv -v --json moved moved2; $T cp -aTv --json a b; $T cp -aT --json nosuch c;"
                        + " $T cp -aT --json --scheduler local --jobs 1 --wait a c; $T rm -rv --json b/log; $T chmod -Rv --json go= b;"
                        + " $T run -v --json a -- true; $T run --dry-run --json a -- true");
        COMMANDS.put("status", "$T status --json; $T status --json last");
        COMMANDS.put("status --pool",
                "$T worker --pool pool --idle 0 --bound $PWD/x=3;"
                        + " $T cp -aT --state-dir elsewhere --scheduler pool --max-running 2 --space pool a pooled;"
                        + " $T status --json --pool pool");
        COMMANDS.put("cmp", "printf X | dd of=b/f conv=notrunc status=none;" + " $T cmp --json --content --repair a b");
        COMMANDS.put("manifest --check", "$T manifest -o m a; echo 5 > a/g; $T manifest --json --check m a");
        COMMANDS.put("errors", "rm c/f; $T verify --json --wait last > verified; $T errors --json last");
        COMMANDS.put("index",
                "$T index -q --space w --where size=1 a; $T index --json --space w --info; $T index --json --space s a; $T index --json --space s --info;"
                        + " $T index --json --space s --forget a; $T index --json --space s a");
        COMMANDS.put("query, watch", "$T query --json --space s; $T query --json --space s --count;"
                + " $T query --json --space s --sum size; $T query --json --space s --group-by owner");
        COMMANDS.put("query --transfers, --batches, --attempts, --failures",
                "$T index -q --space t a; mkdir -p d/f/x; $T cp -aT --scheduler local --jobs 1 --wait a d; $T publish --space t;"
                        + " $T query --json --space t --transfers; $T query --json --space t --batches;"
                        + " $T query --json --space t --attempts; $T query --json --space t --failures;"
                        + " $T query --json --space t --failures --count; $T query --json --space t --batches --group-by state");
        COMMANDS.put("publish", "$T publish --json --space t");
        COMMANDS.put("space check", "$T space check --json s");
        COMMANDS.put("space create, split, status",
                "$T space create --json --first 1 partitions:list p0 p1; mv p1 p2; $T space status --json partitions:list");
        COMMANDS.put("stage",
                "mkdir disk disk2; $T stage in --space stages --directories disk,disk2 --copies 2 a job:;"
                        + " $T stage ls --json --space stages job:;"
                        + " rm $(ls disk/job.stage/*.0 | head -1); $T stage check --json --space stages job:;"
                        + " $T stage repair --json --space stages job:; $T stage servers --json --space stages job:;"
                        + " for d in d1 d2; do $T stage drain --lost --force --json --space stages job: $d; done");
        COMMANDS.put("simulate", "$T simulate --json --entries 1000 --ranks 2");
        COMMANDS.put("bench", "$T bench io write --json --files 1 --blocks 2 --block-bytes 1K --repeats 1 .");
    }

    /** Types that need a signal, damage, a loss, other processes or a slow copy. */
    private static final Set<String> NOT_MADE = Set.of("begun", "damage", "gone", "loss", "new", "worker");
    private static final Set<String> NUMBERS_BY_NAME = Set.of("differences", "jobs", "kinds");

    private static final Pattern TYPES = Pattern.compile("`\\w+`");
    private static final Pattern FIELD = Pattern.compile("`([\\w.]+)`(\\??)");
    private static final Pattern REMARK = Pattern.compile("\\([^)]*\\)");

    private final TestDirectory directory = TestDirectory.make();
    private final Cli cli = Cli.withJobs(directory.path());

    @AfterEach
    void delete() {
        directory.close();
    }

    /** The fields that a line of a type must and may have. */
    private record Fields(Set<String> required, Set<String> optional) {}

    @Test
    void commandsWriteTheFieldsOfThePage() throws Exception {
        GuidePage page = GuidePage.named("json.md");
        Map<String, Fields> common = types(page, "All commands");
        cli.sh("mkdir -p a/log && echo 1 > a/f && echo 2 > a/g && ln -s f a/link && echo 3 > a/log/run").expect(0);
        Set<String> problems = new TreeSet<>();
        for (Map.Entry<String, String> each : COMMANDS.entrySet()) {
            Map<String, Fields> documented = types(page, each.getKey());
            Map<String, Set<String>> found = fields(
                    cli.warmly("export HOME=$PWD\n" + each.getValue().replace("; ", "\n")).out());
            found.forEach((type, names) -> {
                Fields fields = documented.getOrDefault(type, common.get(type));
                String where = each.getKey() + ": " + type;
                if (fields == null) {
                    problems.add(where + " is not on the page");
                    return;
                }
                names.stream()
                        .filter(name -> !fields.required().contains(name) && !fields.optional().contains(name))
                        .forEach(name -> problems.add(where + "." + name + " is not on the page"));
                fields.required()
                        .stream()
                        .filter(name -> !names.contains(name))
                        .forEach(name -> problems.add(where + "." + name + " is on the page only"));
            });
            documented.keySet()
                    .stream()
                    .filter(type -> !found.containsKey(type) && !NOT_MADE.contains(type))
                    .forEach(type -> problems.add(each.getKey() + ": " + type + " is on the page only"));
        }
        assertThat(problems).isEmpty();
    }

    @Test
    void fieldsOfThePageAreThoseOfItsTables() {
        GuidePage page = new GuidePage("""
                ## one
                | type | fields |
                |---|---|
                | `a` (with `-v`), `b` | `x`, `y.z`? (`rm`) |

                Also `y.more`.
                """);
        assertThat(types(page, "one")).containsOnlyKeys("a", "b")
                .containsEntry("b", new Fields(Set.of("x"), Set.of("y.z", "y.more")));
    }

    @Test
    void fieldsOfLinesAreFoundWithTheirPlaces() throws Exception {
        assertThat(fields("""
                20261125-014540-jobb
                {"v":1,"type":"a","x":1,"list":[{"y":2},{"z":{"deep":3}}],"jobs":{"running":2}}
                {"v":1,"type":"a","names":["n"]}
                """)).containsExactly(Map.entry("a", Set.of("x", "list.y", "list.z.deep", "jobs", "names")));
    }

    private static Map<String, Fields> types(GuidePage page, String heading) {
        Map<String, Fields> types = new TreeMap<>();
        // Fields of lists may be described below the table.
        Set<String> below = FIELD.matcher(page.below(heading))
                .results()
                .map(match -> match.group(1))
                .filter(name -> name.contains("."))
                .collect(Collectors.toSet());
        for (List<String> row : page.rows(heading)) {
            Matcher fields = FIELD.matcher(REMARK.matcher(row.get(1)).replaceAll(""));
            Set<String> required = new TreeSet<>();
            Set<String> optional = new TreeSet<>(below);
            fields.results().forEach(field -> (field.group(2).isEmpty() ? required : optional).add(field.group(1)));
            optional.removeAll(required);
            TYPES.matcher(REMARK.matcher(row.get(0)).replaceAll(""))
                    .results()
                    .map(MatchResult::group)
                    .forEach(type -> types.put(type.replace("`", ""), new Fields(required, optional)));
        }
        return types;
    }

    /** Returns the fields of the lines of each type, with those of objects in them as {@code outer.inner}. */
    private static Map<String, Set<String>> fields(String output) throws IOException {
        Map<String, Set<String>> types = new TreeMap<>();
        for (String line : output.lines().filter(each -> each.startsWith("{")).toList()) {
            Set<String> names = new TreeSet<>();
            String type = "";
            Deque<String> outer = new ArrayDeque<>();
            try (JsonParser parser = new JsonFactory().createParser(line)) {
                for (JsonToken token = parser.nextToken(); token != null; token = parser.nextToken()) {
                    String place = outer.stream().filter(name -> !name.isEmpty()).collect(Collectors.joining("."));
                    if (token.isStructStart()) {
                        outer.addLast(Objects
                                .requireNonNullElse(parser.getParsingContext().getParent().getCurrentName(), ""));
                    } else if (token.isStructEnd()) {
                        outer.removeLast();
                    } else if (token.isScalarValue()) {
                        String name = Objects.requireNonNullElse(parser.currentName(), "");
                        String first = place.isEmpty() ? name : place.replaceFirst("\\..*", "");
                        names.add(NUMBERS_BY_NAME.contains(first)
                                ? first
                                : place.isEmpty() ? name : name.isEmpty() ? place : place + "." + name);
                        type = place.isEmpty() && name.equals("type") ? parser.getText() : type;
                    }
                }
            }
            names.removeAll(Set.of("v", "type"));
            types.computeIfAbsent(type, key -> new TreeSet<>()).addAll(names);
        }
        return types;
    }
}
