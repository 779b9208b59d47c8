// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.transfer;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.UUID;

import org.treehaul.core.state.StateFile;

/**
 * The identity of a state directory, a random text in a file in it. State directories of several nodes and users may
 * have the same path, and one may have several. The file also has the inode number of the directory, which is the same
 * on all nodes that share it: a copy of the directory has another one, and is not the same state directory.
 */
final class StateIdentity {

    private static final String FILE = "identity";
    private static final String KEY = "id";
    private static final String INODE = "inode";

    private StateIdentity() {}

    /**
     * Returns the identity of a state directory; empty if it has none, or only that of the directory it was copied
     * from.
     */
    static Optional<String> find(Path stateDirectory) throws IOException {
        Optional<StateFile> file = StateFile.find(stateDirectory.resolve(FILE));
        return file.isPresent() && isOf(file.get(), stateDirectory) ? file.map(one -> one.text(KEY)) : Optional.empty();
    }

    // Earlier versions did not record the inode.
    private static boolean isOf(StateFile file, Path stateDirectory) throws IOException {
        String inode = file.text(INODE);
        return inode.isEmpty() || inode.equals(inode(stateDirectory));
    }

    private static String inode(Path stateDirectory) throws IOException {
        return String.valueOf(Files.getAttribute(stateDirectory, "unix:ino"));
    }

    /** Returns the identity of a state directory, which gets one if it can be written. */
    static Optional<String> keep(Path stateDirectory) throws IOException {
        Path path = stateDirectory.resolve(FILE);
        Optional<StateFile> known = StateFile.find(path);
        boolean isOwn = known.isPresent() && isOf(known.get(), stateDirectory);
        if (known.isPresent() && isOwn && !known.get().text(INODE).isEmpty()) {
            return known.map(file -> file.text(KEY));
        }
        try {
            StateFile own = known.filter(file -> isOwn)
                    .orElseGet(() -> StateFile.empty().with(KEY, UUID.randomUUID()))
                    .with(INODE, inode(stateDirectory));
            if (known.isPresent()) {
                own.replace(path, true);
            } else {
                own.writeNew(path);
            }
        } catch (FileAlreadyExistsException e) {
            // Another process was first, or the file is damaged.
        } catch (IOException e) {
            // The directory is only read, or its file system is full: publishing does not depend on it.
            return find(stateDirectory);
        }
        return find(stateDirectory);
    }
}
