// SPDX-License-Identifier: Apache-2.0
package org.treehaul.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.packaged.Run;
import org.treehaul.tuplespace.PostgresServer;

/** An administrator shares a space by the command, and users use it by the others. */
class MembersCommandTest {

    private final PostgresServer server = PostgresServer.shared();
    private final String space = server.fresh().toString();
    private final TestDirectory directory = TestDirectory.make();

    @AfterEach
    void delete() {
        directory.close();
    }

    private Run run(String user, String command) throws Exception {
        String[] words = command.split(" ");
        return WarmProgram.run(
                directory.path(), Stream
                        .concat(Stream.of(words[0], "--space", space.replace("owner@", user + "@")),
                                Arrays.stream(words).skip(1))
                        .toArray(String[]::new));
    }

    @Test
    void anAdministratorSharesAnIndexWithThoseWhoMayWriteAndThoseWhoMayRead() throws Exception {
        server.role("alice", "LOGIN");
        server.role("bob", "LOGIN");
        assertThat(run("owner", "members").expect(2).err()).contains("there is no tuple space at postgresql://owner@");
        assertThat(run("alice", "members create").expect(2).err()).contains("role alice may not share spaces here");
        assertThat(run("owner", "members create").expect(0).err()).contains("'treehaul members grant' admits users");
        assertThat(run("owner", "members").expect(0).err()).contains("no user has rights yet");
        run("owner", "members grant --uid 1001 write alice").expect(0);
        assertThat(run("owner", "members grant read bob").expect(0).err()).contains("bob may read now");
        assertThat(run("bob", "members list").expect(0).out())
                .isEqualTo("alice\twrite\tall\t1001\nbob\tread\tall\t-\n");
        assertThat(run("owner", "members --json").expect(0).out()).contains(
                "\"type\":\"member\",\"user\":\"alice\",\"right\":\"write\",\"all\":true,\"uid\":1001}",
                "\"type\":\"member\",\"user\":\"bob\",\"right\":\"read\",\"all\":true}");

        run("alice", "index .").expect(0);
        assertThat(run("bob", "query --count").expect(0).out()).isEqualTo("1\n");
        assertThat(run("bob", "index").expect(2).err()).contains("role bob may only read this space");
        assertThat(run("bob", "members grant write bob").expect(2).err())
                .contains("role bob does not administer this space");
        assertThat(run("owner", "members revoke bob").expect(0).err()).contains("bob has no rights any more");
        assertThat(run("owner", "members revoke bob").expect(0).err()).contains("bob was no member");
        assertThat(run("bob", "query --count").expect(2).err()).contains("permission denied", "role bob");
    }

    /** Returns a text as arguments and standard output have it: a character for each byte. */
    private static String bytes(String text) {
        return new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
    }

    @Test
    void namesOfAnyCharactersAreThoseOfTheServer() throws Exception {
        server.role("\"j\u00f6rg\"", "LOGIN");
        String schema = "gr\u00f6\u00dfe \u03c0";
        String own = bytes(space.replaceFirst("schema=.*", "schema=" + schema.replace(" ", "%20")));
        Path here = directory.path();
        WarmProgram.run(here, "members", "--space", own, "create").expect(0);
        assertThat(server.number("SELECT count(*) FROM pg_namespace WHERE nspname = '" + schema + "'")).isEqualTo(1);
        assertThat(
                WarmProgram.run(here, "members", "--space", own, "grant", "read", bytes("j\u00f6rg")).expect(0).err())
                .contains("j\u00f6rg may read now");
        assertThat(WarmProgram.run(here, "members", "--space", own).expect(0).out())
                .isEqualTo(bytes("j\u00f6rg\tread\tall\t-\n"));
        String guest = own.replace("owner@", bytes("j\u00f6rg@"));
        assertThat(WarmProgram.run(here, "index", "--space", guest, ".").expect(2).err())
                .contains("role j\u00f6rg may only read this space", "?schema=" + schema);
        assertThat(WarmProgram.run(here, "space", "check", guest).expect(0).err()).contains("the space is intact");
        WarmProgram.run(here, "index", "--space", own, ".").expect(0);
        assertThat(WarmProgram.run(here, "index", "--info", "--space", own).expect(0).out())
                .contains("\n" + own + ": 1 tree, ");
        WarmProgram
                .run(here, "space", "create", "partitions:list", own.replaceFirst("schema=.*", "$0" + bytes("\u00e9")))
                .expect(0);
        assertThat(server.number("SELECT count(*) FROM pg_namespace WHERE nspname = '" + schema + "\u00e9'"))
                .isEqualTo(1);
        assertThat(WarmProgram.run(here, "members", "--space", "postgresql://h\u00e9/db").expect(2).err())
                .contains("is not UTF-8");
    }

    @Test
    void wrongUsageIsRefusedBeforeAServerIsAsked() throws Exception {
        for (String wrong : new String[]{"members grant alice", "members grant write", "members create twice",
                "members drop alice", "members list --apart", "members revoke --all alice", "members --uid 1"}) {
            assertThat(run("owner", wrong).expect(2).err()).contains("members");
        }
        assertThat(run("owner", "members grant own alice").expect(2).err())
                .contains("a right is read or write, not 'own'");
        assertThat(run("owner", "members grant --uid -1 read alice").expect(2).err())
                .contains("a uid is a number from 0");
        assertThat(WarmProgram.run(directory.path(), "members", "--space", "space").expect(2).err())
                .contains("cannot be shared by users of a server");
    }
}
