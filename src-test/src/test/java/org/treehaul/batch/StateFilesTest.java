// SPDX-License-Identifier: Apache-2.0
package org.treehaul.batch;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The guide lists every file that transfers leave in the state directory. */
class StateFilesTest {

    private static final Pattern LINE = Pattern.compile("^ {4}( *)(\\S+) {2,}\\S.*$", Pattern.MULTILINE);
    private static final Pattern ROW = Pattern.compile("^\\| `(\\S+?)`", Pattern.MULTILINE);

    private TransferCli cli;

    @BeforeEach
    void make() throws IOException {
        cli = TransferCli.make();
    }

    @AfterEach
    void remove() throws IOException {
        cli.close();
    }

    private static String page(String name) throws IOException {
        return Files.readString(Path.of(System.getProperty("treehaul.root"), "docs/guide", name));
    }

    // A word in capitals is a placeholder; a line of a directory stands for everything below it.
    private static List<Pattern> documented() throws IOException {
        List<Pattern> patterns = new ArrayList<>();
        Matcher lines = LINE.matcher(page("journal-format.md"));
        String above = "";
        while (lines.find()) {
            String path = lines.group(2);
            if (lines.group(1).isEmpty() && path.endsWith("/")) {
                above = path;
                continue;
            }
            String whole = (lines.group(1).isEmpty() ? "" : above) + path;
            String text = Pattern.compile("[A-Z]+|\\*|[^A-Z*]+")
                    .matcher(whole)
                    .replaceAll(part -> Matcher.quoteReplacement(
                            part.group().matches("[A-Z]+|\\*") ? "[^/]+" : Pattern.quote(part.group())));
            patterns.add(Pattern.compile(whole.endsWith("/") ? text + ".*" : text));
        }
        return patterns;
    }

    private Set<String> left() throws IOException {
        try (Stream<Path> all = Files.walk(cli.state())) {
            Set<String> files = new TreeSet<>();
            all.filter(Files::isRegularFile).forEach(file -> files.add(cli.state().relativize(file).toString()));
            return files;
        }
    }

    @Test
    @Tag("rig")
    void everyFileThatIsLeftIsListed() throws Exception {
        Path source = cli.tree("source", 20, 10);
        cli.sh("head -c 3000000 /dev/zero > source/large; mkdir -p kept; echo old > kept/large").expect(0);
        cli.run("cp", "-a", "--scheduler", "local", "--jobs", 2, "--chunk-size", "1M", "--bandwidth", "1G", "--pre",
                ":", "--post", ":", "--on-complete", ":", "--wait", source, cli.resolve("copy")).expect(0);
        cli.run("verify", "--wait", "last").expect(0);
        cli.run("cp", "-aTn", "--scheduler", "local", "--plan-in-job", "--wait", source, cli.resolve("kept")).expect(0);
        cli.run("verify", "--wait", "last").expect(0);
        cli.run("rm", "-r", "--scheduler", "local", "--wait", cli.resolve("copy")).expect(0);
        cli.run("cp", "-a", "--scheduler", "local", "--plan-in-job", "--wait", cli.resolve("none"), source,
                cli.resolve("kept")).expect(23);
        String partial = cli.run("resume", "--wait", "last").expect(23).out().strip();
        cli.run("limit", "last", "2G");
        cli.run("verify", "--wait", "last");
        List<Pattern> documented = documented();
        assertThat(documented).hasSizeGreaterThan(25);
        Set<String> left = left();
        assertThat(left).as(partial)
                .allSatisfy(file -> assertThat(documented).anyMatch(pattern -> pattern.matcher(file).matches()));
        assertThat(left).anyMatch(file -> file.endsWith("/verified")).anyMatch(file -> file.contains("/verified-"));
    }

    @Test
    void everyFileOfAPlanIsListed() throws Exception {
        Path source = cli.tree("source", 20, 10);
        cli.run("plan", "-a", "-o", cli.resolve("plan"), source, cli.resolve("copy")).expect(0);
        Set<String> rows = new TreeSet<>();
        Matcher row = ROW.matcher(page("plan-format.md"));
        while (row.find()) {
            rows.add(row.group(1));
        }
        assertThat(TransferCli.files(cli.resolve("plan"), Files::isRegularFile))
                .map(file -> cli.resolve("plan").relativize(file).toString().replaceFirst("[0-9]+$", "0"))
                .isNotEmpty()
                .allSatisfy(file -> assertThat(rows).contains(file));
    }
}
