// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.postgresql.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.treehaul.core.testing.Privilege;
import org.treehaul.tuplespace.PostgresServer;
import org.treehaul.tuplespace.SpaceOptions;
import org.treehaul.tuplespace.TupleSpace;
import org.treehaul.tuplespace.TupleSpaces;
import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.store.SpaceException.Reason;
import org.treehaul.tuplespace.store.SpaceUri;
import org.treehaul.tuplespace.tuple.Template;

/** Addresses are completed as libpq does, and each failure to connect names the remedy, never the password. */
class ServerAddressTest {
    private static final String PASSWORD = "an:odd\\word";

    @TempDir
    Path home;

    record Word(String text) {}

    private ServerAddress address(String uri, Map<String, String> variables) {
        return ServerAddress.of(SpaceUri.parse(uri), new Environment(variables::get, home, "alice"));
    }

    private static void fails(Reason reason, String message, ThrowingCallable call) {
        assertThatExceptionOfType(SpaceException.class).isThrownBy(call)
                .satisfies(e -> assertThat(e.reason()).isEqualTo(reason))
                .withMessageContaining(message)
                .satisfies(e -> assertThat(e.getMessage()).doesNotContain("word\"").doesNotContain("s3cret"));
    }

    private Path write(String name, String content, String mode) throws IOException {
        Path file = home.resolve(name);
        Files.writeString(file, content);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(mode));
        return file;
    }

    @Test
    void partsThatAreMissingHaveTheDefaultsOfLibpq() {
        ServerAddress plain = address("postgresql://", Map.of());
        assertThat(plain.hosts()).containsExactly("localhost:5432");
        assertThat(plain.user()).isEqualTo("alice");
        assertThat(plain.database()).isEqualTo("alice");
        assertThat(plain.schema()).isEqualTo("treehaul");
        assertThat(plain.password()).isNull();
        ServerAddress full = address(
                "postgres://bob%40x@db1:5433,[::1]:6,db3/my%20base?schema=jobs&sslmode=require&connect_timeout=3",
                Map.of());
        assertThat(full.hosts()).containsExactly("db1:5433", "[::1]:6", "db3:5432");
        assertThat(full.user()).isEqualTo("bob@x");
        assertThat(full.url()).isEqualTo("jdbc:postgresql://db1:5433,[::1]:6,db3:5432/my%20base");
        assertThat(full.schema()).isEqualTo("jobs");
        assertThat(full.properties()).containsEntry("sslmode", "require").containsEntry("connectTimeout", "3");
    }

    @Test
    void severalServersAreNamedAsForLibpq() {
        ServerAddress listed = address("postgresql:///x?host=a,b,c&port=1,2,3", Map.of());
        assertThat(listed.hosts()).containsExactly("a:1", "b:2", "c:3");
        assertThat(address("postgresql:///x?host=a,b", Map.of("PGPORT", "7")).hosts()).containsExactly("a:7", "b:7");
        fails(Reason.PROVIDER, "it has 2 ports for 3 hosts",
                () -> address("postgresql:///x?host=a,b,c&port=1,2", Map.of()));
        Map.of("any", "any", "read-write", "primary", "primary", "primary", "standby", "secondary", "prefer-standby",
                "preferSecondary")
                .forEach((asked,
                        given) -> assertThat(
                                address("postgresql://a,b/x?target_session_attrs=" + asked, Map.of()).properties())
                                .containsEntry("targetServerType", given));
    }

    @Test
    void portsAndTimesThatTheDriverWouldNotTakeAreRefusedOrMeanWhatTheyDoInLibpq() {
        for (String port : List.of("0", "65536", "99999")) {
            fails(Reason.PROVIDER, "the port " + port, () -> address("postgresql://db:" + port + "/x", Map.of()));
            fails(Reason.PROVIDER, "the port " + port, () -> address("postgresql://db/x", Map.of("PGPORT", port)));
        }
        assertThat(address("postgresql://db:65535/x", Map.of()).hosts()).containsExactly("db:65535");
        for (String time : List.of("-1", "0", " 3 ", "+3", "99999999999")) {
            assertThat(address("postgresql://db/x?connect_timeout=" + time, Map.of()).properties()).containsEntry(
                    "connectTimeout", time.equals("99999999999") ? "2000000" : time.contains("3") ? "3" : "0");
        }
        fails(Reason.PROVIDER, "connect_timeout in the variable PGCONNECT_TIMEOUT is \"5s\"; it is a number of seconds",
                () -> address("postgresql://db/x", Map.of("PGCONNECT_TIMEOUT", "5s")));
    }

    @Test
    void aDirectoryAsHostIsThatOfASocket() throws Exception {
        Map<String, String> variables = Map.of("PGHOST", "/run/a b", "PGPORT", "6", "PGSSLMODE", "require");
        for (ServerAddress address : List.of(address("postgresql:///x", variables),
                address("postgresql://%2Frun%2Fa%20b:6/x?sslmode=require", Map.of()),
                address("postgresql:///x?host=/run/a%20b&port=6", Map.of()))) {
            assertThat(address.url()).isEqualTo("jdbc:postgresql://localhost/x");
            assertThat(address.properties()).containsEntry("socketFactoryArg", "/run/a b/.s.PGSQL.6")
                    .containsEntry("sslmode", "disable");
            assertThat(address).hasToString("postgresql://alice@%2Frun%2Fa%20b:6/x?schema=treehaul");
        }
        assertThat(address("postgresql://db/x", Map.of()).properties()).doesNotContainKey("socketFactory");
        fails(Reason.PROVIDER, "among several hosts", () -> address("postgresql://db,%2Frun/x", Map.of()));
    }

    @Test
    void withoutAHostAServerOfThisMachineIsReachedByItsSocket() throws Exception {
        Path sockets = Files.createDirectory(home.resolve("sockets"));
        Environment here = new Environment(Map.of("PGPORT", "7")::get, home, "alice", sockets);
        assertThat(ServerAddress.of(SpaceUri.parse("postgresql:///x"), here).hosts()).containsExactly("localhost:7");
        Files.createFile(sockets.resolve(".s.PGSQL.7"));
        write(".pgpass", "localhost:7:x:alice:s3cret\n", "rw-------");
        ServerAddress address = ServerAddress.of(SpaceUri.parse("postgresql:///x"), here);
        assertThat(address.hosts()).containsExactly(sockets + ":7");
        assertThat(address.password()).isEqualTo("s3cret");
        assertThat(ServerAddress.of(SpaceUri.parse("postgresql://localhost/x"), here).hosts())
                .containsExactly("localhost:7");
    }

    @Test
    void theAddressCountsBeforeTheServiceAndTheServiceBeforeTheEnvironment() throws Exception {
        Path file = write("services", """
                # ours
                [other]
                host=wrong
                [space]
                host=db.example
                port=5433
                dbname=shared
                user=carol
                """, "rw-r--r--");
        Map<String, String> variables = Map.of("PGSERVICEFILE", file.toString(), "PGSERVICE", "space", "PGUSER", "eve",
                "PGSSLMODE", "require", "PGTARGETSESSIONATTRS", "read-write");
        ServerAddress address = address("postgresql:///other?port=5434", variables);
        assertThat(address.hosts()).containsExactly("db.example:5434");
        assertThat(address.database()).isEqualTo("other");
        assertThat(address.user()).isEqualTo("carol");
        assertThat(address.properties()).containsEntry("sslmode", "require")
                .containsEntry("targetServerType", "primary");
        fails(Reason.PROVIDER, "no service \"gone\"", () -> address("postgresql://?service=gone", variables));
    }

    @Test
    void aServiceFileIsReadAsLibpqDoesAndOneThatCannotBeReadIsNamed() throws Exception {
        Path file = write("services", "", "rw-r--r--");
        Files.write(file, "[old]\nuser=j\u00f6rg\n".getBytes(StandardCharsets.ISO_8859_1));
        Files.writeString(file, "[sp\u00e4ce]\nuser=j\u00f6rg\nport=x\n", StandardOpenOption.APPEND);
        String uri = "postgresql://db:7?service=sp%C3%A4ce";
        assertThat(address(uri, Map.of("PGSERVICEFILE", file.toString())).user()).isEqualTo("j\u00f6rg");
        fails(Reason.PROVIDER, "the port \"x\"",
                () -> address(uri.replace(":7", ""), Map.of("PGSERVICEFILE", file.toString())));
        fails(Reason.IO, "the service file " + home + " cannot be read",
                () -> address(uri, Map.of("PGSERVICEFILE", home.toString())));
        fails(Reason.PROVIDER, home.resolve("absent") + ", which PGSERVICEFILE names",
                () -> address(uri, Map.of("PGSERVICEFILE", home.resolve("absent").toString())));
        fails(Reason.PROVIDER, "the path in PGSERVICEFILE", () -> address(uri, Map.of("PGSERVICEFILE", "a\0b")));
        fails(Reason.PROVIDER, "passfile (PGPASSFILE)", () -> address("postgresql://db", Map.of("PGPASSFILE", "a\0b")));
        Files.move(file, home.resolve(".pg_service.conf"));
        assertThat(address(uri, Map.of("PGSERVICEFILE", "")).user()).isEqualTo("j\u00f6rg");
        if (!Privilege.isRoot()) {
            Files.setPosixFilePermissions(home.resolve(".pg_service.conf"), Set.of());
            fails(Reason.DENIED, "no permission to read the service file", () -> address(uri, Map.of()));
        }
    }

    @Test
    void passwordsComeFromTheEnvironmentOrFromAPrivateFile() throws Exception {
        assertThat(address("postgresql://db/x", Map.of("PGPASSWORD", "s3cret")).password()).isEqualTo("s3cret");
        write(".pgpass", "# comment\ndb:5432:x:bob:wrong\n*:*:x:alice:an\\:odd\\\\word\n", "rw-------");
        assertThat(address("postgresql://db/x", Map.of()).password()).isEqualTo(PASSWORD);
        assertThat(address("postgresql://bob@db/y", Map.of()).password()).isNull();
        Path open = write("open", "*:*:*:*:s3cret\n", "rw-r-----");
        fails(Reason.UNSAFE, "chmod 600 " + open,
                () -> address("postgresql://db", Map.of("PGPASSFILE", open.toString())));
        assertThat(address("postgresql://db/x", Map.of("PGPASSWORD", "s3cret"))).asString().doesNotContain("s3cret");
    }

    @Test
    void aPasswordFileThatIsNoRegularFileOrHasOtherEncodingsIsReadAsLibpqDoes() throws Exception {
        for (String file : List.of("/dev/null", "/", home.resolve("absent").toString())) {
            assertThat(address("postgresql://db", Map.of("PGPASSFILE", file)).password()).isNull();
        }
        Path file = write(".pgpass", "", "rw-------");
        byte[] latin = "old:*:*:j\u00f6rg:l\u00f6st\n".getBytes(StandardCharsets.ISO_8859_1);
        Files.write(file, latin);
        Files.writeString(file, "db:*:*:j\u00f6rg:w\u00f6rd\n", StandardOpenOption.APPEND);
        assertThat(address("postgresql://j%C3%B6rg@db/x", Map.of("PGPASSFILE", "")).password()).isEqualTo("w\u00f6rd");
        assertThat(address("postgresql://j%C3%B6rg@old/x", Map.of()).password()).isNull();
    }

    @Test
    void eachConnectionReadsWhatIsCommittedWhateverTheDefaultOfTheServer() throws Exception {
        String uri = "postgresql://owner@127.0.0.1:" + PostgresServer.shared().port()
                + "/postgres?options=-c%20default_transaction_isolation%3Dserializable";
        Step<String> level = connection -> {
            String found = connection.first("SHOW transaction_isolation", List.of(), row -> row.getString(1));
            return found == null ? "" : found;
        };
        try (Pool pool = Pools.open(address(uri, Map.of()), Duration.ofSeconds(1)); Statements own = pool.connect()) {
            assertThat(pool.read(level)).isEqualTo("read committed");
            assertThat(level.run(own)).isEqualTo("read committed");
        }
    }

    @Test
    void malformedAddressesAndPasswordsInThemAreRefused() {
        for (String uri : List.of("postgresql://bob:s3cret@db/x", "postgresql://db/x?password=s3cret")) {
            fails(Reason.UNSAFE, "~/.pgpass", () -> address(uri, Map.of()));
        }
        fails(Reason.PROVIDER, "unknown parameter \"shema\"; known are schema, application_name",
                () -> address("postgresql://db/x?shema=y", Map.of()));
        fails(Reason.PROVIDER, "port", () -> address("postgresql://db:x/y", Map.of()));
        fails(Reason.PROVIDER, "percent", () -> address("postgresql://db/%zz", Map.of()));
        fails(Reason.PROVIDER, "postgresql://[USER@]HOST", () -> address("postgresql:db", Map.of()));
    }

    private void connect(String uri, Map<String, String> variables) {
        Pools.open(address(uri, variables), Duration.ofSeconds(30)).close();
    }

    @Test
    void eachFailureToConnectNamesTheServerAndTheRemedy() throws Exception {
        PostgresServer server = PostgresServer.shared();
        server.run("DO $$ BEGIN IF to_regrole('secret') IS NULL THEN CREATE ROLE secret LOGIN PASSWORD '" + PASSWORD
                + "'; END IF; END $$");
        String secret = "postgresql://secret@127.0.0.1:" + server.port() + "/postgres";
        fails(Reason.DENIED, "check the password of role secret in ~/.pgpass",
                () -> connect(secret, Map.of("PGPASSWORD", "s3cret")));
        fails(Reason.DENIED, "the password of role secret", () -> connect(secret, Map.of()));
        connect(secret, Map.of("PGPASSWORD", PASSWORD));
        fails(Reason.ABSENT, "createdb nothing",
                () -> connect("postgresql://owner@127.0.0.1:" + server.port() + "/nothing", Map.of()));
        fails(Reason.IO, "check that a server runs there", () -> connect("postgresql://owner@127.0.0.1:1/x", Map.of()));
        fails(Reason.DENIED, "the server offers no encryption",
                () -> connect("postgresql://owner@127.0.0.1:" + server.port() + "/postgres?sslmode=require", Map.of()));
        fails(Reason.DENIED, "role \"nobody\" does not exist",
                () -> connect("postgresql://nobody@127.0.0.1:" + server.port() + "/postgres", Map.of()));
    }

    @Test
    void aRoleWithoutRightsIsRefusedAndOneThatMayReadOnlyReads() throws Exception {
        PostgresServer server = PostgresServer.shared();
        SpaceUri own = server.fresh();
        String schema = own.address().replaceFirst(".*=", "");
        server.run("DO $$ BEGIN IF to_regrole('guest') IS NULL THEN CREATE ROLE guest LOGIN; END IF; END $$");
        SpaceUri guest = SpaceUri.parse(own.toString().replace("owner@", "guest@"));
        fails(Reason.DENIED, "grant role guest", () -> TupleSpaces.open(guest, SpaceOptions.defaults()));
        try (TupleSpace space = TupleSpaces.open(own, SpaceOptions.defaults())) {
            space.write(new Word("a"));
            fails(Reason.DENIED, "grant role guest", () -> TupleSpaces.openToRead(guest, SpaceOptions.defaults()));
            server.run("GRANT USAGE ON SCHEMA " + schema + " TO guest; GRANT SELECT ON ALL TABLES IN SCHEMA " + schema
                    + " TO guest");
            try (TupleSpace read = TupleSpaces.openToRead(guest, SpaceOptions.defaults())) {
                assertThat(read.count(Template.of(Word.class))).isEqualTo(1);
                fails(Reason.DENIED, "reading only", () -> read.write(new Word("b")));
            }
            try (TupleSpace read = TupleSpaces.open(guest, SpaceOptions.defaults())) {
                fails(Reason.DENIED, "grant role guest", () -> read.write(new Word("b")));
            }
        }
    }

    @Test
    void spacesOfNewerVersionsAndOtherTablesAreRefusedAndUnchanged() throws Exception {
        PostgresServer server = PostgresServer.shared();
        SpaceUri uri = server.fresh();
        String schema = uri.address().replaceFirst(".*=", "");
        assertThat(TupleSpaces.exists(uri)).isFalse();
        fails(Reason.ABSENT, "no tuple space", () -> TupleSpaces.openToRead(uri, SpaceOptions.defaults()));
        TupleSpaces.open(uri, SpaceOptions.defaults()).close();
        assertThat(TupleSpaces.exists(uri)).isTrue();
        server.run("UPDATE " + schema + ".\"$space\" SET version = 9");
        fails(Reason.VERSION, "version 9; this program knows versions up to 2",
                () -> TupleSpaces.open(uri, SpaceOptions.defaults()));
        server.run("CREATE SCHEMA mine; CREATE TABLE mine.letters(x int)");
        fails(Reason.DAMAGED, "?schema=NAME", () -> TupleSpaces.open(server.in("mine"), SpaceOptions.defaults()));
        assertThat(server.number("SELECT count(*) FROM pg_class WHERE relnamespace = 'mine'::regnamespace"))
                .isEqualTo(1);
        server.run("DROP SCHEMA mine CASCADE");
        server.run("CREATE DATABASE latin ENCODING 'SQL_ASCII' TEMPLATE template0");
        fails(Reason.VERSION, "UTF8", () -> TupleSpaces
                .open(SpaceUri.parse(uri.toString().replace("/postgres?", "/latin?")), SpaceOptions.defaults()));
    }
}
