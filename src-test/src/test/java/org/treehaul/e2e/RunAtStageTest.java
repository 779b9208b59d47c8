// SPDX-License-Identifier: Apache-2.0
package org.treehaul.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.packaged.Run;
import org.treehaul.schedulers.stage.Catalogue;
import org.treehaul.schedulers.stage.StageServer;
import org.treehaul.tuplespace.store.SpaceUri;

/** {@code treehaul run --at}: commands at the files of a stage, beside find and xargs on its source. */
class RunAtStageTest {

    // The transfers of the user are none of a test's concern.
    private static final String OWN_STATE = "export TREEHAUL_HOME=$PWD/own-state; ";
    private static final String AT = "$T run --space cat --at job ";

    private final TestDirectory directory = TestDirectory.make();
    private final Cli cli = new Cli(directory.path());

    @BeforeEach
    void make() throws Exception {
        cli.sh("mkdir -p disk1 disk2 disk3 tmp src/a/b && for i in 1 2 3 4 5 6 7; do echo $i > src/a/$i.txt; done"
                + " && f=$(printf \"src/a/b/caf\\\\351 '\\\"\\\\n \\$(x)\\\\n\") && echo 8 > \"$f\" && ln -s 1.txt src/a/link"
                + " && head -c 700000 /dev/urandom > src/large && : > src/a/empty").expect(0);
        warmly("$T stage in -q --space cat --stripe 64K --directories disk1,disk2,disk3 src job:").expect(0);
    }

    @AfterEach
    void delete() {
        directory.close();
    }

    private Run warmly(String script) throws Exception {
        return cli.warmly(OWN_STATE + script);
    }

    private String out(String script) throws Exception {
        return warmly(script).expect(0).out();
    }

    private String err(int code, String script) throws Exception {
        return warmly(script).expect(code).err();
    }

    @Test
    void eachFileIsHandledOnceWithItsDataAndItsName() throws Exception {
        String command = "sh -c 'md5sum < \"$1\"; basename \"$1\"' sh";
        assertThat(out(AT + "-q -- " + command + " {} | sort"))
                .isEqualTo(cli.sh("find src -type f -print0 | xargs -0 -n1 " + command + " | sort").out())
                .contains("large");
        assertThat(out(AT + "--join --tag --where 'size<100' a -- cat")).startsWith("job:a/1.txt\t1\njob:a/2.txt\t2\n");
        assertThat(out(AT + "--where extension=txt --where 'name=[67]*' -- cat | sort")).isEqualTo("6\n7\n");
        assertThat(out(AT + "--dry-run --where name=large -- wc -c {} {/}")).isEqualTo("wc -c job:large job:large\n");
        assertThat(err(0, AT + "-- true")).contains("handled 10 entries");
        assertThat(err(23, AT + "a -- grep -q 3")).contains("job:a/1.txt: the command ended with 1", "8 failed");
    }

    @Test
    void theFilesOfOutputsHaveTheLastNameOfThePath() throws Exception {
        assertThat(out("mkdir outs; " + AT + "-q --output-dir outs --where 'size>0' large a/1.txt -- wc -c; ls outs"))
                .isEqualTo("0000000.large.out\n0000001.1.txt.out\n");
    }

    @Test
    void aFileThatSeveralSourcesContainIsHandledOnce() throws Exception {
        String sources = "a/b a a/1.txt ./a/ ";
        assertThat(err(0, AT + sources + "-- true")).contains("handled 9 entries");
        assertThat(err(0, AT + "large --segments layout large -- true {segment}")).contains("handled 3 entries");
        String jobs = "$T run --space cat --at job --scheduler local --wait ";
        assertThat(err(0, jobs + sources + "-- sh -c 'printf . >> ran' sh")).contains("9 of 9 entries");
        assertThat(out("cat ran")).isEqualTo(".".repeat(9));
        // Also one that the others contain must be there.
        for (String run : List.of(AT, jobs)) {
            assertThat(err(2, run + "a a/nosuch -- true")).contains("job:a/nosuch: there is no such entry");
        }
    }

    @Test
    void aCommandForEachSegmentHasItsBytes() throws Exception {
        String out = out(AT + "-q --segments layout large -- sh -c 'echo $2 $3 $4 $(wc -c < \"$1\")' sh {} {segment} "
                + "{offset} {length} | sort");
        // Stripes of 65,536 bytes in turn: 700,000 bytes are ten and the beginning of the eleventh.
        assertThat(out).isEqualTo("0 0 262144 262144\n1 65536 241248 241248\n2 131072 196608 196608\n");
        assertThat(out(AT + "-q --segments layout --join large -- sh -c 'cat \"$1\"' sh {} {segment} | wc -c"))
                .isEqualTo("700000\n");
        assertThat(out(AT + "-q --segments layout a -- sh -c 'echo \"$2 $(cat \"$1\")\"' sh {} {segment} | sort"))
                .isEqualTo("0 \n0 1\n0 2\n0 3\n0 4\n0 5\n0 6\n0 7\n0 8\n");
    }

    @Test
    void filesThatCommandsLeaveBesideTheirPathsAreKeptAndNamed() throws Exception {
        String note = err(0, AT + "--where name=1.txt -- cp {} {}.copy");
        assertThat(note).contains("the commands have left files in ");
        String left = note.substring(note.indexOf("files in ") + 9, note.indexOf(": move what you need"));
        assertThat(cli.sh("cat " + left + "/*/1.txt.copy; rm -r " + left).expect(0).out()).isEqualTo("1\n");
        assertThat(err(0, "$T stage verify --space cat job:")).contains("read");
    }

    @Test
    void thePathsAreInTheDirectoryOfTheUserForTemporaryFiles() throws Exception {
        for (String run : List.of(AT + "-q ", "$T run --space cat --at job --scheduler local --wait ")) {
            cli.sh(OWN_STATE + "rm -f path; TMPDIR=$PWD/tmp " + run + "--where name=1.txt -- sh -c 'echo \"$1\" >> "
                    + directory.resolve("path") + "' sh").expect(0);
            assertThat(directory.resolve("path")).content()
                    .startsWith(directory.resolve("tmp/treehaul-at-").toString());
            assertThat(directory.resolve("tmp")).isEmptyDirectory();
        }
    }

    private void useTwoNodes() throws Exception {
        move(server -> server.name().equals("d1") ? "node1" : "node2");
    }

    private void move(Function<StageServer, String> hosts) throws Exception {
        try (Catalogue catalogue = Catalogue.open(SpaceUri.parse(directory.resolve("cat").toString()), "job")) {
            for (StageServer server : catalogue.servers()) {
                catalogue.add(new StageServer("job", server.name(), hosts.apply(server), server.id(),
                        server.directory(), ""));
            }
        }
    }

    @Test
    void aNodeThatGotOrLostItsDomainIsTheSameNode() throws Exception {
        move(server -> server.host().contains(".")
                ? server.host().substring(0, server.host().indexOf('.'))
                : server.host() + ".example.org");
        assertThat(err(0, AT + "-- true")).contains("handled 10 entries");
        assertThat(err(0, "$T run --space cat --at job --scheduler local --wait a -- true")).contains("9 of 9 entries");
    }

    @Test
    void jobsHandleEachFileOnceAndRepeatThoseThatFailed() throws Exception {
        String jobs = "run --space cat --at job --scheduler local --wait ";
        assertThat(out("$T " + jobs + "--join --tag --where 'size<100' a -- cat"))
                .startsWith("stage:job/a/1.txt\t1\nstage:job/a/2.txt\t2\n")
                .endsWith("\t8\n");
        Run failed = warmly(
                "$T " + jobs + "a -- sh -c '[ -e mended ] || ! grep -q 3 \"$1\" || exit 7;" + " printf . >> ran' sh");
        assertThat(failed.expect(23).err()).contains("1 error");
        assertThat(out("$T errors last || true")).isEqualTo("stage:job/a/3.txt: the command ended with 7\n");
        assertThat(out(": > mended; $T resume --wait last; cat ran")).endsWith(".".repeat(9));
        assertThat(err(0, "$T " + jobs + "--segments layout large -- sh -c 'echo $2 $3 $4 $(wc -c < \"$1\")' sh {} "
                + "{segment} {offset} {length}")).contains("3 of 3 entries");
        // The order is that of the segments.
        assertThat(out("$T run --outputs last"))
                .isEqualTo("0 0 262144 262144\n1 65536 241248 241248\n2 131072 196608 196608\n");
    }

    @Test
    void aFileThatChangedAfterPlanningIsReportedByJobs() throws Exception {
        String err = err(24,
                "$T run -q --space cat --at job --scheduler local --pre \"until [ -e $PWD/go ] || ! [ -e $PWD ]; "
                        + "do sleep 0.1; done\" --where extension=txt -- cat && echo new > src/a/1.txt"
                        + " && $T stage rm -q --space cat job:a/1.txt job:a/2.txt"
                        + " && $T cp -q --space cat src/a/1.txt stage:job/a/1.txt && : > go && $T resume --wait last");
        assertThat(out("$T errors last; $T run --outputs last")).as(err)
                .contains("stage:job/a/1.txt: changed concurrently", "stage:job/a/2.txt: vanished", "3\n4\n5\n6\n7\n");
    }

    /** Starts programs as on nodes of other names. */
    @Test
    @Tag("rig")
    void jobsStartWhereTheDataAre() throws Exception {
        useTwoNodes();
        String run = "$T run --space cat --at job --scheduler local ";
        assertThat(err(2, run + "a -- true")).contains("the data are on node", "'ssh {host}'", "the plan is kept");
        cli.sh("printf '%s\\n' '#!/bin/sh' 'exec unshare -u sh -c '\\''hostname \"$1\"; shift; exec \"$@\"'\\'' sh \"$@\"'"
                + " > on && chmod +x on").expect(0);
        String hosts = "find src -type f -printf .; ";
        assertThat(out(hosts + run + "--launch $PWD/on' {host}' --wait --join -- sh -c 'hostname; wc -c < \"$1\"' sh "
                + "| sort | uniq -c | tr -s ' '")).startsWith("..........")
                .contains(" 1 700000\n")
                .containsPattern(" [1-9] node1\n [1-9] node2\n");
        // A resumed transfer starts its jobs in the same way; a node where none starts leaves its batches open.
        assertThat(
                err(23, "mv on off; printf '%s\\n' '#!/bin/sh' '[ $1 = node1 ] || exit 9' 'exec $PWD/off \"$@\"' > on;"
                        + " chmod +x on; " + run + "--launch $PWD/on' {host}' --wait -- true"))
                .contains("resume");
        assertThat(err(0, "mv off on; $T resume --wait last")).contains("complete: 10 of 10 entries");
    }

    @Test
    void eachNodeHandlesTheFilesOfItsServers() throws Exception {
        useTwoNodes();
        assertThat(err(2, AT + "-- true")).contains("has servers on node1, node2: name a program",
                "--launch 'ssh {host}'");
        assertThat(err(2, AT + "--node node7 -- true")).contains("it has no server on the node node7");
        StringBuilder parts = new StringBuilder();
        for (String node : List.of("node1", "node2")) {
            String part = out(AT + "-q --node " + node + " -- sh -c 'basename \"$1\" | tr -d \"\\n\"; echo' sh");
            assertThat(part).isNotEmpty();
            parts.append(part);
        }
        assertThat(parts.toString().lines().sorted().toList()).isEqualTo(
                cli.sh("find src -type f -print0 | xargs -0 -n1 sh -c 'basename \"$0\" | tr -d \"\\n\"; echo'")
                        .out()
                        .lines()
                        .sorted()
                        .toList());
        Run run = warmly(
                AT + "--launch 'env NODE={host}' --where 'size>0' a -- sh -c 'echo $NODE; grep -qv 3 \"$1\"' sh");
        assertThat(run.expect(23).out().lines().distinct().sorted()).containsExactly("node1", "node2");
        assertThat(run.err())
                .contains("run: on node1 handled ", "run: on node2 handled ", "job:a/3.txt: the command ended with 1")
                .doesNotContain("run: handled");
        assertThat(err(2, AT + "--launch 'false {host}' -- true")).contains("node1",
                "the work on the node ended with 1");
        assertThat(err(2, AT + "--json --launch 'env NODE={host}' -- true")).contains("--node HOST on each");
    }

    @Test
    void theNodesGetTheWordsOfTheUserAndRunNoCommandOfTheEnd() throws Exception {
        useTwoNodes();
        String nodes = AT + "-q --launch 'env NODE={host}' --where 'size>0' ";
        String word = "w=$(printf 'gr\\303\\266'); ";
        Run run = cli.sh(
                word + "LC_ALL=C.UTF-8; export LC_ALL; " + nodes + "--on-complete 'echo \"$TREEHAUL_CODE\" >> ended'"
                        + " a -- sh -c \"echo \\$NODE $w\" sh | sort -u | sed \"s/$w/word/\"");
        assertThat(run.expect(0).out()).as(run.err()).isEqualTo("node1 word\nnode2 word\n");
        assertThat(out("cat ended")).isEqualTo("0\n");
        // Each node would write the whole file.
        for (String option : List.of("--errors failed", "--metrics prom", "--log-file log")) {
            assertThat(err(2, nodes + option + " a -- true")).contains(option.split(" ", 2)[0], "--node HOST on each");
        }
    }

    @Test
    void theFirstSignalLetsTheCommandsOfAllNodesEnd() throws Exception {
        useTwoNodes();
        // The pause is longer than that after which a second signal ends the commands at once.
        Run run = cli.sh(AT + "-q --threads 1 --launch 'env NODE={host}' --where 'size>0' a -- sh -c '"
                + ": > begun.$NODE; until [ -e go ]; do sleep 0.1; done; : > done.$NODE' 2> err & pid=$!\n"
                + "until [ -e begun.node1 ] && [ -e begun.node2 ]; do sleep 0.1; done; kill -TERM $pid\n"
                + "until [ $(grep -c stopping err) = 3 ]; do sleep 0.1; done; sleep 1; : > go; wait $pid; echo $?\n"
                + "ls done.*; cat err >&2");
        assertThat(run.out()).as(run.err()).isEqualTo("20\ndone.node1\ndone.node2\n");
    }

    @Test
    void wrongUseIsExplained() throws Exception {
        assertThat(err(2, "$T run --at job -- true")).contains("no catalogue of the stage is given");
        assertThat(err(0, "TREEHAUL_SPACE=cat $T run --at job -- true")).contains("handled 10 entries");
        assertThat(err(2, AT + "nosuch -- true")).contains("job:nosuch: there is no such entry in the stage");
        assertThat(err(2, "$T run --space cat --at jbo -- true")).contains("stage jbo: there is none of this name");
        assertThat(err(2, "$T run --space nosuch --at job -- true")).contains("no tuple space in nosuch");
        assertThat(err(2, "$T run --node n1 src -- true")).contains("--node needs --at");
        assertThat(err(2, AT + "--exclude a -- true")).contains("--at cannot be combined with --exclude; use --where");
        assertThat(err(2, AT + "--scheduler local --jobs 2 -- true")).contains("--at cannot be combined with --jobs");
        assertThat(err(2, AT + "--scheduler local --node n1 -- true")).contains("--node by jobs");
        assertThat(err(2, AT + "--scheduler pool -- true")).contains("pool", "not bound to the nodes");
        assertThat(err(2, AT + "--once -- true")).contains("--once");
        assertThat(err(2, AT + "--where 'links>1' -- true")).contains("have no links");
        assertThat(err(2, AT + "--segments 1M -- echo {segment}")).contains("--segments layout");
        assertThat(err(2, AT + "-- tar --null -T {@}")).contains("{@}");
        assertThat(err(2, AT + "a/../b -- true")).contains("'..'");
        try (Stream<Path> all = Files.list(directory.path())) {
            assertThat(all.map(path -> path.getFileName().toString())).doesNotContain("nosuch");
        }
    }

    @Test
    void argumentsReachTheNodesByteForByte() throws Exception {
        useTwoNodes();
        String word = "\"$(printf 'caf\\303\\251 \\351 \\0101 %%s')\"";
        String script = "cat \"$1\"; printf %s \"$2\" | od -An -tx1";
        assertThat(
                out(AT + "-q --launch 'env NODE={host}' \"a/b/$(ls src/a/b)\" -- sh -c '" + script + "' sh {} " + word))
                .isEqualTo("8\n" + cli.sh("printf %s " + word + " | od -An -tx1").expect(0).out());
    }

    @Test
    void theProgramThatStartsTheWorkMayHaveAnyName() throws Exception {
        useTwoNodes();
        // Java passes no such name in the C locale.
        String run = "LC_ALL=C.UTF-8 " + AT + "-q --launch \"$PWD/$n {host}\" a/1.txt -- cat";
        assertThat(cli
                .sh("n=$(printf 'caf\\303\\251') && printf '#!/bin/sh\\nshift\\nexec \"$@\"\\n' > $n && chmod +x $n && "
                        + run)
                .expect(0)
                .out()).isEqualTo("1\n");
    }
}
