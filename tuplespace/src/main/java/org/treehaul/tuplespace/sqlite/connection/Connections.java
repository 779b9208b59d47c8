// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.sqlite.connection;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Properties;

import org.jspecify.annotations.Nullable;
import org.sqlite.JDBC;
import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.store.SpaceException.Reason;
import org.treehaul.tuplespace.store.StoreOptions;

/** Opens connections to the file of a space, in the way that the user's permissions allow. */
public final class Connections {
    /** Flags of sqlite3.h: read only or read-write, with URI file names, without creating the file. */
    private static final int READ = 0x41;
    private static final int WRITE = 0x42;
    private static final int CACHE_KIB = 32 * 1024;

    private Connections() {}

    /** Opens a connection with the default patience for locks of others. */
    public static SqliteConnection open(Path file) {
        return open(file, StoreOptions.defaults().patience());
    }

    /** Opens a connection to an existing file: a user's typo must not create one. */
    public static SqliteConnection open(Path file, Duration patience) {
        return open(file, patience, WRITE, "", null);
    }

    private static SqliteConnection open(Path file, Duration patience, int mode, String parameters,
            @Nullable FileStamp stamp) {
        Properties properties = new Properties();
        properties.setProperty("busy_timeout", String.valueOf(patience.toMillis()));
        try {
            NativeLibrary.load();
            // Passed as a URI, so that no character of the path has a special meaning.
            properties.setProperty("open_mode", String.valueOf(mode));
            // Otherwise the driver asks for the number of the last row after each insertion, by a statement of its own.
            properties.setProperty("jdbc.get_generated_keys", "false");
            SqliteConnection connection = new SqliteConnection(JDBC.createConnection(
                    "jdbc:sqlite:file:" + file.toAbsolutePath().toUri().getRawPath() + parameters, properties), stamp);
            try {
                connection.run("PRAGMA cache_size = -" + CACHE_KIB);
                JavaTest.install(connection.driver);
                return connection;
            } catch (SQLException e) {
                connection.close();
                throw e;
            }
        } catch (SQLException e) {
            if (e.getCause() instanceof SQLException || e.getErrorCode() != 0) {
                throw Errors.of(file, e);
            }
            throw noDriver(e);
        } catch (LinkageError e) {
            throw noDriver(e);
        } catch (Exception e) {
            if (e instanceof RuntimeException unexpected) {
                throw unexpected;
            }
            throw noDriver(e);
        }
    }

    /**
     * Opens a connection for reading only, which neither changes nor creates files of another user. If the log and its
     * shared memory exist, the space is open elsewhere or a process has died; the connection reads them too. If they do
     * not exist, the file contains everything and is read without locks: reading through a log would create these
     * files, which users other than the owner must not or cannot do.
     */
    public static SqliteConnection openToRead(Path file) {
        if (isOwn(file) && Files.isWritable(file) && Files.isWritable(file.toAbsolutePath().getParent())) {
            return open(file);
        }
        if (!Files.isReadable(file)) {
            throw new SpaceException(Reason.DENIED, "no permission to read " + file);
        }
        if (Files.exists(file.resolveSibling(file.getFileName() + "-shm"))) {
            return open(file, StoreOptions.defaults().patience(), READ, "?readonly_shm=1", null);
        }
        for (String suffix : new String[]{"-wal", "-journal"}) {
            if (hasContent(file.resolveSibling(file.getFileName() + suffix))) {
                throw new SpaceException(Reason.BUSY,
                        file + suffix + " contains unfinished changes; the owner of the space has to open it once");
            }
        }
        return open(file, StoreOptions.defaults().patience(), READ, "?immutable=1", FileStamp.of(file));
    }

    /** Closes a connection to a file. */
    public static void close(SqliteConnection connection, Path file) {
        try {
            connection.close();
        } catch (SQLException e) {
            throw Errors.of(file, e);
        }
    }

    private static boolean hasContent(Path file) {
        try {
            return Files.size(file) > 0;
        } catch (IOException none) {
            return false;
        }
    }

    private static boolean isOwn(Path file) {
        try {
            return Files.getAttribute(file, "unix:uid")
                    .equals(Files.getAttribute(SpaceFile.EFFECTIVE_USER, "unix:uid"));
        } catch (IOException e) {
            throw SpaceFile.failed(file, e);
        }
    }

    private static SpaceException noDriver(Throwable e) {
        String directory = System.getProperty("org.sqlite.tmpdir", System.getProperty("java.io.tmpdir", "/tmp"));
        String why = e instanceof NoClassDefFoundError
                ? "the library sqlite-jdbc (org.xerial) is not on the class path"
                : "its native library is unpacked to " + directory + ", which must be writable and not mounted noexec; "
                        + "-Dorg.sqlite.tmpdir=DIRECTORY sets another";
        return new SpaceException(Reason.DRIVER, "SQLite cannot start: " + why, e);
    }
}
