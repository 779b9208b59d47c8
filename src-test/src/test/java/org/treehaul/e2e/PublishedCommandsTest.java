// SPDX-License-Identifier: Apache-2.0
package org.treehaul.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.treehaul.core.testing.TestDirectory;

/** Commands without jobs publish their work with {@code --publish}. */
class PublishedCommandsTest {

    private final TestDirectory directory = TestDirectory.make();
    private final Cli cli = new Cli(directory.path()).withHome();

    @BeforeEach
    void makeTree() throws Exception {
        cli.sh("mkdir -p s/a s/b; echo 1 > s/a/f; echo 12 > s/a/g; echo 123 > s/b/h").expect(0);
    }

    @AfterEach
    void delete() {
        directory.close();
    }

    private String query(String words) throws Exception {
        return cli.warmly("$T query --space $PWD/site " + words).expect(0).out();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " --ranks 2"})
    void aCopyAndTheFilesThatItCouldNotCopyAreInTheSpace(String ranks) throws Exception {
        // A directory is in the way of a file.
        cli.sh("mkdir -p t/a/f/x").expect(0);
        cli.warmly("$T index --space $PWD/site s").expect(0);
        cli.warmly("$T cp -aT --publish $PWD/site" + ranks + " ./s//. t").expect(23);
        String here = directory.path().toRealPath().toString();
        String id = query("--transfers").split("\t", 2)[0];
        assertThat(query("--transfers"))
                .isEqualTo(id + "\tpartial\t5\t6\t1\t" + System.getProperty("user.name") + "\t" + here + "/s\n");
        assertThat(query("--json --transfers operation=copy destination=" + here + "/t"))
                .contains("\"batches\":0,", "\"ended\":",
                        "\"command\":\"cp -aT --publish " + here + "/site" + ranks + " ./s//. t\"")
                .doesNotContain("state_directory");
        assertThat(query("--failures size=2 verified=no transfer=" + id)).isEqualTo(here + "/s/a/f\n");
        assertThat(query("--failures --count node=$(uname -n) resolved=no batch=0")).isEqualTo("0\n");
        assertThat(query("--failures --count node=$(uname -n) resolved=no")).isEqualTo("1\n");
        assertThat(query("--batches --count")).isEqualTo("0\n");
        // It has no state directory, so that it is none of those that were forgotten.
        cli.warmly("$T publish --space $PWD/site --state-dir $PWD/state").expect(0);
        assertThat(query("--transfers --count")).isEqualTo("1\n");
    }

    @Test
    void everyCommandThatChangesTreesPublishesItsWork() throws Exception {
        Map<String, String> operations = Map.of("cp -aT s c", "copy", "mv -T c m", "move", "sync s/ y", "sync",
                "chmod -R g-w y", "change-mode", "chown -R $(id -u) y", "change-owner", "chgrp -R $(id -g) y",
                "change-owner", "run y -- true", "run", "rm -r y", "remove");
        for (String command : List.of("cp -aT s c", "mv -T c m", "sync s/ y", "chmod -R g-w y", "chown -R $(id -u) y",
                "chgrp -R $(id -g) y", "run y -- true", "rm -r y")) {
            cli.warmly("$T " + command.replaceFirst(" ", " --publish \\$PWD/site ")).expect(0);
            assertThat(query("--transfers --count state=complete failed=0 operation=" + operations.get(command)
                    + " command~=" + command.replaceAll(" .*", "") + "*")).as(command).isEqualTo("1\n");
        }
        assertThat(query("--transfers --group-by operation"))
                .isEqualTo("2  change-owner\n1  change-mode\n1  copy\n1  move\n1  remove\n1  run\n1  sync\n");
        assertThat(query("--transfers --count state!=complete")).isEqualTo("0\n");
    }

    @Test
    void aRefusedOperandIsAFailureAndACommandThatDoesNothingIsNotPublished() throws Exception {
        cli.warmly("$T rm --publish $PWD/site s/a/f s/b").expect(23);
        assertThat(query("--failures")).isEqualTo(directory.path().toRealPath() + "/s/b\n");
        cli.warmly("$T cp --publish $PWD/site none t").expect(2);
        assertThat(query("--transfers --count")).isEqualTo("1\n");
        assertThat(cli.warmly("$T cp -r --dry-run --publish $PWD/site s t").expect(2).err())
                .contains("--publish records work, and --dry-run does none; leave one of them out");
    }

    @Test
    void theRootOfTheFileSystemIsNotBelowItself() throws Exception {
        cli.sh("mkdir -p t/f/x; echo 1 > s/f").expect(0);
        cli.warmly("$T cp --publish $PWD/site / s/f t").expect(23);
        String file = directory.path().toRealPath() + "/s/f\n";
        assertThat(query("--failures")).isEqualToIgnoringNewLines("/" + file);
        assertThat(query("--failures --below /")).isEqualTo(file.substring(1));
        assertThat(query("--failures --below / --count call~=* or errno=0")).isEqualTo("1\n");
    }

    @Test
    void aSpaceThatCannotBeUsedChangesNeitherTheWorkNorItsExitCode() throws Exception {
        Files.writeString(directory.resolve("file"), "no directory");
        assertThat(cli.warmly("$T cp -rT --publish $PWD/file s t").expect(0).err())
                .contains("the command is not published completely: ");
        cli.sh("diff -r s t").expect(0);
        assertThat(cli.warmly("$T cp -rT --json --publish $PWD/file s t").expect(0).out())
                .contains("\"type\":\"notice\",\"message\":\"the command is not published completely: ");
        assertThat(cli.warmly("$T cp -rT --publish $PWD/s s t").expect(2).err())
                .contains("the directory contains other files");
    }

    @Test
    void aCommandIsRemovedFromTheSpaceByItsId() throws Exception {
        cli.warmly("$T rm --publish $PWD/site s/a/f s/b").expect(23);
        String id = query("--transfers").split("\t", 2)[0];
        for (String wrong : List.of("last", id + " --views", id + " " + id)) {
            assertThat(cli.warmly("$T publish --space $PWD/site --remove " + wrong).expect(2).err())
                    .contains("--remove needs the whole id of one transfer");
        }
        assertThat(cli.warmly("$T publish --space $PWD/site --remove " + id).expect(0).err())
                .contains("removed " + id + " from the space");
        assertThat(query("--transfers --count") + query("--failures --count")).isEqualTo("0\n0\n");
        assertThat(cli.warmly("$T publish --space $PWD/site --remove " + id).expect(2).err())
                .contains("the space has no transfer " + id);
        assertThat(cli.warmly("$T publish --space $PWD/absent --remove " + id).expect(2).err())
                .contains("there is no tuple space in ");
        assertThat(directory.resolve("absent")).doesNotExist();
        cli.sh("mkdir -p c").expect(0);
        cli.warmly("$T cp --publish $PWD/site s/b/h c && $T rm --publish $PWD/site c/h").expect(0);
        cli.warmly("""
                for id in $($T query --space $PWD/site --transfers not 'state-directory^=/' 'created<-90d' | cut -f 1)
                do $T publish --space $PWD/site --remove $id; done""").expect(0);
        assertThat(query("--transfers --count")).isEqualTo("2\n");
        cli.warmly("""
                for id in $($T query --space $PWD/site --transfers not 'state-directory^=/' 'created>-90d' | cut -f 1)
                do $T publish --space $PWD/site --remove $id; done""").expect(0);
        assertThat(query("--transfers --count")).isEqualTo("0\n");
    }
}
