// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

import org.treehaul.core.fs.ProcessStatus;
import org.treehaul.core.plan.PlanException;

/** Finds, makes and checks the directory that the transfers of a user are kept in. */
public final class StateDirectory {

    /** The variable of the environment that names it. */
    public static final String VARIABLE = "TREEHAUL_HOME";

    /** What it is called in the home directory when nothing else is said. */
    public static final String DEFAULT_NAME = ".treehaul";

    private static final FileAttribute<Set<PosixFilePermission>> PRIVATE = PosixFilePermissions
            .asFileAttribute(PosixFilePermissions.fromString("rwx------"));

    private StateDirectory() {}

    /**
     * Returns where it is: what the user says, else what the environment says, else a place in the home directory.
     *
     * @param home the home directory
     */
    public static Path locate(Optional<Path> said, Map<String, String> environment, Path home) {
        String named = environment.getOrDefault(VARIABLE, "");
        return said.orElseGet(() -> named.isEmpty() ? home.resolve(DEFAULT_NAME) : Path.of(named)).toAbsolutePath();
    }

    /**
     * Makes the directory, for its owner alone, where there is none, and returns its real path once it can be trusted.
     *
     * @throws TransferException when it is not ours, when others can write in it, or when it cannot be made
     */
    public static Path make(Path directory) throws TransferException {
        try {
            Files.createDirectories(directory, PRIVATE);
            Path real = directory.toRealPath();
            requireOwn(real, 022);
            if (!Files.isWritable(real)) {
                throw new TransferException(
                        "the state directory " + real + " is not writable; name another one with --state-dir");
            }
            return real;
        } catch (FileAlreadyExistsException e) {
            throw new TransferException("the state directory " + directory + " is no directory", e);
        } catch (TransferException e) {
            throw e;
        } catch (IOException e) {
            throw new TransferException("the state directory " + directory + " cannot be made or read: " + reason(e),
                    e);
        }
    }

    /**
     * Returns the real path of the directory once it can be trusted, to look at what is in it: it need not be writable.
     * Where there is none the path is returned as it is.
     *
     * @throws TransferException when it is not ours, when others can write in it, or when it cannot be read
     */
    public static Path look(Path directory) throws TransferException {
        try {
            Path real = directory.toRealPath();
            requireOwn(real, 022);
            return real;
        } catch (NoSuchFileException e) {
            return directory;
        } catch (TransferException e) {
            throw e;
        } catch (IOException e) {
            throw new TransferException("the state directory " + directory + " cannot be read: " + reason(e), e);
        }
    }

    /** Makes a directory for its owner alone; fails when it is there. */
    static void makePrivate(Path directory) throws IOException {
        Files.createDirectory(directory, PRIVATE);
    }

    /**
     * Fails where a directory is not ours or grants others what it must not.
     *
     * @param forbidden permission bits that must not be set
     */
    static void requireOwn(Path directory, int forbidden) throws IOException {
        Map<String, Object> status = Files.readAttributes(directory, "unix:uid,mode,isDirectory",
                LinkOption.NOFOLLOW_LINKS);
        long owner = number(status, "uid") & 0xFFFF_FFFFL;
        int mode = (int) number(status, "mode");
        long self = ProcessStatus.read().effectiveUid();
        if (!Boolean.TRUE.equals(status.get("isDirectory"))) {
            throw new TransferException(directory + " is no directory");
        }
        if (owner != self) {
            throw new TransferException(directory + " belongs to user " + owner + ", not to " + self
                    + ": nothing in it is trusted; name a state directory of your own with --state-dir");
        }
        if ((mode & forbidden) != 0) {
            throw new TransferException(directory + " is open to others (mode " + Integer.toOctalString(mode & 07777)
                    + "): nothing in it is trusted; chmod go-" + (forbidden == 022 ? "w" : "rwx")
                    + " it if it is yours");
        }
    }

    private static long number(Map<String, Object> status, String name) {
        return ((Number) Objects.requireNonNull(status.get(name), name)).longValue();
    }

    /** Returns what went wrong, in words, of an exception whose message may be a path alone. */
    public static String reason(IOException e) {
        if (e instanceof TransferException || e instanceof PlanException || e instanceof WrongMountException) {
            return String.valueOf(e.getMessage());
        }
        String type = e.getClass().getSimpleName().replace("Exception", "");
        String message = e.getMessage();
        return message == null ? type : e.getClass() == IOException.class ? message : type + " " + message;
    }
}
