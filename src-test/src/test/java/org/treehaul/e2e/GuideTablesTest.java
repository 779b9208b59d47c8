// SPDX-License-Identifier: Apache-2.0
package org.treehaul.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.treehaul.cli.CommandLines;
import org.treehaul.cli.common.ExitCode;
import org.treehaul.cli.config.Configuration;
import picocli.CommandLine;

/** Compares the tables of the guide with the code. */
class GuideTablesTest {

    private static final Pattern NUMBER = Pattern.compile("(?<![\\w.])\\d+(?= [a-z])");
    private static final Pattern READ_VARIABLE = Pattern
            .compile("(?:getenv|[eE]nvironment\\.get\\w*|ExactVariables\\.get)\\([^\"]*\"([A-Z][A-Z_]+)\"");

    private static final Pattern COMMAND = Pattern.compile("`(\\w+)`");
    private static final Pattern OPTION = Pattern.compile("`(--?[\\w-]+)");
    // A vertical bar in a cell is escaped.
    private static final Pattern CELL_END = Pattern.compile("(?<!\\\\)\\|");

    private static final List<String> CODES = Arrays.stream(ExitCode.values())
            .map(code -> String.valueOf(code.code()))
            .toList();

    private static final Map<String, CommandLine> COMMANDS = CommandLines.all()
            .getSubcommands()
            .entrySet()
            .stream()
            .filter(command -> !command.getValue().getCommandSpec().usageMessage().hidden())
            .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue, (a, b) -> a, TreeMap::new));

    private static CommandLine command(String name) {
        return Objects.requireNonNull(COMMANDS.get(name));
    }

    @Test
    void theTableOfCodesIsThatOfTheProgram() throws IOException {
        assertThat(GuidePage.named("exit-codes.md").rows("Exit codes")).map(row -> row.get(0))
                .containsExactlyElementsOf(CODES);
    }

    @Test
    void theCodesOfEachCommandAreThoseOfItsHelp() throws IOException {
        Map<String, Set<String>> page = new TreeMap<>();
        for (List<String> row : GuidePage.named("exit-codes.md").rows("Commands")) {
            Set<String> codes = IntStream.range(0, CODES.size())
                    .filter(i -> !row.get(i + 1).isEmpty())
                    .mapToObj(CODES::get)
                    .collect(Collectors.toCollection(TreeSet::new));
            page.put(row.get(0).replace("`", "").replaceFirst(" .*", ""), codes);
        }
        assertThat(page.keySet()).isEqualTo(COMMANDS.keySet());
        COMMANDS.forEach((name, command) -> {
            Set<String> help = codes(command);
            if (!help.isEmpty()) {
                assertThat(page.get(name)).as(name).isEqualTo(help);
            }
        });
        assertThat(codes(command("cp"))).hasSize(5);
    }

    /** Returns the exit codes in the help of a command. */
    private static Set<String> codes(CommandLine command) {
        String help = command.getUsageMessage().replaceAll("\\s+", " ");
        int at = help.indexOf("Exit codes: ");
        Set<String> codes = new TreeSet<>();
        if (at >= 0) {
            String text = help.substring(at);
            NUMBER.matcher(text).results().map(number -> number.group()).forEach(codes::add);
            if (text.contains("the exit code of cp")) {
                codes.addAll(codes(command("cp")));
            }
        }
        return codes;
    }

    /** The pages with tables of options, and the commands that must have them. */
    private static Map<String, List<String>> pagesWithOptions() {
        Map<String, List<String>> pages = new TreeMap<>();
        List.of("cmp", "cp", "du", "find", "manifest", "mv", "rm", "run", "serve", "stage", "sync")
                .forEach(name -> pages.put(name + ".md", List.of(name)));
        pages.put("async-files.md", List.of("bench"));
        pages.put("chmod.md", List.of("chmod", "chown", "chgrp"));
        pages.put("index-and-query.md", List.of("index", "query", "watch"));
        pages.put("transfers.md", List.of("cp", "resume"));
        pages.put("strategies.md", List.of("plan", "show"));
        List.of("mpj.md", "ranks.md", "walk.md").forEach(page -> pages.put(page, List.copyOf(COMMANDS.keySet())));
        return pages;
    }

    private static Set<String> options(List<String> commands) {
        Set<String> options = new TreeSet<>();
        for (String name : commands) {
            options.addAll(command(name).getCommandSpec().optionsMap().keySet());
            options.addAll(command(name).getCommandSpec().negatedOptionsMap().keySet());
        }
        return options;
    }

    private static List<String> optionsInTables(String page) {
        return page.lines()
                .filter(line -> line.startsWith("| `-"))
                .flatMap(line -> OPTION.matcher(CELL_END.split(line.substring(1), 2)[0]).results())
                .map(option -> option.group(1))
                .toList();
    }

    @Test
    void theOptionsInTheTablesOfAPageExist() throws IOException {
        for (Map.Entry<String, List<String>> page : pagesWithOptions().entrySet()) {
            List<String> named = optionsInTables(GuidePage.named(page.getKey()).text());
            assertThat(named).as(page.getKey()).isNotEmpty();
            assertThat(options(page.getValue())).as(page.getKey()).containsAll(named);
        }
    }

    @Test
    void optionsAreFoundInTheFirstColumnOnly() {
        assertThat(optionsInTables("""
                `--not` in a table
                | `-t SIZE`, `--to[=a\\|b]`, `--no-x` | as `--other` |
                | value | `--neither` |
                """)).containsExactly("-t", "--to", "--no-x");
    }

    @Test
    void theTableOfSettingsIsThatOfTheProgram() throws IOException {
        List<List<String>> rows = GuidePage.named("settings.md").rows("All settings");
        assertThat(rows).map(row -> row.get(0).replace("`", ""))
                .containsExactlyInAnyOrderElementsOf(Configuration.names());
        assertThat(rows).map(row -> row.get(1))
                .isEqualTo(rows.stream()
                        .map(row -> "`" + Configuration.variable(row.get(0).replace("`", "")) + "`")
                        .toList());
    }

    @Test
    void theCommandsOfASettingAreThoseWithItsOption() throws IOException {
        // Settings do not change the options of a transfer that exists.
        Set<String> continuing = Set.of("resume", "verify");
        for (List<String> row : GuidePage.named("settings.md").rows("All settings")) {
            String option = "--" + row.get(0).replace("`", "");
            String users = row.get(2);
            Set<String> named = COMMAND.matcher(users)
                    .results()
                    .map(command -> command.group(1))
                    .filter(COMMANDS::containsKey)
                    .collect(Collectors.toSet());
            Set<String> having = COMMANDS.keySet()
                    .stream()
                    .filter(name -> command(name).getCommandSpec().findOption(option) != null)
                    .filter(name -> !continuing.contains(name))
                    .collect(Collectors.toSet());
            assertThat(having).as(option).containsAll(named);
            if (!users.matches(".*(jobs|all|the same).*")) {
                assertThat(named).as(option).isEqualTo(having);
            }
        }
    }

    @Test
    void everyVariableThatTheProgramReadsIsOnThePage() throws IOException {
        String page = GuidePage.named("settings.md").text();
        List<String> missing = new ArrayList<>();
        Path root = Path.of(System.getProperty("treehaul.root"));
        for (String module : List.of("core", "strategies", "tuplespace", "schedulers", "cli")) {
            try (Stream<Path> files = Files.walk(root.resolve(module).resolve("src/main"))) {
                for (Path file : files.filter(path -> path.toString().endsWith(".java")).toList()) {
                    Matcher variables = READ_VARIABLE.matcher(Files.readString(file));
                    while (variables.find()) {
                        if (!page.contains("`" + variables.group(1) + "`")) {
                            missing.add(variables.group(1) + " in " + file.getFileName());
                        }
                    }
                }
            }
        }
        assertThat(missing).isEmpty();
    }
}
