// SPDX-License-Identifier: Apache-2.0
package org.treehaul.packaged;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.e2e.Cli;

/** The modes of all files and directories that the commands leave behind. */
class ModesTest {

    /** A directory in which a command makes all its files, whether they are private, and the command. */
    private record Case(String name, boolean isPrivate, String command) {}

    /**
     * Results get modes by the umask, as with GNU tools; files that contain names of other trees or run jobs are
     * private.
     */
    private static final List<Case> TABLE = List.of(new Case("copy", false, "cp -r ../s copy"),
            new Case("reports", false, "cp -r --log-file log --errors errors ../s copy"),
            new Case("profile", false, "cp -r --ranks 2 --profile profile ../s copy"),
            new Case("shape", false, "walk --record-shape shape ../s"), // a table of counts, without names
            new Case("plan", true, "plan -o plan -r ../s copy"), //
            new Case("space", true, "index --space space ../s"),
            new Case("state", true,
                    "cp -r --scheduler local --wait --state-dir state ../s ../jobs-copy && $T verify --state-dir state last"),
            new Case("removal", true, "cp -r ../s gone && $T rm -r --scheduler local --wait --state-dir state gone"),
            // Directories get modes according to the XDG Base Directory Specification; settings may name accounts.
            new Case("settings", true, "cp -r --scheduler local --wait --save --state-dir ../more ../s ../saved-copy"));

    private final TestDirectory directory = TestDirectory.make();

    @AfterEach
    void remove() {
        directory.close();
    }

    private Run sh(String umask, String script) throws Exception {
        return Cli.withJobs(directory.path())
                .warmly("umask " + umask + "; unset XDG_CONFIG_HOME; export HOME=$PWD/in-settings; " + script);
    }

    @Test
    void writtenFilesHaveTheModesOfTheTable() throws Exception {
        checkTable("000");
    }

    @ParameterizedTest
    @Tag("rig")
    @ValueSource(strings = {"002", "077"})
    void writtenFilesHaveTheModesOfTheTableUnderAnyUmask(String umask) throws Exception {
        checkTable(umask);
    }

    private void checkTable(String umask) throws Exception {
        String top = directory.path().toString();
        sh("000", "cd " + top + " && chmod 755 . && mkdir s s/d && echo 1 > s/f && echo 2 > s/d/g").expect(0);
        int mask = Integer.parseInt(umask, 8);
        for (Case row : TABLE) {
            if (row.isPrivate() && mask != 0) {
                continue; // The umask 000 takes nothing off: only there is a file private because it was made so.
            }
            String place = top + "/in-" + row.name();
            sh("022", "mkdir " + place).expect(0);
            sh(umask, "cd " + place + " && $T " + row.command()).expect(0);
            String directories = Integer.toOctalString(row.isPrivate() ? 0700 : 0777 & ~mask);
            String files = Integer.toOctalString(row.isPrivate() ? 0600 : 0666 & ~mask);
            List<String> left = sh("022", "cd " + place + " && find . -mindepth 1 -printf '%y %m %P\\n' | sort")
                    .expect(0)
                    .out()
                    .lines()
                    .toList();
            assertThat(left).as(row.name()).isNotEmpty();
            Stream<String> wrong = left.stream()
                    .filter(line -> !line.startsWith("d " + directories + " ") && !line.startsWith("f " + files + " "));
            assertThat(wrong).as("%s under umask %s", row.name(), umask).isEmpty();
        }
    }
}
