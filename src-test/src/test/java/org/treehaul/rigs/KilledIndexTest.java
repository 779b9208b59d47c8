// SPDX-License-Identifier: Apache-2.0
package org.treehaul.rigs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.treehaul.e2e.Cli;
import org.treehaul.packaged.Run;

/** An index run that stops in its transaction and is killed there, during a watch of the index. */
@Tag("rig")
class KilledIndexTest {

    @Test
    void watchersAreNotifiedOnceAfterAKilledRun() throws Exception {
        try (TreeWithMount tree = new TreeWithMount(3, 10)) {
            killedBesideWatch(tree, tree.resolve("space"));
        }
    }

    @Test
    void watchersAreNotifiedOnceAfterAKilledRunWithoutAWriteAheadLog() throws Exception {
        try (TreeWithMount tree = new TreeWithMount(3, 10);
                Bindfs spaces = Bindfs.show(Files.createDirectory(tree.resolve("behindSpaces")),
                        Files.createDirectory(tree.resolve("spaces")))) {
            killedBesideWatch(tree, spaces.resolve("space"));
            assertThat(tree.resolve("behindSpaces/space/space.db")).exists();
        }
    }

    private static void killedBesideWatch(TreeWithMount tree, Path space) throws Exception {
        Cli cli = new Cli(tree.path());
        Run.treehaul("index", "--space", space, tree.resolve("S")).expect(0);
        Process watch = cli.start("watch", "--space", space.toString(), "name=new*");
        try (BufferedReader told = watch.inputReader(StandardCharsets.ISO_8859_1)) {
            Cli.awaitSaid(watch, "watching; press ^C to end");
            Files.createFile(tree.resolve("S/new1"));
            tree.mount().hang();
            Process index = cli.start("index", "--space", space.toString());
            Awaitility.await().until(() -> !index.isAlive() || isWritten(space));
            index.destroyForcibly();
            tree.mount().goOn();
            // The signal ended the run, not an error of its own.
            assertThat(index.waitFor()).isEqualTo(128 + 9);
            Files.createFile(tree.resolve("S/new2"));
            Run.treehaul("index", "--space", space).expect(0);
            assertThat(new String[]{told.readLine(), told.readLine()})
                    .containsExactlyInAnyOrder("new  " + tree.resolve("S/new1"), "new  " + tree.resolve("S/new2"));
            Cli.signal(watch, "INT");
            assertThat(watch.waitFor()).isEqualTo(20);
            assertThat(told.readLine()).isNull();
        } finally {
            watch.destroyForcibly();
        }
    }

    private static boolean isWritten(Path space) throws SQLException {
        try (Connection other = DriverManager.getConnection("jdbc:sqlite:" + space.resolve("space.db"));
                Statement statement = other.createStatement()) {
            statement.execute("PRAGMA busy_timeout = 0");
            statement.execute("BEGIN IMMEDIATE");
            return false;
        } catch (SQLException e) {
            if (!String.valueOf(e.getMessage()).contains("SQLITE_BUSY")) {
                throw e;
            }
            return true;
        }
    }
}
