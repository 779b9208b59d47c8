// SPDX-License-Identifier: Apache-2.0
package org.treehaul.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.treehaul.core.condition.FileField;
import org.treehaul.core.condition.FileQuery;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.packaged.Run;
import org.treehaul.tuplespace.files.FileIndex;

/** Runs the queries of the guide with {@code find} and on an index. */
class GuideQueriesTest {

    private final TestDirectory directory = TestDirectory.make();
    private final Cli cli = new Cli(directory.path());

    @AfterEach
    void delete() {
        directory.close();
    }

    private record Question(String find, String query) {}

    private static List<Question> questions() throws IOException {
        List<Question> questions = new ArrayList<>();
        for (List<String> row : GuidePage.named("index-and-query.md").rows("Queries and `find`")) {
            // In a shell parentheses need escapes, in a table of the guide they do not.
            questions.add(
                    new Question(code(row.get(0)).replace("( ", "\\( ").replace(" )", " \\)").replace(" ! ", " \\! "),
                            code(row.get(1)).replaceFirst("query ", "")));
        }
        assertThat(questions).hasSizeGreaterThanOrEqualTo(10);
        return questions;
    }

    private static String code(String cell) {
        return cell.substring(1, cell.length() - 1);
    }

    @Test
    void queriesOfAGeneratedTreeAgreeWithFind() throws Exception {
        cli.sh("mkdir -p usr/share/doc/a usr/include/sys usr/bin 'usr/share/new\nline' && cd usr"
                + " && head -c 2000000 /dev/zero > share/big && head -c 1048576 /dev/zero > share/exact && head -c 1048577 /dev/zero > share/more"
                + " && printf 1 > include/a.h && printf 22 > include/sys/b.h && ln include/a.h include/c.h && printf 3 > include/.h"
                + " && printf 4 > share/doc/a/x.gz && printf 5 > share/doc/a/y.xz && printf 6 > share/z.gz"
                + " && : > share/empty && : > share/.hidden && printf 7 > bin/su && chmod 4755 bin/su && chmod 666 include/a.h && chmod 2777 share/doc"
                + " && ln -s /etc/alternatives/vi bin/vi && ln -s /etc bin/etc && ln -s /opt/x bin/x && mkfifo share/fifo"
                + " && touch -d '2025-01-01 00:00:00 UTC' share/z.gz && touch -d '2025-01-01 00:00:00.5 UTC' share/more && touch -d 2021-02-03 include/a.h include/.h"
                + " && touch -h -d 2020-02-03 bin/vi && touch -d '2022-06-01 00:00:00 UTC' include/sys/b.h"
                + " && f=$(printf 'caf\\351.h') && printf 8 > \"$f\" && f=$(printf 'share/doc/n\\nl.gz') && : > \"$f\"")
                .expect(0);
        ask(directory.resolve("usr").toString(), 3);
    }

    @Test
    @Tag("rig")
    void queriesOfAnInstalledTreeAgreeWithFind() throws Exception {
        assumeTrue(Files.isDirectory(Path.of("/usr/share/doc")), "there is no /usr/share/doc");
        ask("/usr/share", 0);
    }

    @Test
    @Tag("campaign")
    void queriesOfAllOfUsrAgreeWithFind() throws Exception {
        ask("/usr", 0);
    }

    private void ask(String root, int leastAnswers) throws Exception {
        cli.runWarmly("index", "--space", "space", root).expect(0);
        for (Question question : questions()) {
            String find = question.find()
                    .replace("/usr/share", "/usr/SHARE")
                    .replace("/usr", root)
                    .replace(root + "/SHARE", root.equals("/usr/share") ? root : root + "/share");
            String query = question.query().replace("/usr/share", root.equals("/usr/share") ? root : root + "/share");
            Run found = cli.sh(find + " -print0 | sort -z").expect(0);
            // The guide asks for a prefix that ends with a slash, which excludes the directory itself.
            String expected = query.contains("path^=") ? withoutFirst(found.out()) : found.out();
            assertThat(cli.warmly("$T query --space space -0 " + query + " | sort -z").expect(0).out()).as(query)
                    .isEqualTo(expected);
            long count = expected.chars().filter(c -> c == 0).count();
            assertThat(count).as(find).isGreaterThanOrEqualTo(Math.min(1, leastAnswers));
            long size = expected.equals(found.out())
                    ? cli.sh(find + " -printf '%s\\n'").out().lines().mapToLong(Long::parseLong).sum()
                    : cli.sh(find + " -mindepth 1 -printf '%s\\n'").out().lines().mapToLong(Long::parseLong).sum();
            try (FileIndex index = FileIndex.open(directory.resolve("space"))) {
                FileQuery parsed = FileQuery.parse(conditions(query));
                assertThat(index.count(parsed)).as(query).isEqualTo(count);
                assertThat(index.sum(parsed, FileField.SIZE)).as(query).isEqualTo(size);
            }
        }
        assertThat(cli.runWarmly("query", "--space", "space", "--count").expect(0).out())
                .isEqualTo(cli.sh("find " + root + " -printf x | wc -c").out().strip() + "\n");
        assertThat(cli.runWarmly("query", "--space", "space", "--sum", "blocks").expect(0).out()).isEqualTo(
                cli.sh("find " + root + " -printf '%b\\n' | awk '{ s += $1 } END { printf \"%d\\n\", s }'").out());
        assertThat(cli.runWarmly("query", "--space", "space", "--top", "5", "kind=regular")
                .expect(0)
                .out()
                .lines()
                .map(line -> line.split("\t", 2)[0]))
                .containsExactlyElementsOf(cli.sh("find " + root + " -type f -printf '%s\\n' | sort -rn | head -n 5")
                        .out()
                        .lines()
                        .toList());
    }

    private static String withoutFirst(String ended) {
        return ended.substring(ended.indexOf('\0') + 1);
    }

    // Splits the words of the guide as a shell does; quotes enclose whole conditions.
    private static List<ByteString> conditions(String query) {
        return Stream.of(query.split(" "))
                .map(word -> ByteString.of(word.replace("'", "").getBytes(StandardCharsets.UTF_8)))
                .toList();
    }
}
