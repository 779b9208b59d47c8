// SPDX-License-Identifier: Apache-2.0
package org.treehaul.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.junit.jupiter.api.Test;
import org.treehaul.cli.CommandLines;
import picocli.CommandLine;

/** The commands and options that the guide names as equivalents of those of other programs exist. */
class OtherToolsTest {

    private static final Pattern CODE = Pattern.compile("`([^`]+)`");
    private static final Pattern LETTERS = Pattern.compile("-\\w{2,}");
    private static final Set<String> PROGRAMS = Set.of("rsync", "mpiFileUtils", "fpart and fpsync", "find",
            "xargs and GNU parallel", "lfs", "rclone");

    /**
     * Returns the commands and options in the second columns of a page that do not exist.
     *
     * @param named receives the commands that exist, once for each place
     */
    private static List<String> missing(GuidePage page, Map<String, CommandLine> commands, List<String> named) {
        List<String> missing = new ArrayList<>();
        for (String program : PROGRAMS) {
            for (List<String> row : page.rows(program)) {
                Matcher codes = CODE.matcher(row.get(1));
                while (codes.find()) {
                    String[] words = codes.group(1).split(" ");
                    CommandLine command = commands.get(words[0]);
                    if (command == null) {
                        missing.add(words[0]);
                    } else {
                        named.add(words[0]);
                        missing.addAll(missing(command, words));
                    }
                }
            }
        }
        return missing;
    }

    private static List<String> missing(CommandLine command, String[] words) {
        Map<String, ?> options = command.getCommandSpec().optionsMap();
        List<String> missing = new ArrayList<>();
        for (int i = 1; i < words.length; i++) {
            String option = words[i].replaceFirst("=.*", "");
            List<String> names = LETTERS.matcher(option).matches()
                    ? option.substring(1).chars().mapToObj(letter -> "-" + (char) letter).toList()
                    : List.of(option);
            for (String name : names) {
                if (name.startsWith("-") && !options.containsKey(name)) {
                    missing.add(words[0] + " " + name);
                }
            }
        }
        return missing;
    }

    @Test
    void everyOptionOfThePageExists() throws IOException {
        List<String> named = new ArrayList<>();
        GuidePage page = GuidePage.named("from-other-tools.md");
        assertThat(missing(page, CommandLines.all().getSubcommands(), named)).isEmpty();
        assertThat(named).contains("cp", "rm", "walk", "index", "resume").hasSizeGreaterThan(40);
    }

    @Test
    void anOptionOrACommandThatDoesNotExistIsFound() {
        GuidePage page = new GuidePage("""
                ## rsync

                | rsync | treehaul | difference |
                |---|---|---|
                | `-a` | `cp -aj --delte=x SRC`, `nosuch` | `cp --nosuch` |
                """);
        assertThat(missing(page, CommandLines.all().getSubcommands(), new ArrayList<>()))
                .containsExactlyInAnyOrder("cp -j", "cp --delte", "nosuch");
    }
}
