// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;

import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.testing.Installed;
import org.treehaul.core.testing.Privilege;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.core.testing.TreeRemoval;
import org.treehaul.tuplespace.store.SpaceUri;

/**
 * A PostgreSQL server on loopback, in a directory of its own, which an ordinary user runs. Roles need no password, but
 * role {@code secret} needs one.
 */
public final class PostgresServer implements AutoCloseable {
    /** The property that names the directory of the server's programs, to test with another version. */
    private static final String PROGRAMS = "treehaul.postgresql";
    private static final AtomicInteger SCHEMAS = new AtomicInteger();
    private static final String NOBODY = "65534";
    private static final String PASSWORD = "keystore";
    // A server in memory leaves room for those of three other JVMs.
    private static final long ROOM = 4L << 30;
    private static final long FILES = 100_000;

    private static @Nullable PostgresServer shared;

    private final Path directory;
    private final int port;
    private final List<String> settings;
    private Process process;

    @SuppressWarnings("NullAway") // started before it is returned
    private PostgresServer(Path directory, List<String> settings) throws IOException {
        this.settings = settings;
        this.directory = directory;
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = socket.getLocalPort();
        }
    }

    /** Returns the server of this JVM, which does not sync: nothing of it outlives the JVM. */
    public static synchronized PostgresServer shared() {
        PostgresServer known = shared;
        if (known == null) {
            known = startIn(TestDirectory.place(ROOM, FILES), "fsync=off");
            Runtime.getRuntime().addShutdownHook(new Thread(known::close));
            shared = known;
        }
        return known;
    }

    /** Starts a server with settings; skips the test if it is not installed. */
    public static PostgresServer start(String... settings) {
        return startIn(Path.of(System.getProperty("java.io.tmpdir")), settings);
    }

    /** Starts a server that stores its data in a directory of its own below this one, which others can search. */
    public static PostgresServer startIn(Path place, String... settings) {
        Assumptions.assumeTrue(programs().isPresent(), "PostgreSQL 15 or newer is not installed (package postgresql)");
        Installed.require("setpriv");
        try {
            PostgresServer server = new PostgresServer(Files.createTempDirectory(place, "treehaul-postgres"),
                    List.of(settings));
            server.make();
            server.begin();
            return server;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Starts a standby of this server, which follows it until it is {@linkplain #promote promoted}. */
    public PostgresServer standby() {
        try {
            admit("127.0.0.1/32");
            PostgresServer standby = new PostgresServer(Files.createTempDirectory("treehaul-postgres"), settings);
            standby.own();
            Path log = standby.directory.resolve("basebackup.log");
            wait(new ProcessBuilder(
                    command("pg_basebackup", "-D", standby.directory.resolve("data").toString(), "-h", "127.0.0.1",
                            "-p", String.valueOf(port), "-U", "owner", "-R", "-X", "stream", "-c", "fast", "--no-sync"))
                    .redirectErrorStream(true)
                    .redirectOutput(log.toFile())
                    .start(), log);
            standby.begin();
            return standby;
        } catch (IOException | SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Makes a standby a primary, and returns when it is one. */
    public void promote() throws SQLException {
        run("SELECT pg_promote()");
    }

    /** Adds rules by which the server admits connections, before those that it has. */
    public void admitFirst(String... rules) throws IOException, SQLException {
        Path file = directory.resolve("data/pg_hba.conf");
        Files.writeString(file, String.join("\n", rules) + "\n" + Files.readString(file));
        run("SELECT pg_reload_conf()");
    }

    /** Lets every role, and standbys, connect from a network without a password. */
    public void admit(String network) throws IOException, SQLException {
        Files.writeString(directory.resolve("data/pg_hba.conf"),
                "host all all " + network + " trust\nhost replication all " + network + " trust\n",
                StandardOpenOption.APPEND);
        run("SELECT pg_reload_conf()");
    }

    /**
     * Returns the directory of the programs of the newest server that is installed, or of the one that the property
     * names.
     */
    private static Optional<Path> programs() {
        String named = System.getProperty(PROGRAMS, "");
        if (!named.isEmpty()) {
            return Optional.of(Path.of(named));
        }
        for (int version = 30; version >= 15; version--) {
            Path programs = Path.of("/usr/lib/postgresql", String.valueOf(version), "bin");
            if (Files.isExecutable(programs.resolve("initdb"))) {
                return Optional.of(programs);
            }
        }
        return Optional.empty();
    }

    private List<String> command(String program, String... arguments) {
        List<String> command = new ArrayList<>();
        if (Privilege.isRoot()) {
            command.addAll(List.of("setpriv", "--reuid=" + NOBODY, "--regid=" + NOBODY, "--clear-groups"));
        }
        command.add(programs().orElseThrow().resolve(program).toString());
        command.addAll(List.of(arguments));
        return command;
    }

    private void own() throws IOException {
        if (Privilege.isRoot()) {
            Files.setAttribute(directory, "unix:uid", Integer.valueOf(NOBODY));
        }
    }

    private void make() throws IOException {
        own();
        Path data = directory.resolve("data");
        PostgresTemplate.make(data, programs().orElseThrow(), this::initialize);
        Files.writeString(data.resolve("pg_hba.conf"),
                "host all secret 127.0.0.1/32 scram-sha-256\nhost all all 127.0.0.1/32 trust\nlocal all all trust\n");
    }

    private void initialize(Path data) throws IOException {
        Path log = directory.resolve("initdb.log");
        wait(new ProcessBuilder(command("initdb", "-D", data.toString(), "-U", "owner", "-A", "trust", "-E", "UTF8",
                "--locale=C", "--no-sync", "--no-instructions")).redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start(), log);
    }

    private static void wait(Process process, Path log) throws IOException {
        try {
            if (process.waitFor() != 0) {
                throw new IOException(Files.readString(log));
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Starts the server, again after {@link #kill}, and returns when it answers. */
    public void begin() {
        List<String> arguments = new ArrayList<>(List.of("-D", directory.resolve("data").toString(), "-p",
                String.valueOf(port), "-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories=" + directory,
                "-c", "shared_buffers=16MB", "-c", "max_connections=60",
                // In files of its directory, because a server that is killed removes nothing from /dev/shm.
                "-c", "dynamic_shared_memory_type=mmap"));
        settings.forEach(setting -> arguments.addAll(List.of("-c", setting)));
        Path log = directory.resolve("log");
        try {
            process = new ProcessBuilder(command("postgres", arguments.toArray(String[]::new)))
                    .directory(directory.toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
                    .start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> {
            if (!process.isAlive()) {
                throw new IllegalStateException(Files.readString(log));
            }
            try (Connection connection = connect()) {
                return connection.isValid(1);
            } catch (SQLException notYet) {
                return false;
            }
        });
    }

    /** Kills the server and all its processes. */
    public void kill() throws InterruptedException {
        List<ProcessHandle> children = process.toHandle().descendants().toList();
        process.destroyForcibly();
        children.forEach(ProcessHandle::destroyForcibly);
        process.waitFor();
        Awaitility.await().until(() -> children.stream().noneMatch(ProcessHandle::isAlive));
    }

    /** Starts the server again if it has ended by itself. */
    public void revive() {
        if (!process.isAlive()) {
            begin();
        }
    }

    /** Returns the first process of the server, the parent of the others. */
    public ProcessHandle process() {
        return process.toHandle();
    }

    public int port() {
        return port;
    }

    /** Connects as the owner. */
    public Connection connect() throws SQLException {
        return DriverManager.getConnection("jdbc:postgresql://127.0.0.1:" + port + "/postgres?user=owner");
    }

    /** Runs a statement as the owner. */
    public void run(String sql) throws SQLException {
        try (Connection connection = connect(); Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /** Runs a statement as a role that needs no password. */
    public void runAs(String role, String sql) throws SQLException {
        try (Connection connection = DriverManager
                .getConnection("jdbc:postgresql://127.0.0.1:" + port + "/postgres?user=" + role);
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /**
     * Runs a program that comes with the server, such as pg_dump, as the owner of a database.
     *
     * @param arguments its further arguments; {@code @} before the name of a file is replaced by the directory of the
     *        server
     */
    public void client(String program, String database, String... arguments) throws IOException {
        List<String> all = new ArrayList<>(
                List.of("-h", "127.0.0.1", "-p", String.valueOf(port), "-U", "owner", "-d", database));
        for (String argument : arguments) {
            all.add(argument.startsWith("@") ? directory.resolve(argument.substring(1)).toString() : argument);
        }
        Path log = directory.resolve(program + ".log");
        wait(new ProcessBuilder(command(program, all.toArray(String[]::new))).redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start(), log);
    }

    /** Returns the number in the first row. */
    public long number(String sql) throws SQLException {
        try (Connection connection = connect();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            return row.next() ? row.getLong(1) : 0;
        }
    }

    /** Makes a role unless it exists. */
    public void role(String name, String rights) throws SQLException {
        run("DO $$ BEGIN IF to_regrole('" + name + "') IS NULL THEN CREATE ROLE " + name + " " + rights
                + "; END IF; END $$");
    }

    /** Returns the directory in which the server has its socket. */
    public Path sockets() {
        return directory;
    }

    /** Returns the address of a space by the socket of the server in the file system. */
    public SpaceUri overSocket(SpaceUri space) {
        return SpaceUri.parse(
                space.toString().replace("127.0.0.1", URLEncoder.encode(directory.toString(), StandardCharsets.UTF_8)));
    }

    /** Makes the server offer TLS, with a certificate that no authority has signed, or offer it no more. */
    public void offerTls(boolean isOffered) throws IOException, GeneralSecurityException, SQLException {
        if (isOffered) {
            Path store = directory.resolve("store");
            Path log = directory.resolve("keytool.log");
            wait(new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin/keytool").toString(), "-genkeypair",
                    "-alias", "server", "-keyalg", "EC", "-dname", "CN=localhost", "-keystore", store.toString(),
                    "-storepass", PASSWORD).redirectErrorStream(true).redirectOutput(log.toFile()).start(), log);
            KeyStore keys = KeyStore.getInstance(store.toFile(), PASSWORD.toCharArray());
            pem("server.key", "PRIVATE KEY", keys.getKey("server", PASSWORD.toCharArray()).getEncoded());
            pem("server.crt", "CERTIFICATE", keys.getCertificate("server").getEncoded());
        }
        offerTlsNow(isOffered);
    }

    /**
     * Makes the server offer TLS with files in PEM.
     *
     * @param authority the certificate of the authority of users
     */
    public void offerTls(Path key, Path certificate, Path authority) throws IOException, SQLException {
        install("server.key", Files.readAllBytes(key));
        install("server.crt", Files.readAllBytes(certificate));
        install("users.crt", Files.readAllBytes(authority));
        run("ALTER SYSTEM SET ssl_ca_file = 'users.crt'");
        offerTlsNow(true);
    }

    private void offerTlsNow(boolean isOffered) throws SQLException {
        run("ALTER SYSTEM SET ssl = " + isOffered);
        run("SELECT pg_reload_conf()");
        Awaitility.await()
                .atMost(Duration.ofSeconds(60))
                .until(() -> number(
                        "SELECT count(*) FROM pg_stat_ssl WHERE pid = pg_backend_pid() AND ssl") > 0 == isOffered);
    }

    private void pem(String name, String kind, byte[] content) throws IOException {
        install(name, ("-----BEGIN " + kind + "-----\n" + Base64.getMimeEncoder().encodeToString(content)
                + "\n-----END " + kind + "-----\n").getBytes(StandardCharsets.ISO_8859_1));
    }

    private void install(String name, byte[] content) throws IOException {
        Path file = directory.resolve("data").resolve(name);
        Files.write(file, content);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        if (Privilege.isRoot()) {
            Files.setAttribute(file, "unix:uid", Integer.valueOf(NOBODY));
        }
    }

    /** Returns what the server has logged. */
    public String log() throws IOException {
        return Files.readString(directory.resolve("log"));
    }

    /** Returns the address of a space that does not exist yet. */
    public SpaceUri fresh() {
        return in("s" + SCHEMAS.incrementAndGet());
    }

    /** Returns the address of the space in a schema. */
    public SpaceUri in(String schema) {
        return SpaceUri.parse("postgresql://owner@127.0.0.1:" + port + "/postgres?schema=" + schema);
    }

    /** Ends all connections that listen to the changes of a space. */
    public void endListeners(SpaceUri space) throws SQLException {
        run("SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 2"
                + " AND classid = to_regnamespace('" + space.address().replaceFirst(".*schema=", "")
                + "')::oid AND objid >= 16");
    }

    /** Removes a space. */
    public void drop(SpaceUri space) throws SQLException {
        run("DROP SCHEMA " + space.address().replaceFirst(".*schema=", "") + " CASCADE");
    }

    @Override
    public void close() {
        try {
            // Ends the connections of a space that a failed test has left open; SIGTERM would wait for them for ever.
            new ProcessBuilder("kill", "-INT", String.valueOf(process.pid())).start().waitFor();
            process.waitFor();
            TreeRemoval.remove(Linux.calls(), directory);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
