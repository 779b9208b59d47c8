// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer.directory;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

import org.treehaul.core.fs.PrivateFiles;
import org.treehaul.core.fs.SafePath;
import org.treehaul.core.fs.UnsafePathException;
import org.treehaul.core.plan.format.PlanException;

/** Locates, creates and checks the directory that contains the transfers of a user. */
public final class StateDirectory {

    /** The environment variable that names the directory. */
    public static final String VARIABLE = "TREEHAUL_HOME";

    /** The default name of the directory in the home directory. */
    public static final String DEFAULT_NAME = ".treehaul";

    private StateDirectory() {}

    /**
     * Returns the path of the directory: from the user, else from the environment, else the default in the home
     * directory.
     *
     * @param given the path given by the user, if any
     * @param home the home directory
     */
    public static Path locate(Optional<Path> given, Map<String, String> environment, Path home) {
        String named = environment.getOrDefault(VARIABLE, "");
        return given.orElseGet(() -> named.isEmpty() ? home.resolve(DEFAULT_NAME) : Path.of(named)).toAbsolutePath();
    }

    /**
     * Creates the directory, accessible only to its owner, unless it exists. Returns its real path once it can be
     * trusted: no other user can write in it or replace it.
     *
     * @throws TransferException if it belongs to another user, if others can change its content, or if it cannot be
     *         created
     */
    public static Path make(Path directory) throws TransferException {
        try {
            Path real = SafePath.resolve(directory);
            PrivateFiles.makeDirectories(real);
            SafePath.requireOwnDirectory(real, SafePath.WRITE);
            if (!Files.isWritable(real)) {
                throw new TransferException(
                        "the state directory " + real + " is not writable; use another one with --state-dir");
            }
            return real;
        } catch (FileAlreadyExistsException e) {
            throw new TransferException("the state directory " + directory
                    + " is not a directory; use another one with --state-dir or " + VARIABLE, e);
        } catch (TransferException e) {
            throw e;
        } catch (UnsafePathException e) {
            throw unsafe(e);
        } catch (IOException e) {
            throw new TransferException("the state directory " + directory + " cannot be created or read: " + reason(e)
                    + "; use another one with --state-dir or " + VARIABLE, e);
        }
    }

    /**
     * Returns the real path of the directory for reading, once it can be trusted: it need not be writable. If it does
     * not exist, the path is returned unchanged.
     *
     * @throws TransferException if it belongs to another user, if others can change its content, or if it cannot be
     *         read
     */
    public static Path look(Path directory) throws TransferException {
        try {
            Path real = SafePath.resolve(directory);
            SafePath.requireOwnDirectory(real, SafePath.WRITE);
            return real;
        } catch (NoSuchFileException e) {
            return directory;
        } catch (UnsafePathException e) {
            throw unsafe(e);
        } catch (IOException e) {
            throw new TransferException("the state directory " + directory + " cannot be read: " + reason(e)
                    + "; use another one with --state-dir or " + VARIABLE, e);
        }
    }

    /**
     * Creates a directory in the state directory, accessible only to its owner, or restricts an existing one to its
     * owner.
     *
     * @throws TransferException if others could write in it until now, or it belongs to another user
     */
    public static void keepPart(Path directory) throws IOException {
        try {
            PrivateFiles.keepDirectory(directory);
        } catch (UnsafePathException e) {
            throw unsafe(e);
        }
    }

    /**
     * Returns the real path of the directory of a transfer once it and the state directory around it can be trusted.
     *
     * @throws TransferException if it belongs to another user, or others can read or replace it
     */
    static Path requireTransfer(Path directory) throws IOException {
        try {
            Path real = SafePath.resolve(directory);
            SafePath.requireOwnDirectory(real, SafePath.ALL);
            return real;
        } catch (UnsafePathException e) {
            throw unsafe(e);
        }
    }

    private static TransferException unsafe(UnsafePathException e) {
        return new TransferException(e.getMessage() + "; use another state directory with --state-dir", e);
    }

    /**
     * Returns whether a file could not be read, which may be temporary, as opposed to being damaged or belonging to
     * another user.
     */
    public static boolean isUnreadable(IOException e) {
        return e instanceof PlanException plan ? plan.isUnreadable() : !(e instanceof TransferException);
    }

    /** Returns whether the cause is a transfer or plan of a version of this program that this version does not know. */
    public static boolean isOfOtherVersion(IOException e) {
        return e instanceof PlanException plan ? plan.isOfOtherVersion() : e instanceof OtherVersionException;
    }

    /** Returns a readable reason for an exception whose message may be just a path. */
    public static String reason(IOException e) {
        if (e instanceof TransferException || e instanceof PlanException || e instanceof WrongMountException) {
            return String.valueOf(e.getMessage());
        }
        return PrivateFiles.describe(e);
    }
}
