// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.sqlite;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.Set;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sqlite.JDBC;
import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.store.SpaceException.Reason;
import org.treehaul.tuplespace.store.StoreOptions;

/** The file of a space: made private to its owner, opened in a way that its file system can bear. */
final class SpaceFile {
    private static final Logger LOG = LoggerFactory.getLogger(SpaceFile.class);
    /** Pages of 4 KiB in the log before they are copied back: a commit in some thousand then takes longer. */
    private static final int CHECKPOINT_PAGES = 4000;
    /** Flags of sqlite3.h: to read only, or to write, a URI; no creation. */
    private static final int READ = 0x41;
    private static final int WRITE = 0x42;
    private static final int CACHE_KIB = 32 * 1024;
    /**
     * Without a write-ahead log the changes of a transaction stay in memory until it ends: to write them before, SQLite
     * keeps all readers out until then. Of more than this it does so all the same, as memory has an end.
     */
    private static final int SPILL_KIB = 256 * 1024;
    private static final Set<PosixFilePermission> PRIVATE_FILE = PosixFilePermissions.fromString("rw-------");
    private static final Set<PosixFilePermission> PRIVATE_DIRECTORY = PosixFilePermissions.fromString("rwx------");
    /**
     * Where memory that is mapped from a file is not shared by nodes, which the write-ahead log of SQLite needs
     * (sqlite.org/wal.html); some of these even pass the probe from one node.
     */
    private static final Set<String> SHARED = Set.of("nfs", "nfs4", "lustre", "gpfs", "beegfs", "beegfs_nodev", "cifs",
            "smb3", "smbfs", "ceph", "9p", "afs", "ocfs2", "gfs2", "pvfs2", "orangefs", "virtiofs", "panfs",
            "glusterfs");

    /** The effective user of a process owns its directory in /proc. */
    private static final Path EFFECTIVE_USER = Path.of("/proc/self");
    /** The bits of a mode by which group and others write. */
    private static final int OTHERS_WRITE = 022;

    private SpaceFile() {}

    static Path in(Path directory) {
        return directory.resolve(Names.FILE);
    }

    /**
     * Makes an empty space, and its directory, where there is none; only the owner may read them, whatever the umask.
     * It is whole when it gets its name: so a file without content is never a space that is just being made.
     */
    static Path make(Path directory, StoreOptions options) {
        Path file = in(directory);
        if (!exists(directory)) {
            try (SqliteLoad empty = new SqliteLoad(directory, options)) {
                empty.finish();
            } catch (SpaceException e) {
                // Another process may have been first.
                if (!exists(directory)) {
                    throw e;
                }
            }
        }
        if (Files.isSymbolicLink(file) && !Files.exists(file)) {
            throw new SpaceException(Reason.IO, file + " is a link to nowhere");
        }
        requireOwn(directory);
        checkContent(file);
        return file;
    }

    /** Throws DAMAGED where a file has no content: it has been cut, or never was a space. */
    static void checkContent(Path file) {
        try {
            if (Files.size(file) == 0) {
                throw new SpaceException(Reason.DAMAGED,
                        file + " is empty, which no space ever is: its content was cut off and is lost. Restore it "
                                + "from a backup, or remove it to begin anew");
            }
        } catch (IOException e) {
            throw failed(file, e);
        }
    }

    /** Gives a file its name, unless there is one of that name: then FileAlreadyExistsException. */
    static void place(Path temporary, Path file) throws IOException {
        try {
            // A link and not a rename: it never replaces a space that another process has made.
            Files.createLink(file, temporary);
            Files.delete(temporary);
        } catch (FileAlreadyExistsException e) {
            throw e;
        } catch (FileSystemException | UnsupportedOperationException noLinks) {
            LOG.debug("{}: no links here: {}", file, noLinks.toString());
            rename(temporary, file);
        }
    }

    private static synchronized void rename(Path temporary, Path file) throws IOException {
        Path guard = file.resolveSibling(".making");
        try (FileChannel channel = FileChannel.open(guard, Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE),
                PosixFilePermissions.asFileAttribute(PRIVATE_FILE)); FileLock lock = channel.lock()) {
            LOG.trace("locked {}", lock);
            if (Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
                throw new FileAlreadyExistsException(file.toString());
            }
            Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE);
        }
    }

    static void makeDirectory(Path directory) throws IOException {
        if (!Files.isDirectory(directory)) {
            Path parent = directory.toAbsolutePath().getParent();
            if (parent != null) {
                Files.createDirectories(parent);
            }
            try {
                Files.createDirectory(directory, PosixFilePermissions.asFileAttribute(PRIVATE_DIRECTORY));
                Files.setPosixFilePermissions(directory, PRIVATE_DIRECTORY);
            } catch (FileAlreadyExistsException e) {
                if (!Files.isDirectory(directory)) {
                    throw e;
                }
            }
        }
    }

    /**
     * Checks by owner and mode that only this user changes a directory, and the space in it if there is one: a space
     * that others prepared would decide where and what SQLite writes. Symbolic links are followed, as SQLite follows
     * them: its log lies beside the file that a link names.
     *
     * @throws SpaceException UNSAFE when others own them or can write to them
     */
    static void requireOwn(Path directory) {
        Path file = in(directory);
        try {
            requireOwnPath(directory);
            if (Files.exists(file)) {
                Path real = file.toRealPath();
                requireOwnPath(Objects.requireNonNull(real.getParent()));
                requireOwnPath(real);
            }
        } catch (IOException e) {
            throw failed(file, e);
        }
    }

    private static void requireOwnPath(Path path) throws IOException {
        Map<String, Object> status = Files.readAttributes(path, "unix:uid,mode");
        Object self = Files.getAttribute(EFFECTIVE_USER, "unix:uid");
        int mode = ((Number) Objects.requireNonNull(status.get("mode"))).intValue() & 07777;
        String octal = Integer.toOctalString(mode);
        if (!self.equals(status.get("uid"))) {
            throw new SpaceException(Reason.UNSAFE,
                    path + " belongs to user " + status.get("uid") + " (mode " + octal + "), not to user " + self
                            + ", so the space is not opened for writing; work as its owner, or use a directory of "
                            + "your own");
        }
        if ((mode & OTHERS_WRITE) != 0) {
            throw new SpaceException(Reason.UNSAFE,
                    path + " is writable by others (mode " + octal + "), so the space is not opened for writing; "
                            + "if all that is in it is yours: chmod go-w " + path);
        }
    }

    static void makePrivate(Path file) throws IOException {
        Files.createFile(file, PosixFilePermissions.asFileAttribute(PRIVATE_FILE));
        // A umask may have taken even from these.
        Files.setPosixFilePermissions(file, PRIVATE_FILE);
    }

    static SpaceException failed(Path file, IOException e) {
        boolean isDenied = e instanceof AccessDeniedException;
        return new SpaceException(isDenied ? Reason.DENIED : Reason.IO, file + ": " + e, e);
    }

    /** Opens a connection that waits for others as long as is usual. */
    static Link connect(Path file) {
        return connect(file, StoreOptions.defaults().patience());
    }

    /** Opens a connection. What must never be found out by a user's typo: the file must be there. */
    static Link connect(Path file, Duration patience) {
        return connect(file, patience, WRITE, "", null);
    }

    private static Link connect(Path file, Duration patience, int mode, String parameters, @Nullable FileStamp stamp) {
        Properties properties = new Properties();
        properties.setProperty("busy_timeout", String.valueOf(patience.toMillis()));
        try {
            // As a URI, so that no character of the path means anything.
            properties.setProperty("open_mode", String.valueOf(mode));
            Link link = new Link(JDBC.createConnection(
                    "jdbc:sqlite:file:" + file.toAbsolutePath().toUri().getRawPath() + parameters, properties), stamp);
            try {
                link.run("PRAGMA cache_size = -" + CACHE_KIB);
                JavaTest.install(link.connection);
                return link;
            } catch (SQLException e) {
                link.close();
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
     * Opens a connection for reading only, which changes and makes no file that is not one's own. Where the log and its
     * shared memory are there the space is open elsewhere, or a process has died; they are read, too. Where they are
     * not all is in the file, which is read without locks then: the log could not be read without making them, which
     * others than the owner must not, or cannot.
     */
    static Link connectToRead(Path file) {
        if (isOwn(file) && Files.isWritable(file) && Files.isWritable(file.toAbsolutePath().getParent())) {
            return connect(file);
        }
        if (!Files.isReadable(file)) {
            throw new SpaceException(Reason.DENIED, "no permission to read " + file);
        }
        if (Files.exists(file.resolveSibling(file.getFileName() + "-shm"))) {
            return connect(file, StoreOptions.defaults().patience(), READ, "?readonly_shm=1", null);
        }
        for (String suffix : new String[]{"-wal", "-journal"}) {
            if (hasContent(file.resolveSibling(file.getFileName() + suffix))) {
                throw new SpaceException(Reason.BUSY, file + suffix
                        + " holds changes that only the owner of the space can bring to an end: he has to open it once");
            }
        }
        return connect(file, StoreOptions.defaults().patience(), READ, "?immutable=1", FileStamp.of(file));
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
            return Files.getAttribute(file, "unix:uid").equals(Files.getAttribute(EFFECTIVE_USER, "unix:uid"));
        } catch (IOException e) {
            throw failed(file, e);
        }
    }

    private static SpaceException noDriver(Throwable e) {
        String directory = System.getProperty("org.sqlite.tmpdir", System.getProperty("java.io.tmpdir", "/tmp"));
        String why = e instanceof NoClassDefFoundError
                ? "the library sqlite-jdbc (org.xerial) is not on the class path"
                : "its native library is unpacked to " + directory + ", which must be writable and not mounted noexec; "
                        + "-Dorg.sqlite.tmpdir=DIRECTORY names another";
        return new SpaceException(Reason.DRIVER, "SQLite cannot start: " + why, e);
    }

    /** Chooses how commits are made to last. The write-ahead log where it works, as it is many times faster. */
    static void chooseJournal(Link link, Path file) throws SQLException {
        String shared = sharedType(file);
        String now = journal(link, "PRAGMA journal_mode");
        if (shared != null) {
            checkLocks(file);
            if (!now.equals("delete")) {
                now = journal(link, "PRAGMA journal_mode = DELETE");
            }
            LOG.info(
                    "{} is on {}: a rollback journal is used, and processes of one node only may have it open; several "
                            + "nodes need a database server such as PostgreSQL to share a space",
                    file, shared);
        } else if (!now.equals("wal")) {
            checkLocks(file);
            now = probe(file)
                    ? journal(link, "PRAGMA journal_mode = WAL")
                    : journal(link, "PRAGMA journal_mode = DELETE");
        }
        // EXTRA also syncs the directory after a rollback journal has gone from it.
        link.run("PRAGMA synchronous = " + (now.equals("wal") ? "FULL" : "EXTRA"));
        if (!now.equals("wal")) {
            link.run("PRAGMA cache_spill = -" + SPILL_KIB);
        }
        link.run("PRAGMA wal_autocheckpoint = " + CHECKPOINT_PAGES);
    }

    static boolean isWal(Link link) throws SQLException {
        return journal(link, "PRAGMA journal_mode").equals("wal");
    }

    private static String journal(Link link, String pragma) throws SQLException {
        String mode = link.first(pragma, List.of(), row -> row.getString(1));
        return mode == null ? "" : mode.toLowerCase(Locale.ROOT);
    }

    private static @Nullable String sharedType(Path file) {
        try {
            String type = Files.getFileStore(file).type();
            return SHARED.contains(type) || type.startsWith("fuse") ? type : null;
        } catch (IOException e) {
            throw failed(file, e);
        }
    }

    /** Throws NO_LOCKS where nothing can be locked. */
    static void checkLocks(Path file) {
        Path probe = file.resolveSibling(".probe-" + ProcessHandle.current().pid() + "-" + System.nanoTime());
        try {
            makePrivate(probe);
            try (FileChannel channel = FileChannel.open(probe, StandardOpenOption.WRITE);
                    FileLock lock = channel.lock()) {
                LOG.trace("locked {}", lock);
            } catch (IOException e) {
                throw Errors.noLocks(file, e);
            } finally {
                Files.deleteIfExists(probe);
            }
        } catch (IOException e) {
            throw failed(file, e);
        }
    }

    /** A real write by one connection that another one reads. */
    private static boolean probe(Path file) throws SQLException {
        Path probe = file.resolveSibling(".probe-" + ProcessHandle.current().pid() + "-" + System.nanoTime() + ".db");
        try {
            makePrivate(probe);
            try (Link one = connect(probe)) {
                if (!journal(one, "PRAGMA journal_mode = WAL").equals("wal")) {
                    return false;
                }
                one.run("CREATE TABLE probe(value)");
                one.update("INSERT INTO probe VALUES (?)", 42L);
                try (Link other = connect(probe)) {
                    return other.number("SELECT value FROM probe") == 42;
                }
            } finally {
                for (String suffix : new String[]{"", "-wal", "-shm", "-journal"}) {
                    Files.deleteIfExists(probe.resolveSibling(probe.getFileName() + suffix));
                }
            }
        } catch (SQLException e) {
            if (Errors.of(file, e) instanceof SpaceException space && space.reason() == Reason.FULL) {
                throw space;
            }
            LOG.info("{}: no write-ahead log here ({}), so a rollback journal is used", file, e.toString());
            return false;
        } catch (IOException e) {
            throw failed(file, e);
        }
    }

    /** Tells whether a directory holds a space; throws DENIED where one may not look. */
    static boolean exists(Path directory) {
        try {
            Files.readAttributes(in(directory), BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
            return true;
        } catch (AccessDeniedException e) {
            throw new SpaceException(Reason.DENIED, "no permission to look into " + directory, e);
        } catch (IOException none) {
            return false;
        }
    }
}
