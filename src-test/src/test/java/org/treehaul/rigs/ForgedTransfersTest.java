// SPDX-License-Identifier: Apache-2.0
package org.treehaul.rigs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.treehaul.packaged.Run;

/** A user of a shared pool forges hooks, directories and users of transfers, to act as another user or as root. */
@Tag("rig")
class ForgedTransfersTest extends RootWorkers {

    private static final String OFFERS = "SCHEMA.\"org.treehaul.schedulers.pool.TransferOffer\"";

    /** Makes a directory into which all users may write. */
    private Path marks() throws IOException {
        Path marks = Files.createDirectory(directory.resolve("marks"));
        Files.setPosixFilePermissions(marks, PosixFilePermissions.fromString("rwxrwxrwx"));
        return marks;
    }

    // The time of an offer, in the form of the table.
    private String since = "";

    private static String mark(Path marks, String name) {
        return "id -u >> " + marks.resolve(name);
    }

    /** Offers a transfer as bob. */
    private void forge(Path transfer, long uid) throws Exception {
        sql("bob", "INSERT INTO " + OFFERS + "(\"$id\", transfer, generation, format, directory, destination, uid, "
                + "priority, most, offered, since) VALUES (nextval('SCHEMA.\"$ids\"'), '" + transfer.getFileName()
                + "', 1, 1, '" + transfer + "', '/', " + uid + ", 0, 0, 1, '" + since + "')");
    }

    /** Removes the offer of a transfer as a role, and returns the number of offers that were removed. */
    private String remove(String role, Path transfer) throws Exception {
        return remove(role, OFFERS, transfer);
    }

    private String remove(String role, String table, Path transfer) throws Exception {
        return query(role, "WITH gone AS (DELETE FROM " + table + " WHERE transfer = '" + transfer.getFileName()
                + "' RETURNING 1) SELECT count(*) FROM gone");
    }

    private static Path only(Path transfers) throws IOException {
        try (Stream<Path> all = Files.list(transfers)) {
            return all.findFirst().orElseThrow();
        }
    }

    /** Gives an empty directory to the pool in the name of root, and returns the directory of the transfer. */
    private Path submitAsRoot(Path state) throws Exception {
        Path source = Files.createDirectory(directory.resolve("S"));
        Run.of(Run
                .command(List.of(), Run.JAR, "cp", "-aT", "--state-dir", state, "--scheduler", "pool", "--space",
                        address("pooler"), source, directory.resolve("T"))
                .toArray()).expect(0);
        return only(state.resolve("transfers"));
    }

    @Test
    void aForgedHookRunsAsTheUserWhoOffersTheTransferOrNotAtAll() throws Exception {
        Path marks = marks();
        for (String user : List.of(ALICE, BOB)) {
            shell(user, "mkdir S; touch S/f");
        }
        submit(ALICE, "alice");
        submit(BOB, "bob");
        // Each has a hook that its user has written after the submission.
        Path bobs = transfer(BOB);
        shell(BOB, "echo '" + mark(marks, "bob") + "' > " + bobs + "/launch/on-complete");
        Path alices = transfer(ALICE);
        shell(ALICE, "echo '" + mark(marks, "alice") + "' > " + alices + "/launch/on-complete");
        // A transfer of root, which is not offered any more.
        Path state = directory.resolve("state");
        Path roots = submitAsRoot(state);
        Files.writeString(roots.resolve("launch/on-complete"), mark(marks, "root"));
        since = query("owner", "SELECT since::text FROM " + OFFERS + " LIMIT 1");
        assertThat(remove("pooler", roots)).isEqualTo("1");
        assertThat(remove("alice", alices)).isEqualTo("1");
        // Bob offers both as his own.
        forge(roots, 0);
        forge(alices, uid(ALICE));
        // He puts something under their ids where a worker looks for his transfers: a link to the one, and a copy of his.
        shell(BOB, "ln -s " + alices + " .treehaul/transfers/" + alices.getFileName() + "; cp -a " + bobs
                + " .treehaul/transfers/" + roots.getFileName());
        String said = worker("--state-dir", state, "--idle", 3).err();
        assertThat(said).contains(BOB + ": transfer " + bobs.getFileName(), "1 transfer finished");
        for (Path other : List.of(alices, roots)) {
            assertThat(said).as("refused for bob").contains("transfer " + other.getFileName() + ": for user " + BOB);
        }
        assertThat(marks.resolve("bob")).as("his own hook").hasContent(String.valueOf(uid(BOB)));
        assertThat(marks.resolve("alice")).doesNotExist();
        assertThat(marks.resolve("root")).doesNotExist();
        assertThat(home(ALICE).resolve("T")).doesNotExist();
        assertThat(directory.resolve("T")).doesNotExist();
    }

    @Test
    void aWorkerOfRootLeavesATransferOfRootWithAHookAlone() throws Exception {
        Path marks = marks();
        Path state = directory.resolve("state");
        Path hook = Files.writeString(submitAsRoot(state).resolve("launch/on-complete"), mark(marks, "root"));
        assertThat(worker("--state-dir", state, "--idle", 3).err()).contains(
                "no worker of a pool runs a command as root: leave out --on-complete", "0 transfers finished");
        assertThat(directory.resolve("T")).doesNotExist();
        Files.delete(hook);
        assertThat(worker("--state-dir", state).err()).contains("1 transfer finished");
        assertThat(directory.resolve("T")).isDirectory();
        assertThat(marks).isEmptyDirectory();
    }

    @Test
    void aUserWhoNamesAnotherOneInAnOfferStaysTheUserAndRemovesNoOffersOfOthers() throws Exception {
        for (String user : List.of(ALICE, BOB)) {
            shell(user, "mkdir S; touch S/f");
        }
        submit(ALICE, "alice");
        submit(BOB, "bob", "--on-complete", mark(marks(), "bob"));
        since = query("owner", "SELECT since::text FROM " + OFFERS + " LIMIT 1");
        for (String table : List.of(OFFERS, OFFERS.replace("Transfer", "Batch"),
                OFFERS.replace("Transfer", "Finish"))) {
            assertThat(remove("bob", table, transfer(ALICE))).as(table).isEqualTo("0");
        }
        assertThat(remove("bob", transfer(BOB))).isEqualTo("1");
        forge(transfer(BOB), uid(ALICE));
        assertThat(worker().err()).contains(ALICE + ": transfer ", BOB + ": transfer ", "2 transfers finished");
        for (String user : List.of(ALICE, BOB)) {
            assertThat(state(user)).contains("complete");
            assertThat(Files.getAttribute(home(user).resolve("T/f"), "unix:uid")).isEqualTo((int) uid(user));
        }
        assertThat(directory.resolve("marks/bob")).hasContent(String.valueOf(uid(BOB)));
    }
}
