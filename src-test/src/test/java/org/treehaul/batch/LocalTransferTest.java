// SPDX-License-Identifier: Apache-2.0
package org.treehaul.batch;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.treehaul.packaged.Run;

/** Copies by jobs of this machine, from the command to the final comparison. */
class LocalTransferTest extends LocalJobsTests {

    @Test
    void waitsUntilAllIsCopiedAndReportsIt() throws Exception {
        cli.close();
        cli = TransferCli.onDisk();
        Path source = cli.tree("source", 120, 300);
        Path copy = cli.resolve("copy");
        Run run = cli.run("cp", "-a", "--scheduler", "local", "--jobs", 2, "--wait", source, copy).expect(0);
        assertThat(run.out()).as("the id, alone").matches(TransferCli.ID);
        String id = run.out().strip();
        assertThat(run.err()).containsPattern("local jobs \\S+, \\S+, \\S+ \\(finishes\\); ")
                .contains("complete: 122 of 122 entries, 35.2 KiB in ");
        cli.expectCopy(source, copy);
        assertThat(cli.run("status").expect(0).out())
                .startsWith(id + "  complete; 100%; files 121 of 121; 35.2 KiB of 35.2 KiB; batches 16 of 16; began 20")
                .endsWith("; copy " + source + " -> " + copy + "\n");
        assertThat(cli.run("status", id.substring(9)).expect(0).out())
                .contains("\n  copy " + source + " -> " + copy, "\n  batches: 16 done\n")
                .doesNotContain("batch 15");
        assertThat(cli.run("status", "--batches", id.substring(9)).expect(0).out())
                .contains("\n  batch 15 done; 100%; files ", "errors 0;");
        assertThat(cli.run("status", "--json", "last").expect(0).out()).startsWith("{\"v\":1,\"type\":\"transfer\"")
                .contains("\"id\":\"" + id + "\"", "\"state\":\"complete\"", "\"percent\":100",
                        "\"batches\":[{\"number\":0,")
                .endsWith("]}\n");
        assertThat(cli.run("errors", id).expect(0).out()).isEmpty();
        assertThat(cli.run("resume", id).expect(0).err()).contains("is complete: there is nothing to resume");
        assertThat(cli.run("cancel", id).expect(0).err()).contains("is complete already: there is nothing to cancel");
        assertThat(cli.run("forget", "all").expect(0).err()).contains("forgot " + id);
        assertThat(cli.run("status").expect(0).out()).isEmpty();
        assertThat(cli.run("status", id).expect(2).err()).contains("there is no transfer '" + id + "'");
    }

    @Test
    @Tag("rig")
    void withoutWaitingItIsWatched() throws Exception {
        Path source = cli.tree("source", 10, 10);
        String id = cli.submit("cp", "-a", "--jobs", 1, "--scheduler=local", "--strategy", "streaming", "--batch-files",
                4, source, cli.resolve("copy"));
        String watched = cli.run("status", "--watch", "--progress-interval", 1, id).expect(0).out();
        assertThat(watched).contains(id + "  complete; 100%").contains("\n  batches: 3 done");
        cli.expectCopy(source, cli.resolve("copy"));
    }

    @Test
    @Tag("rig")
    void aJobPlansInTheDirectoryOfTheUserWithArgumentsOfAnyBytes() throws Exception {
        Run run = cli
                .sh("""
                        mkdir here && cd here && mkdir -p 'na\377me $(touch x)/sub; touch y'
                        echo data > 'na\377me $(touch x)/sub; touch y/-f'
                        $T cp -a --scheduler local --plan-in-job --jobs 2 --wait --pre 'export JDK_JAVA_OPTIONS=-Dpre=gr\303\274n' \
                            --pre 'unset HOME' --post 'echo "$TREEHAUL_CODE" >> "$PWD/../../../posted"' \
                            --on-complete 'echo "$TREEHAUL_TRANSFER $TREEHAUL_CODE" > ../../../completed' \
                            'na\377me $(touch x)' ../copy
                        """)
                .expect(0);
        String id = run.out().strip();
        assertThat(cli.sh("cat 'copy/sub; touch y/-f'; ls here").expect(0).out()).startsWith("data\nna")
                .doesNotContain("\nx", "\ny");
        Path top = cli.path();
        TransferCli.until(() -> Files.exists(top.resolve("completed")) && Files.size(top.resolve("completed")) > 0);
        assertThat(cli.read("completed")).isEqualTo(id + " 0\n");
        TransferCli.until(() -> Files.readString(top.resolve("posted")).lines().count() == 4);
        assertThat(cli.read("posted")).isEqualTo("0\n0\n0\n0\n");
        // The finishing job starts no JVM if a worker has finished the transfer.
        assertThat(TransferCli.files(cli.of(id, "log"), Files::isRegularFile)).hasSize(4)
                .filteredOn(log -> !log.toString().contains("finish"))
                .hasSize(3)
                .allSatisfy(log -> assertThat(Files.readString(log, StandardCharsets.UTF_8))
                        .contains("JDK_JAVA_OPTIONS: -Dpre=grün"));
        assertThat(cli.run("status", id).expect(0).out()).contains("'na\\xffme $(touch x)' ../copy\n");
    }

    @Test
    void aPlanMadeInAJobKeepsTheUmaskOfTheUser() throws Exception {
        cli.warmly("umask 022; mkdir source; echo data > source/file; chmod 666 source/file;"
                + " $T cp -r --scheduler local --plan-in-job --pre 'umask 077' --wait source copy").expect(0);
        assertThat(cli.sh("stat -c %a copy copy/file").expect(0).out()).isEqualTo("755\n644\n");
    }

    @Test
    @Tag("rig")
    void anOrdinaryUserCopiesAgainOverDirectoriesThatItMayNotRead() throws Exception {
        cli.close();
        cli = TransferCli.ofOrdinaryUser();
        Run run = cli.sh("""
                umask 022; mkdir -p source/d/e copy/d/e; echo data > source/d/e/file; echo old > copy/d/e/file
                head -c 3000000 /dev/zero > source/d/large
                chmod 0333 copy/d/e copy/d copy; chown -R %d source copy
                for i in 1 2; do $T cp -rT --scheduler local --jobs 2 --chunk-size 1M --wait source copy || exit; done
                stat -c %%a copy copy/d copy/d/e; cmp source/d/large copy/d/large && cat copy/d/e/file
                """.formatted(TransferRig.USER)).expect(0);
        assertThat(run.out()).endsWith("\n333\n333\n333\ndata\n");
    }

    @Test
    @Tag("campaign")
    void aListByStandardInputReachesTheJobThatPlans() throws Exception {
        cli.tree("source", 60, 10);
        cli.sh("(cd source && find . -name f3 -o -name f57) | $T cp -a --files-from - --scheduler local --plan-in-job "
                + "--wait source copy").expect(0);
        assertThat(TransferCli.files(cli.resolve("copy"), Files::isRegularFile))
                .containsExactlyInAnyOrder(cli.resolve("copy/d0/f3"), cli.resolve("copy/d1/f57"));
    }

    @Test
    @Tag("rig")
    void noFileOneFileAndFewerFilesThanJobsAreCopied() throws Exception {
        Path empty = cli.path().resolve("empty");
        Files.createDirectory(empty);
        cli.run("cp", "-a", "--scheduler", "local", "--jobs", 3, "--wait", empty, cli.resolve("none")).expect(0);
        cli.expectCopy(empty, cli.resolve("none"));
        Path file = Files.writeString(cli.resolve("file"), "content");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r-----"));
        cli.run("cp", "-a", "--scheduler", "local", "--jobs", 3, "--wait", file, cli.resolve("file2")).expect(0);
        assertThat(cli.resolve("file2")).hasContent("content");
        assertThat(Files.getPosixFilePermissions(cli.resolve("file2"))).isEqualTo(Files.getPosixFilePermissions(file));
        assertThat(Files.getLastModifiedTime(cli.resolve("file2"))).isEqualTo(Files.getLastModifiedTime(file));
        Path few = cli.tree("few", 2, 10);
        cli.run("cp", "-a", "--scheduler", "local", "--jobs", 5, "--max-running", 2, "--wait", few,
                cli.resolve("fewer")).expect(0);
        cli.expectCopy(few, cli.resolve("fewer"));
    }

    @Test
    void entriesChangedSinceThePlanAreCopiedAsTheyAreAndCounted() throws Exception {
        Path source = cli.tree("source", 10, 10);
        Path go = cli.resolve("go");
        String id = cli.submit("cp", "-a", "--scheduler", "local", "--pre",
                "until [ -e " + go + " ]; do sleep 0.1; done", source, cli.resolve("copy"));
        Files.writeString(source.resolve("d0/f3"), "something else");
        Files.delete(source.resolve("d0/f4"));
        Files.writeString(source.resolve("d0/new"), "not planned");
        Files.createFile(go);
        String status = cli.awaitEnd(id);
        assertThat(status).contains("\"state\":\"partial\"", "\"changed\":1", "\"failures\":1");
        assertThat(cli.resolve("copy/d0/f3")).hasContent("something else");
        assertThat(cli.resolve("copy/d0/new")).doesNotExist();
        assertThat(cli.run("errors", id).expect(1).out()).contains(source + "/d0/f4: vanished: ");
        Run again = cli.run("resume", "--wait", id).expect(24);
        assertThat(again.err()).contains("1 had changed since planning", "1 error: 'treehaul errors " + id);
    }

    @Test
    void unreadableFilesAreListedAndCopiedByALaterResume() throws Exception {
        cli.close();
        cli = TransferCli.ofOrdinaryUser();
        Path source = cli.tree("source", 20, 10);
        Path file = source.resolve("d0/f7");
        Files.setAttribute(file, "unix:uid", 0);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        Run run = cli.run("cp", "-r", "--scheduler", "local", "--wait", source, cli.resolve("copy")).expect(23);
        String id = run.out().strip();
        assertThat(run.err()).contains("partial: 21 of 22 entries, ", " s, ",
                "1 error: 'treehaul errors " + id + "' lists them; " + "'treehaul resume " + id + "' tries again");
        assertThat(cli.run("errors", id).expect(1).out()).isEqualTo(file + ": open: Permission denied (EACCES)\n");
        assertThat(cli.run("errors", "-0", id).expect(1).out()).isEqualTo(file + "\0");
        assertThat(cli.run("errors", "--json", id).expect(1).out()).contains("\"path\":\"" + file + "\"",
                "\"operation\":\"open\"", "\"errno\":13", "\"tries\":1");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
        cli.run("resume", "--wait", "last").expect(0);
        assertThat(cli.resolve("copy/d0/f7")).hasSameBinaryContentAs(file);
        assertThat(cli.run("errors", id).expect(0).out()).isEmpty();
    }

    @Test
    void aDirectoryThatCouldNotBeReadWhenItWasPlannedIsCopiedByResumeOnceItCan() throws Exception {
        cli.close();
        cli = TransferCli.ofOrdinaryUser();
        Path source = cli.tree("source", 20, 10);
        Path shut = cli.tree("source/shut", 1_000, 10);
        Path copy = cli.resolve("copy");
        Files.setPosixFilePermissions(shut, PosixFilePermissions.fromString("---------"));
        Run run = cli.run("cp", "-a", "--scheduler", "local", "--jobs", 2, "--wait", source, copy).expect(23);
        String id = run.out().strip();
        assertThat(run.err()).contains("partial: 22 of 22 entries, ", ", 1 error: ");
        assertThat(cli.run("errors", id).expect(1).out()).isEqualTo(shut + ": open: Permission denied (EACCES)\n");
        Files.setPosixFilePermissions(shut, PosixFilePermissions.fromString("r-xr-x---"));
        Run resumed = cli.run("resume", "--wait", id).expect(0);
        assertThat(resumed.err()).contains("1 entry could not be read during planning",
                "complete: 22 of 22 entries, and 1,002 that were not planned");
        cli.expectCopy(source, copy);
        assertThat(cli.run("errors", id).expect(0).out()).isEmpty();
        assertThat(cli.run("status", id).expect(0).out()).startsWith(id + "  complete; 100%")
                .contains("; 1,002 more that were not planned\n");
        assertThat(cli.run("status", "--json", id).expect(0).out()).contains("\"unplanned\":1002");
        cli.run("verify", "--wait", id).expect(0);
        Files.writeString(copy.resolve("shut/d3/f150"), "other data");
        cli.run("verify", "--wait", id).expect(23);
        assertThat(cli.run("errors", "last").expect(1).out())
                .startsWith(copy + "/shut/d3/f150: reads back differently: ");
    }

    @Test
    @Tag("rig")
    void aSourceThatIsNotThereEndsInTheExitCode() throws Exception {
        Path source = cli.tree("source", 2, 10);
        Path missing = cli.resolve("missing");
        Path copy = cli.path().resolve("copy");
        Files.createDirectory(copy);
        for (List<String> where : List.of(List.of("--scheduler=local"),
                List.of("--scheduler=local", "--plan-in-job"))) {
            Object[] words = Stream
                    .of(Stream.of("cp", "-a", "--wait"), where.stream(), Stream.of(source, missing, copy))
                    .flatMap(word -> word)
                    .toArray();
            assertThat(cli.run(words).expect(23).err()).contains("partial: 4 of 4 entries", "1 error");
            assertThat(cli.run("errors", "last").expect(1).out())
                    .isEqualTo(missing + ": stat: No such file or directory (ENOENT)\n");
            assertThat(cli.run("status", "last").expect(0).out()).contains("errors 1");
            Files.writeString(missing, "there now");
            cli.run("resume", "--wait", "last").expect(0);
            assertThat(copy.resolve("missing")).hasContent("there now");
            assertThat(cli.run("errors", "last").expect(0).out()).isEmpty();
            Files.delete(missing);
        }
    }

    @Test
    @Tag("rig")
    void aPlanMadeAheadIsCarriedOutLater() throws Exception {
        Path source = cli.tree("source", 60, 100);
        Path copy = cli.resolve("copy");
        Path plan = cli.resolve("run7.plan");
        cli.run("plan", "-a", "--jobs", 3, "-o", plan, source, copy).expect(0);
        assertThat(copy).doesNotExist();
        assertThat(cli.run("cp", "--plan", plan).expect(2).err()).contains("--plan needs --scheduler or --jobs");
        assertThat(cli.run("cp", "-a", "--scheduler", "local", "--plan", plan).expect(2).err())
                .contains("--archive cannot be combined with --plan");
        assertThat(cli.run("cp", "--scheduler", "local", "--plan", plan, source).expect(2).err())
                .contains("is one argument too many");
        assertThat(cli.run("cp", "--scheduler", "local", "--plan", cli.resolve("none")).expect(2).err())
                .contains("there is no plan in");
        Run run = cli.run("cp", "--scheduler", "local", "--wait", "--plan", plan).expect(0);
        assertThat(run.err()).doesNotContain("Exception");
        assertThat(run.err()).contains("complete: 62 of 62 entries");
        cli.expectCopy(source, copy);
        Files.writeString(source.resolve("d0/f3"), "changed since");
        assertThat(cli.run("cp", "--scheduler", "local", "--wait", "--plan", plan).expect(0).err())
                .contains("1 had changed since planning");
        cli.expectCopy(source, copy);
        assertThat(TransferCli.files(cli.of(run.out().strip(), "jobs"), Files::isRegularFile))
                .as("as many jobs as it was planned for")
                .anySatisfy(jobs -> assertThat(Files.readString(jobs)).contains("3"));
    }

    @Test
    @Tag("campaign")
    void manyFilesByManyJobsOfEachStrategy() throws Exception {
        cli.close();
        cli = TransferCli.onDisk();
        Path source = cli.tree("source", 20_000, 2_000);
        for (Map.Entry<String, Integer> strategy : Map.of("size-balanced", 4, "directory-grouped", 3, "streaming", 2)
                .entrySet()) {
            Path copy = cli.resolve(strategy.getKey());
            cli.run("cp", "-a", "--scheduler", "local", "--jobs", strategy.getValue(), "--strategy", strategy.getKey(),
                    "--wait", source, copy).expect(0);
            cli.expectCopy(source, copy);
        }
    }
}
