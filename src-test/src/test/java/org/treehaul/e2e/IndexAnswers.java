// SPDX-License-Identifier: Apache-2.0
package org.treehaul.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

import org.treehaul.packaged.Run;

/** Compares what the commands answer from an index with what they answer from one in a directory. */
final class IndexAnswers {

    /** Makes the tree whose path the commands have as {@code $S}. */
    static final String TREE = "mkdir -p s/a/b s/c; printf 12345 > s/a/f.h5; printf 1 > s/a/b/g; ln -s f.h5 s/a/l; : > s/c/e.h5;"
            + "ln s/a/f.h5 s/c/second; chmod 600 s/a/b/g; printf 99 > \"$(printf 's/c/caf\\351,\\n\\001.h5')\"";
    private static final List<String> COMMANDS = List.of("query", "query -0", "query --json", "query --count",
            "query --sum size", "query --top 3", "query --top 20 --by mtime", "query --group-by kind",
            "query --group-by extension", "query --json --group-by owner", "query -0 --below $S",
            "query --below $S/a kind=regular", "query kind=regular size>1 name=f*", "query name=caf\\xe9\\,\\n*",
            "query -0 name~=*H5 or mode=0600", "query mtime>2020 not owner=root", "query mode=/022", "query links>1",
            "query empty=yes", "query target=f*", "query generation=2", "query path^=$S/c/", "query name=nothing",
            "du -al", "du -bSl", "du -s $S/a");

    private final Path directory;

    /** @param directory the working directory, which contains the tree */
    IndexAnswers(Path directory) {
        this.directory = directory;
    }

    /** Runs a command with the address or directory of a space. */
    Run run(String space, String command) throws Exception {
        List<String> words = Arrays.asList(command.split(" "));
        String option = words.getFirst().equals("du") ? "--index" : "--space";
        return WarmProgram.run(directory,
                Stream.concat(Stream.of(words.getFirst(), option, space),
                        words.stream().skip(1).map(word -> word.replace("$S", directory + "/s")))
                        .toArray(String[]::new));
    }

    /** Indexes, changes and forgets the tree in both spaces, and requires the same answers. */
    void assertSameInAll(Cli cli, String there) throws Exception {
        String here = directory + "/space";
        for (String space : List.of(there, here)) {
            assertThat(run(space, "index $S").expect(0).err()).contains("10 entries", ": 10 new, 0 changed, 0 gone");
        }
        assertSame(here, there);
        cli.sh("rm s/c/e.h5; printf 6 >> s/a/f.h5; : > s/new; mkdir s/a/b/d").expect(0);
        for (String space : List.of(there, here)) {
            assertThat(run(space, "index").expect(0).err()).contains(": 2 new, 5 changed, 1 gone");
        }
        assertSame(here, there);
        assertThat(run(there, "space check").expect(0).err()).contains("the space is intact");
        assertThat(run(there, "index --info").expect(0).out()).contains(directory + "/s: 11 entries, ")
                .contains("\n" + there + ": 1 tree, ");
        for (String space : List.of(there, here)) {
            assertThat(run(space, "index --forget $S").expect(0).err())
                    .contains("removed " + directory + "/s with 11 entries from the index");
        }
        assertThat(run(there, "query --count").expect(0).out()).isEqualTo("0\n");
    }

    private void assertSame(String here, String there) throws Exception {
        for (String command : COMMANDS) {
            Run expected = run(here, command).expect(0);
            Run run = run(there, command).expect(0);
            String end = command.contains("-0") ? "\0" : "\n";
            assertThat(sorted(run.out(), end)).as(command).isEqualTo(sorted(expected.out(), end));
            assertThat(run.err()).as(command).isEqualTo(expected.err());
        }
    }

    private static List<String> sorted(String text, String separator) {
        // Reading a tree changes these times.
        return Stream.of(text.replaceAll("\"atime\":\"[^\"]*\",", "").split(separator)).sorted().toList();
    }
}
