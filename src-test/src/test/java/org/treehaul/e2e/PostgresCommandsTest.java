// SPDX-License-Identifier: Apache-2.0
package org.treehaul.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.packaged.Run;
import org.treehaul.tuplespace.PostgresServer;
import org.treehaul.tuplespace.postgresql.connection.Cable;
import org.treehaul.tuplespace.store.SpaceUri;

/** The commands with an index in PostgreSQL. */
class PostgresCommandsTest {

    private static PostgresServer server;

    private final TestDirectory directory = TestDirectory.make();
    private final Cli cli = new Cli(directory.path());
    private final IndexAnswers answers = new IndexAnswers(directory.path());

    @BeforeAll
    static void start() throws Exception {
        server = PostgresServer.start("fsync=off");
        server.run("CREATE ROLE secret LOGIN PASSWORD 'swordfish'");
        server.run("CREATE ROLE guest LOGIN");
    }

    @AfterAll
    static void stop() {
        if (server != null) {
            server.close();
        }
    }

    @BeforeEach
    void makeTree() throws Exception {
        cli.sh(IndexAnswers.TREE).expect(0);
    }

    @AfterEach
    void delete() {
        directory.close();
    }

    private Run run(String space, String command) throws Exception {
        return answers.run(space, command);
    }

    @Test
    void theAnswersAreThoseOfAnIndexInADirectory() throws Exception {
        answers.assertSameInAll(cli, server.fresh().toString());
    }

    @Test
    void theJarItselfContainsWhatItNeedsAndTheVariableNamesTheServer() throws Exception {
        SpaceUri space = server.fresh();
        cli.warmly("$T index --space '" + space + "' s").expect(0);
        Run run = cli.warmly("TREEHAUL_SPACE='" + space + "' $T query --count").expect(0);
        assertThat(run.out()).isEqualTo("10\n");
        assertThat(run.err()).isEmpty();
        assertThat(run(server.overSocket(space).toString(), "query --count").expect(0).out()).isEqualTo("10\n");
        String schema = space.address().replaceFirst(".*schema=", "");
        run = cli.sh("export PGPORT=" + server.port() + " PGDATABASE=postgres PGUSER=secret PGPASSWORD=swordfish\n"
                + "$T index --space 'postgresql://127.0.0.1?schema=own_" + schema + "' s").expect(2);
        assertThat(run.err()).contains("has to grant role secret the rights").doesNotContain("swordfish");
        server.run("GRANT CREATE ON DATABASE postgres TO secret");
        run = cli.sh("export PGPORT=" + server.port() + " PGDATABASE=postgres PGUSER=secret PGPASSWORD=swordfish\n"
                + "$T index --space 'postgresql://127.0.0.1?schema=own_" + schema + "' s &&"
                + "$T query --space 'postgresql://127.0.0.1?schema=own_" + schema + "' -v --count").expect(0);
        assertThat(run.out()).isEqualTo("10\n");
        assertThat(run.err()).doesNotContain("swordfish");
    }

    @Test
    @Tag("rig")
    void aPoolUsesAServerAndPublishesItsTransferThere() throws Exception {
        String space = server.fresh().toString();
        run(space, "index $S").expect(0);
        // A directory in the way of a file.
        cli.sh("mkdir -p t/a/b/g/x").expect(0);
        String shared = " --state-dir=$PWD/state ";
        Run worked = cli.sh("$T cp -aT" + shared + "--scheduler pool --publish '" + space + "' --space '" + space
                + "' s t && $T status last" + shared + "&& $T worker" + shared + "--pool '" + space + "' --idle 0")
                .expect(0);
        assertThat(worked.out())
                .contains("start 'treehaul worker --pool " + space + " --state-dir " + directory.path() + "/state'");
        assertThat(worked.err()).contains("copied 5 of 6 entries, 1 failure");
        assertThat(run(space, "query --transfers --group-by state").expect(0).out()).isEqualTo("1  partial\n");
        assertThat(run(space, "query --batches --count state=done or state=failed").expect(0).out())
                .isEqualTo(run(space, "query --batches --count").out())
                .isNotEqualTo("0\n");
        assertThat(run(space, "query --failures size>0 batch>=0 verified=no").expect(0).out())
                .isEqualTo(directory.path() + "/s/a/b/g\n");
    }

    @Test
    void watchReportsWhatARunOfAnotherProcessFinds() throws Exception {
        String space = server.fresh().toString();
        run(space, "index $S").expect(0);
        Process watch = cli.start("watch", "--space", space, "name=*.h5");
        try (BufferedReader out = watch.inputReader(StandardCharsets.ISO_8859_1)) {
            Cli.awaitSignalHandlers(watch);
            Cli.awaitSaid(watch, "watching");
            cli.sh("rm s/c/e.h5; : > s/new.h5; : > s/other").expect(0);
            run(space, "index").expect(0);
            assertThat(Stream.of(out.readLine(), out.readLine()).sorted()).containsExactly(
                    "gone " + directory.path() + "/s/c/e.h5", "new  " + directory.path() + "/s/new.h5");
            Cli.signal(watch, "INT");
            assertThat(watch.waitFor()).isEqualTo(20);
        } finally {
            watch.destroyForcibly();
        }
    }

    @Test
    void aPasswordInAVariableHasAnyCharactersInEveryLocale() throws Exception {
        server.run("CREATE ROLE umlaut LOGIN PASSWORD 'sw\u00f6rdfish'");
        server.admitFirst("host all umlaut 127.0.0.1/32 scram-sha-256");
        String space = server.fresh().toString().replace("owner@", "umlaut@");
        for (String locale : List.of("C", "C.UTF-8")) {
            Run run = cli.sh("export LC_ALL=" + locale
                    + " PGPASSWORD=\"$(printf 'sw\\303\\266rdfish')\"; $T index --space '" + space + "' s").expect(2);
            assertThat(run.err()).as(locale).contains("grant role umlaut the rights").doesNotContain("rdfish");
        }
    }

    @Test
    void aServerThatIsFarAwayIsWatched() throws Exception {
        SpaceUri space = server.fresh();
        run(space.toString(), "index $S").expect(0);
        // A tenth of a second for each exchange, of which a login takes several.
        try (Cable far = Cable.changing(server.port(), request -> {
            LockSupport.parkNanos(100_000_000);
            return request;
        })) {
            Process watch = cli.start("watch", "--space",
                    space.toString().replace(":" + server.port(), ":" + far.port()));
            try {
                Cli.awaitSaid(watch, "watching");
                Cli.awaitSignalHandlers(watch);
                Cli.signal(watch, "INT");
                assertThat(watch.waitFor()).isEqualTo(20);
            } finally {
                watch.destroyForcibly();
            }
        }
    }

    @Test
    @Tag("rig")
    void watchGoesOnAfterTheServerWasKilledAndReportsThatChangesMayBeMissing() throws Exception {
        SpaceUri space = server.fresh();
        String schema = space.address().replaceFirst(".*schema=", "");
        run(space.toString(), "index $S").expect(0);
        Process watch = cli.start("watch", "--space", space.toString(), "name=*.h5");
        try (BufferedReader out = watch.inputReader(StandardCharsets.ISO_8859_1)) {
            Cli.awaitSignalHandlers(watch);
            Cli.awaitSaid(watch, "watching");
            server.kill();
            server.begin();
            cli.sh(": > s/after.h5").expect(0);
            run(space.toString(), "index").expect(0);
            assertThat(out.readLine()).isEqualTo("new  " + directory.path() + "/s/after.h5");
            // As others do with a process that was away for ten seconds.
            server.run("DELETE FROM " + schema + ".\"$clients\"; DELETE FROM " + schema + ".\"$watchers\"");
            server.kill();
            server.begin();
            Awaitility.await()
                    .atMost(Duration.ofSeconds(60))
                    .until(() -> server.number("SELECT count(*) FROM " + schema + ".\"$watchers\" WHERE events") == 1);
            cli.sh(": > s/later.h5").expect(0);
            run(space.toString(), "index").expect(0);
            assertThat(out.readLine()).isEqualTo("new  " + directory.path() + "/s/later.h5");
            Cli.awaitSaid(watch, "some changes are missing here: they came faster than they could be reported, or the"
                    + " connection to the space was lost");
            assertThat(watch.isAlive()).isTrue();
        } finally {
            watch.destroyForcibly();
        }
    }

    @Test
    void aRoleThatMayOnlyReadQueriesTheIndexButDoesNotChangeIt() throws Exception {
        SpaceUri space = server.fresh();
        run(space.toString(), "index $S").expect(0);
        String asGuest = space.toString().replace("owner@", "guest@");
        String schema = space.address().replaceFirst(".*schema=", "");
        assertThat(run(asGuest, "query --count").expect(2).err()).contains("permission denied",
                "has to grant role guest the rights on it");
        server.run("GRANT USAGE ON SCHEMA " + schema + " TO guest");
        server.run("GRANT SELECT ON ALL TABLES IN SCHEMA " + schema + " TO guest");
        assertThat(run(asGuest, "query --count").expect(0).out()).isEqualTo("10\n");
        assertThat(run(asGuest, "du -s").expect(0).out()).isEqualTo(run(space.toString(), "du -s").out());
        assertThat(run(asGuest, "index").expect(2).err()).contains("has to grant role guest the rights on it");
        assertThat(run(asGuest, "watch").expect(2).err()).contains("has to grant role guest the rights on it");
        assertThat(run(space.toString(), "query --count").expect(0).out()).isEqualTo("10\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"index $S", "index --info", "query --count", "watch", "du -s", "space check"})
    void noServerIsReportedWithTheRemedy(String command) throws Exception {
        // Port 1 of this machine is that of no server.
        Run run = run("postgresql://127.0.0.1:1/db", command).expect(2);
        assertThat(run.out()).isEmpty();
        assertThat(run.err()).startsWith("treehaul: ")
                .contains("127.0.0.1:1", "check that a server runs there and accepts connections")
                .doesNotContain("Exception");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            textBlock = """
                    postgresql://secret@127.0.0.1:PORT/postgres|the password of role secret in ~/.pgpass (PGPASSFILE) or PGPASSWORD
                    postgresql://owner@127.0.0.1:PORT/nothing|create the database first: createdb nothing
                    postgresql://owner@127.0.0.1:PORT/postgres?schema=nothing|there is no tuple space at postgresql://owner@127.0.0.1:PORT/postgres?schema=nothing; 'treehaul index --space ADDRESS ROOT...' creates one
                    postgresql://nobody@127.0.0.1:PORT/postgres|role "nobody" does not exist
                    postgresql:127.0.0.1/postgres|does not begin with postgresql://
                    postgresql://127.0.0.1:x/postgres|a port is not a number
                    postgresql://127.0.0.1/postgres?scheme=x|unknown parameter "scheme"
                    postgresql://owner:swordfish@127.0.0.1:PORT/postgres|put it into ~/.pgpass (chmod 600), or set PGPASSWORD
                    postgresql://127.0.0.1:PORT/postgres?user=owner&password=swordfish|put it into ~/.pgpass (chmod 600), or set PGPASSWORD
                    """)
    void addressesThatLeadNowhereAreReportedWithTheRemedy(String address, String expected) throws Exception {
        String port = String.valueOf(server.port());
        for (String command : List.of("query --count", "du -s", "space check")) {
            Run run = run(address.replace("PORT", port), command).expect(2);
            assertThat(run.out()).isEmpty();
            assertThat(run.err()).doesNotContain("swordfish", "Exception").contains(expected.replace("PORT", port));
        }
        assertThat(run(address.replace("PORT", port), "query --json -v --count").out()).doesNotContain("swordfish");
    }

    @Test
    void aSpaceOfANewerVersionAndASchemaOfAnotherProgramAreLeftAlone() throws Exception {
        SpaceUri space = server.fresh();
        run(space.toString(), "index $S").expect(0);
        String schema = space.address().replaceFirst(".*schema=", "");
        server.run("UPDATE " + schema + ".\"$space\" SET version = version + 1000");
        for (String command : List.of("query --count", "index $S", "watch", "du -s")) {
            assertThat(run(space.toString(), command).expect(2).err()).contains("is a tuple space of version 10",
                    "use a newer one");
        }
        server.run("CREATE SCHEMA others");
        server.run("CREATE TABLE others.things(x int)");
        assertThat(run(server.in("others").toString(), "index $S").expect(2).err()).contains("contains other tables",
                "name another with ?schema=NAME");
        assertThat(server.number("SELECT count(*) FROM pg_class WHERE relnamespace = 'others'::regnamespace")).isOne();
    }
}
