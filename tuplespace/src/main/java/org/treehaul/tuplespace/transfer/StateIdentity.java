// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.transfer;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.UUID;

import org.treehaul.core.state.StateFile;

/**
 * The identity of a state directory, a random text in a file in it. State directories of several nodes and users may
 * have the same path, and one may have several.
 */
final class StateIdentity {

    private static final String FILE = "identity";
    private static final String KEY = "id";

    private StateIdentity() {}

    /** Returns the identity of a state directory; empty if it has none. */
    static Optional<String> find(Path stateDirectory) throws IOException {
        return StateFile.find(stateDirectory.resolve(FILE)).map(file -> file.text(KEY));
    }

    /** Returns the identity of a state directory, which gets one if it can be written. */
    static Optional<String> keep(Path stateDirectory) throws IOException {
        Optional<String> known = find(stateDirectory);
        if (known.isPresent()) {
            return known;
        }
        try {
            StateFile.empty().with(KEY, UUID.randomUUID()).writeNew(stateDirectory.resolve(FILE));
        } catch (FileAlreadyExistsException e) {
            // Another process was first, or the file is damaged.
        } catch (IOException e) {
            // The directory is only read, or its file system is full: publishing does not depend on it.
            return Optional.empty();
        }
        return find(stateDirectory);
    }
}
