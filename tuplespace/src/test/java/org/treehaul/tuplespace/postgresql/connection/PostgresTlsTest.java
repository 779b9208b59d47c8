// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.postgresql.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.treehaul.core.testing.Installed;
import org.treehaul.tuplespace.PostgresServer;
import org.treehaul.tuplespace.SpaceOptions;
import org.treehaul.tuplespace.TupleSpace;
import org.treehaul.tuplespace.TupleSpaces;
import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.store.SpaceException.Reason;
import org.treehaul.tuplespace.store.SpaceUri;
import org.treehaul.tuplespace.tuple.Template;

/** Encrypted connections to a real server, with the files and modes of libpq. */
class PostgresTlsTest {
    private static final Duration LONG = Duration.ofSeconds(60);
    /** The server is localhost, and not 127.0.0.1. */
    private static final String SCRIPT = """
            set -e
            : > index
            cat > config << END
            [ca]
            default_ca = own
            [own]
            database = index
            new_certs_dir = .
            rand_serial = yes
            unique_subject = no
            default_md = sha256
            copy_extensions = copy
            policy = names
            [names]
            commonName = supplied
            END
            key() {
                openssl ecparam -genkey -name prime256v1 -noout -out $1.sec1
                openssl pkcs8 -topk8 -nocrypt -in $1.sec1 -out $1.key
            }
            authority() {
                key $1
                openssl req -x509 -new -key $1.key -subj "/CN=$1" -out $1.crt
            }
            sign() { # AUTHORITY KEY NAME FILE [END]
                openssl req -new -key $2 -subj "/CN=$3" -addext "subjectAltName=DNS:$3" -out request
                openssl ca -config config -batch -notext -startdate 20200101000000Z \
                    -enddate ${5-2099}0102000000Z -in request -cert $1.crt -keyfile $1.key -out $4
            }
            authority ours
            authority others
            key server
            sign ours server.key localhost server.crt
            sign ours server.key localhost old.crt 2020
            key user
            sign ours user.key certified user.crt
            sign ours user.key certified user-old.crt 2020
            sign others user.key certified user-others.crt
            sign ours user.key someone user-someone.crt
            openssl genrsa -out rsa.key 2048
            openssl rsa -in rsa.key -traditional -out rsa.pkcs1
            sign ours rsa.key certified rsa.crt
            openssl pkcs8 -topk8 -nocrypt -in user.key -outform DER -out user.pk8
            openssl ecparam -genkey -name prime256v1 -out user.parameters
            sign ours user.parameters certified user-parameters.crt
            openssl pkcs12 -export -in user.crt -inkey user.key -passout pass: -out user.p12 -name user
            openssl pkcs8 -topk8 -in user.key -passout pass:word -out locked.key
            openssl rsa -in rsa.key -traditional -aes128 -passout pass:word -out locked.pkcs1
            cp user.key open.key
            echo none > empty
            chmod 600 *
            chmod 644 open.key
            """;

    @TempDir
    @SuppressWarnings("NullAway") // set by JUnit
    static Path files;

    private static PostgresServer server;

    @TempDir
    Path home;

    @SuppressWarnings("NullAway") // set by JUnit
    PostgresTlsTest() {}

    record Word(String text) {}

    @BeforeAll
    static void start() throws Exception {
        Installed.require("openssl");
        Path log = files.resolve("log");
        assertThat(new ProcessBuilder("sh", "-c", SCRIPT).directory(files.toFile())
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start()
                .waitFor()).as(Files.readString(log)).isZero();
        server = PostgresServer.start("fsync=off");
        server.offerTls(file("server.key"), file("server.crt"), file("ours.crt"));
        server.run("CREATE ROLE certified LOGIN");
        server.run("CREATE ROLE encrypted LOGIN");
        server.run("CREATE ROLE secret LOGIN PASSWORD 'swordfish'");
        server.admitFirst("hostssl all certified 127.0.0.1/32 cert", "hostssl all encrypted 127.0.0.1/32 trust",
                "host all certified,encrypted 127.0.0.1/32 reject");
    }

    @AfterAll
    static void stop() {
        if (server != null) {
            server.close();
        }
    }

    private static Path file(String name) {
        return files.resolve(name);
    }

    /** Returns an address with parameters that name files of the test by {@code @}. */
    private static String address(String role, String host, String parameters) {
        return "postgresql://" + role + "@" + host + ":" + server.port() + "/postgres?schema=own"
                + (parameters.isEmpty() ? "" : "&") + parameters.replace("@", files + "/");
    }

    private boolean isEncrypted(String address, Map<String, String> variables) {
        ServerAddress server = ServerAddress.of(SpaceUri.parse(address),
                new Environment(variables::get, home, "alice"));
        try (Pool pool = Pools.open(server, Duration.ofSeconds(30))) {
            return pool.read(connection -> connection
                    .number("SELECT count(*) FROM pg_stat_ssl WHERE pid = pg_backend_pid() AND ssl")) == 1;
        }
    }

    private boolean isEncrypted(String role, String host, String parameters) {
        return isEncrypted(address(role, host, parameters), Map.of());
    }

    private void fails(Reason reason, String message, String role, String host, String parameters) {
        assertThatExceptionOfType(SpaceException.class).isThrownBy(() -> isEncrypted(role, host, parameters))
                .withMessageContaining(message)
                .satisfies(e -> assertThat(e.reason()).isEqualTo(reason));
    }

    /** Copies a file into the directory of libpq in the home directory. */
    private void give(String name, String as) throws IOException {
        Path directory = Files.createDirectories(home.resolve(".postgresql"));
        Files.copy(file(name), directory.resolve(as));
        Files.setPosixFilePermissions(directory.resolve(as), PosixFilePermissions.fromString("rw-------"));
    }

    @Test
    void eachModeEncryptsAndComparesTheNameOfTheServerAsWithLibpq() throws Exception {
        assertThat(isEncrypted("owner", "127.0.0.1", "sslmode=disable")).isFalse();
        assertThat(isEncrypted("owner", "127.0.0.1", "sslmode=allow")).isFalse();
        assertThat(isEncrypted("encrypted", "127.0.0.1", "sslmode=allow")).isTrue();
        assertThat(isEncrypted("encrypted", "127.0.0.1", "sslmode=prefer")).isTrue();
        assertThat(isEncrypted("encrypted", "127.0.0.1", "")).isTrue();
        assertThat(isEncrypted("encrypted", "127.0.0.1", "sslmode=require")).isTrue();
        assertThat(isEncrypted("encrypted", "127.0.0.1", "sslmode=verify-ca&sslrootcert=@ours.crt")).isTrue();
        assertThat(isEncrypted("encrypted", "localhost", "sslmode=verify-full&sslrootcert=@ours.crt")).isTrue();
        fails(Reason.IO, "address the server by a name in its certificate", "encrypted", "127.0.0.1",
                "sslmode=verify-full&sslrootcert=@ours.crt");
        fails(Reason.PROVIDER, "sslmode is \"on\"; known are disable, allow, prefer, require, verify-ca, verify-full",
                "encrypted", "127.0.0.1", "sslmode=on");
        fails(Reason.DENIED, "sslmode=require", "encrypted", "127.0.0.1", "sslmode=disable");
    }

    @ParameterizedTest
    @ValueSource(strings = {"verify-ca", "verify-full"})
    void aServerWhoseAuthorityIsNotTrustedIsRefusedWithTheRemedy(String mode) throws Exception {
        String parameters = "sslmode=" + mode;
        fails(Reason.PROVIDER, "there is no file " + home + "/.postgresql/root.crt", "encrypted", "localhost",
                parameters);
        fails(Reason.PROVIDER, "a file such as /etc/ssl/certs/ca-certificates.crt", "encrypted", "localhost",
                parameters + "&sslrootcert=system");
        fails(Reason.PROVIDER, "it has to have certificates in PEM", "encrypted", "localhost",
                parameters + "&sslrootcert=@empty");
        fails(Reason.PROVIDER, "have expired; ask the administrator", "encrypted", "localhost",
                parameters + "&sslrootcert=@old.crt");
        fails(Reason.IO, "none of the authorities in sslrootcert (PGSSLROOTCERT) has signed", "encrypted", "localhost",
                parameters + "&sslrootcert=@others.crt");
        give("ours.crt", "root.crt");
        assertThat(isEncrypted("encrypted", "localhost", parameters)).isTrue();
    }

    @Test
    void aFileOfAuthoritiesIsUsedWhereEncryptionIsRequired() throws Exception {
        give("others.crt", "root.crt");
        fails(Reason.IO, "has signed the certificate of the server", "encrypted", "127.0.0.1", "sslmode=require");
        assertThat(isEncrypted("encrypted", "127.0.0.1", "sslmode=require&sslrootcert=@ours.crt")).isTrue();
    }

    @Test
    void theServiceThePasswordFileAndTheVariablesOfLibpqSetUpAnEncryptedConnection() throws Exception {
        Path services = Files.writeString(home.resolve("services"), "[files]\nhost=localhost\nport=" + server.port()
                + "\ndbname=postgres\nuser=secret\nsslmode=verify-full\nsslrootcert=" + file("ours.crt") + "\n");
        Path passwords = Files.writeString(home.resolve("passwords"), "localhost:*:postgres:secret:swordfish\n");
        Files.setPosixFilePermissions(passwords, PosixFilePermissions.fromString("rw-------"));
        Map<String, String> variables = new HashMap<>(
                Map.of("PGSERVICEFILE", services.toString(), "PGPASSFILE", passwords.toString()));
        assertThat(isEncrypted("postgresql://?service=files", variables)).isTrue();
        variables.putAll(Map.of("PGSSLMODE", "verify-full", "PGSSLROOTCERT", file("ours.crt").toString(), "PGSSLCERT",
                file("user.crt").toString(), "PGSSLKEY", file("user.key").toString()));
        assertThat(isEncrypted(address("certified", "localhost", ""), variables)).isTrue();
        variables.put("PGSSLROOTCERT", file("others.crt").toString());
        assertThatExceptionOfType(SpaceException.class)
                .isThrownBy(() -> isEncrypted(address("certified", "localhost", ""), variables))
                .withMessageContaining("has signed the certificate of the server");
    }

    @ParameterizedTest
    @CsvSource({"user.crt,user.key", "user.crt,user.sec1", "rsa.crt,rsa.key", "rsa.crt,rsa.pkcs1", "user.crt,user.pk8",
            "user-parameters.crt,user.parameters"})
    void aUserIsKnownByTheCertificateWhateverTheFormOfTheKey(String certificate, String key) throws Exception {
        for (String mode : new String[]{"require", "verify-full"}) {
            assertThat(isEncrypted("certified", "localhost",
                    "sslmode=" + mode + "&sslrootcert=@ours.crt&sslcert=@" + certificate + "&sslkey=@" + key)).isTrue();
        }
    }

    @Test
    void certificateAndKeyInTheHomeDirectoryAreUsedUnderTheNamesOfLibpqOrOfTheDriver() throws Exception {
        give("user.crt", "postgresql.crt");
        give("user.pk8", "postgresql.pk8");
        assertThat(isEncrypted("certified", "localhost", "")).isTrue();
        Files.delete(home.resolve(".postgresql/postgresql.pk8"));
        give("user.sec1", "postgresql.key");
        assertThat(isEncrypted("certified", "localhost", "")).isTrue();
        Files.setPosixFilePermissions(home.resolve(".postgresql/postgresql.key"),
                PosixFilePermissions.fromString("rw-r--rw-"));
        fails(Reason.UNSAFE, "chmod 600 " + home + "/.postgresql/postgresql.key", "certified", "localhost",
                "sslmode=require");
        assertThat(isEncrypted("encrypted", "localhost", "")).as("nobody asked for it").isTrue();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock = """
                    DENIED   |                            | name your certificate and key with sslcert and sslkey
                    IO       | sslkey=@user.p12           | for a file of PKCS-12 by openssl pkcs12 -nodes
                    DENIED   | sslcert=@user-someone.crt&sslkey=@user.key | its common name has to be that of the role
                    DENIED   | sslcert=@user-others.crt&sslkey=@user.key  | an authority that the server knows has to have signed it
                    IO       | sslcert=@user-old.crt&sslkey=@user.key     | or that has expired
                    PROVIDER | sslcert=@absent&sslkey=@user.key     | sslcert (PGSSLCERT): there is no file
                    PROVIDER | sslcert=@user.crt&sslkey=@absent     | sslkey (PGSSLKEY): there is no file
                    PROVIDER | sslcert=@user.crt                    | with the private key of the certificate
                    UNSAFE   | sslcert=@user.crt&sslkey=@open.key   | is open to others: chmod 600
                    PROVIDER | sslcert=@user.crt&sslkey=@locked.key | openssl pkcs8 -topk8 -nocrypt -in
                    PROVIDER | sslcert=@rsa.crt&sslkey=@locked.pkcs1 | openssl pkcs8 -topk8 -nocrypt -in
                    PROVIDER | sslcert=@user.crt&sslkey=@ours.crt   | contains no private key
                    PROVIDER | sslcert=@empty&sslkey=@user.key      | both have to be in PEM
                    PROVIDER | sslcert=@rsa.crt&sslkey=@user.key    | the key has to belong to the certificate
                    """)
    void aCertificateOrKeyOfTheUserThatCannotBeUsedIsReportedWithTheRemedy(Reason reason, @Nullable String files,
            String message) throws Exception {
        String own = files == null ? "" : "&" + files;
        for (String mode : new String[]{"require", "verify-full"}) {
            fails(reason, message, "certified", "localhost", "sslmode=" + mode + "&sslrootcert=@ours.crt" + own);
        }
    }

    @Test
    void aLoginThatIsNotTheRequiredOneIsRefused() throws Exception {
        String encrypted = "sslmode=verify-full&sslrootcert=@ours.crt";
        Map<String, String> password = Map.of("PGPASSWORD", "swordfish");
        for (String required : new String[]{"channel_binding=require", "require_auth=scram-sha-256",
                "require_auth=!none,!md5,!password"}) {
            assertThat(isEncrypted(address("secret", "localhost", encrypted + "&" + required), password)).isTrue();
            fails(Reason.DENIED,
                    required.startsWith("channel") ? "scram-sha-256 in the server's pg_hba.conf" : "require_auth",
                    "encrypted", "localhost", encrypted + "&" + required);
        }
        assertThatExceptionOfType(SpaceException.class).isThrownBy(
                () -> isEncrypted(address("secret", "localhost", "sslmode=disable&channel_binding=require"), password))
                .withMessageContaining("channel_binding=require needs sslmode=require");
        assertThatExceptionOfType(SpaceException.class).isThrownBy(
                () -> isEncrypted(address("secret", "localhost", encrypted + "&require_auth=md5,none"), password))
                .withMessageContaining("a login that require_auth does not allow");
    }

    @Test
    void aListOfRevokedCertificatesThatLibpqWouldReadIsNotIgnored() throws Exception {
        give("ours.crt", "root.crt");
        give("empty", "root.crl");
        fails(Reason.PROVIDER, "the file " + home + "/.postgresql/root.crl is not supported: a revoked certificate",
                "encrypted", "localhost", "sslmode=verify-ca");
        assertThat(isEncrypted("encrypted", "localhost", "sslmode=prefer")).isTrue();
        Files.delete(home.resolve(".postgresql/root.crl"));
        assertThat(isEncrypted("encrypted", "localhost", "sslmode=verify-ca")).isTrue();
    }

    @Test
    @Tag("rig")
    void aServerWhoseCertificateHasExpiredIsRefusedAndTheAdministratorNamed() throws Exception {
        server.offerTls(file("server.key"), file("old.crt"), file("ours.crt"));
        try {
            // The server reads its files some time after it was asked to.
            Awaitility.await()
                    .atMost(LONG)
                    .untilAsserted(() -> fails(Reason.IO, "is not valid now: its administrator has to renew it",
                            "encrypted", "localhost", "sslmode=verify-ca&sslrootcert=@ours.crt"));
        } finally {
            server.offerTls(file("server.key"), file("server.crt"), file("ours.crt"));
        }
        Awaitility.await()
                .atMost(LONG)
                .ignoreExceptions()
                .until(() -> isEncrypted("encrypted", "localhost", "sslmode=verify-ca&sslrootcert=@ours.crt"));
    }

    @Test
    void aSpaceOverAnEncryptedConnectionWaitsAndIsNotified() throws Exception {
        String uri = address("owner", "localhost",
                "sslmode=verify-full&sslrootcert=@ours.crt&sslcert=@user.crt&sslkey=@user.sec1");
        try (TupleSpace one = TupleSpaces.open(uri, SpaceOptions.defaults());
                TupleSpace other = TupleSpaces.open(uri, SpaceOptions.defaults())) {
            var waiting = one.takeAsync(Template.of(Word.class), LONG);
            other.write(new Word("encrypted"));
            assertThat(waiting.get().orElseThrow()).isEqualTo(new Word("encrypted"));
            assertThat(server.number("SELECT count(*) FROM pg_stat_ssl JOIN pg_stat_activity USING (pid)"
                    + " WHERE application_name = 'treehaul' AND NOT ssl")).isZero();
        }
    }
}
