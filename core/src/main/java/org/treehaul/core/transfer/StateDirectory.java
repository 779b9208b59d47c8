// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer;

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
import org.treehaul.core.plan.PlanException;

/** Finds, makes and checks the directory that the transfers of a user are kept in. */
public final class StateDirectory {

    /** The variable of the environment that names it. */
    public static final String VARIABLE = "TREEHAUL_HOME";

    /** What it is called in the home directory when nothing else is said. */
    public static final String DEFAULT_NAME = ".treehaul";

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
     * Makes the directory, for its owner alone, where there is none, and returns its real path once it can be trusted:
     * others can neither write in it nor put another one in its place.
     *
     * @throws TransferException when it is not ours, when others can change what is in it, or when it cannot be made
     */
    public static Path make(Path directory) throws TransferException {
        try {
            Path real = SafePath.resolve(directory);
            PrivateFiles.makeDirectories(real);
            SafePath.requireOwnDirectory(real, SafePath.WRITE);
            if (!Files.isWritable(real)) {
                throw new TransferException(
                        "the state directory " + real + " is not writable; name another one with --state-dir");
            }
            return real;
        } catch (FileAlreadyExistsException e) {
            throw new TransferException("the state directory " + directory + " is no directory", e);
        } catch (TransferException e) {
            throw e;
        } catch (UnsafePathException e) {
            throw unsafe(e);
        } catch (IOException e) {
            throw new TransferException("the state directory " + directory + " cannot be made or read: " + reason(e),
                    e);
        }
    }

    /**
     * Returns the real path of the directory once it can be trusted, to look at what is in it: it need not be writable.
     * Where there is none the path is returned as it is.
     *
     * @throws TransferException when it is not ours, when others can change what is in it, or when it cannot be read
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
            throw new TransferException("the state directory " + directory + " cannot be read: " + reason(e), e);
        }
    }

    /**
     * Makes a directory in the state directory for its owner alone, and closes one that is there to others.
     *
     * @throws TransferException when others could write in it until now, or it is not ours
     */
    public static void keepPart(Path directory) throws IOException {
        try {
            PrivateFiles.keepDirectory(directory);
        } catch (UnsafePathException e) {
            throw unsafe(e);
        }
    }

    /**
     * Returns the real path of the directory of a transfer once it can be trusted, with the state directory around it.
     *
     * @throws TransferException when it is not ours, or others can look into it or put another one in its place
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
        return new TransferException(e.getMessage() + "; --state-dir names another state directory", e);
    }

    /**
     * Returns whether something could not be read, which may pass when a server is back, rather than that it is damaged
     * or not ours.
     */
    public static boolean isUnreadable(IOException e) {
        return e instanceof PlanException plan ? plan.isUnreadable() : !(e instanceof TransferException);
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
