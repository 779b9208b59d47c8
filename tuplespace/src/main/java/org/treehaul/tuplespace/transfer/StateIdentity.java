// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.transfer;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

import org.treehaul.core.entry.ByteString;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.LinuxConstants;
import org.treehaul.core.fs.LongPath;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.state.StateFile;

/**
 * The identity of a state directory, a random text in a file in it. State directories of several nodes and users may
 * have the same path, and one may have several. The file also has the inode number of the directory, which is the same
 * on all nodes that share it: a copy of the directory has another one, and is not the same state directory. Roots of
 * file systems and the directories of snapshots have equal inode numbers, so the file also has the number of the file
 * system if that is one whose number does not change.
 */
final class StateIdentity {

    private static final String FILE = "identity";
    private static final String KEY = "id";
    private static final String INODE = "inode";
    private static final String FILE_SYSTEM = "file-system";

    // linux/magic.h. Their numbers come from their UUIDs, in Btrfs also from the subvolume; others have that of the device.
    private static final Set<Long> NUMBERED = Set.of(0xEF53L, 0x9123683EL);

    private StateIdentity() {}

    /**
     * Returns the identity of a state directory; empty if it has none, or only that of the directory it was copied
     * from.
     */
    static Optional<String> find(Path stateDirectory) throws IOException {
        Optional<StateFile> file = StateFile.find(stateDirectory.resolve(FILE));
        return file.isPresent() && isOf(file.get(), stateDirectory) ? file.map(one -> one.text(KEY)) : Optional.empty();
    }

    private static boolean isOf(StateFile file, Path stateDirectory) throws IOException {
        return isOf(file, inode(stateDirectory), fileSystem(stateDirectory));
    }

    /**
     * Returns whether a file is of the directory with an inode on a file system. Earlier versions recorded neither, and
     * nodes that share the directory over a network do not know the number of the file system.
     */
    static boolean isOf(StateFile file, String inode, String fileSystem) {
        String recorded = file.text(INODE);
        String recordedSystem = file.text(FILE_SYSTEM);
        return (recorded.isEmpty() || recorded.equals(inode))
                && (recordedSystem.isEmpty() || fileSystem.isEmpty() || recordedSystem.equals(fileSystem));
    }

    /** Returns the number of a file system; empty if it may change, or is that of one mount only. */
    static String fileSystem(long type, long number) {
        return NUMBERED.contains(type) && number != 0 ? Long.toHexString(type) + "-" + Long.toHexString(number) : "";
    }

    private static String fileSystem(Path stateDirectory) throws IOException {
        try (FileAccess access = FileAccess.open(Linux.calls())) {
            int descriptor = LongPath.open(access, ByteString.of(stateDirectory),
                    LinuxConstants.O_RDONLY | LinuxConstants.O_DIRECTORY);
            try {
                return fileSystem(access.fileSystemType(descriptor), access.fileSystemId(descriptor));
            } finally {
                access.closeQuietly(descriptor);
            }
        }
    }

    private static String inode(Path stateDirectory) throws IOException {
        return String.valueOf(Files.getAttribute(stateDirectory, "unix:ino"));
    }

    /** Returns the identity of a state directory, which gets one if it can be written. */
    static Optional<String> keep(Path stateDirectory) throws IOException {
        Path path = stateDirectory.resolve(FILE);
        Optional<StateFile> known = StateFile.find(path);
        boolean isOwn = known.isPresent() && isOf(known.get(), stateDirectory);
        String fileSystem = fileSystem(stateDirectory);
        if (known.isPresent() && isOwn && !known.get().text(INODE).isEmpty()
                && (fileSystem.isEmpty() || !known.get().text(FILE_SYSTEM).isEmpty())) {
            return known.map(file -> file.text(KEY));
        }
        try {
            StateFile own = known.filter(file -> isOwn)
                    .orElseGet(() -> StateFile.empty().with(KEY, UUID.randomUUID()))
                    .with(INODE, inode(stateDirectory));
            own = fileSystem.isEmpty() ? own : own.with(FILE_SYSTEM, fileSystem);
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
