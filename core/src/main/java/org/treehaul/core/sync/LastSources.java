// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.sync;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Consumer;

import org.treehaul.core.copy.CopyRefusedException;
import org.treehaul.core.copy.options.CopyPair;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.PrivateFiles;
import org.treehaul.core.state.StateFile;

/**
 * Remembers the source of the last run into each destination, in one small file for each. A destination is known by its
 * file system and inode, so that its path may change. A file that cannot be read or written is a notice: the work
 * itself does not need it.
 *
 * @param calls the system calls
 * @param directory the directory of the files, private to the user; it need not exist
 */
record LastSources(FileSystemCalls calls, Path directory) {

    private static final String FILE_SYSTEM = "file-system";
    private static final String SOURCE = "source";
    private static final String DESTINATION = "destination";

    /** Refuses a source on another file system than the last one. */
    void check(CopyPair pair, Consumer<String> notices) throws CopyRefusedException {
        ByteString path = pair.source().path();
        try {
            KnownPlace source = KnownPlace.of(calls, path);
            StateFile last = find(KnownPlace.of(calls, pair.target())).orElse(null);
            if (last != null && !last.text(FILE_SYSTEM).equals(source.fileSystem())) {
                throw new CopyRefusedException("the source '" + path + "' is on another file system than '"
                        + last.text(SOURCE) + "', the source of the last run into '" + pair.target()
                        + "'; mount the right one, or add --force if --delete may remove what this one does not have");
            }
        } catch (IOException e) {
            notices.accept("the file system of the source '" + path + "' cannot be compared with that of the last run: "
                    + PrivateFiles.describe(e));
        }
    }

    /** Replaces the last source. */
    void remember(CopyPair pair, Consumer<String> notices) {
        ByteString path = pair.source().path();
        try {
            KnownPlace destination = KnownPlace.of(calls, pair.target());
            PrivateFiles.makeDirectories(directory);
            PrivateFiles.keepDirectory(directory);
            StateFile.empty()
                    .with(DESTINATION, destination.id())
                    .with(FILE_SYSTEM, KnownPlace.of(calls, path).fileSystem())
                    .with(SOURCE, path)
                    .replace(file(destination), false);
        } catch (IOException e) {
            notices.accept("the file system of the source cannot be remembered in " + directory
                    + ", so the next run cannot notice another one: " + PrivateFiles.describe(e));
        }
    }

    private Optional<StateFile> find(KnownPlace destination) throws IOException {
        Path file = file(destination);
        return Files.notExists(file)
                ? Optional.empty()
                : StateFile.find(file).filter(state -> state.text(DESTINATION).equals(destination.id()));
    }

    private Path file(KnownPlace destination) {
        return directory.resolve(destination.fileName());
    }
}
