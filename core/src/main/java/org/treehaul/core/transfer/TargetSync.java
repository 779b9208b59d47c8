// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer;

import static org.treehaul.core.fs.LinuxConstants.O_DIRECTORY;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import org.treehaul.core.entry.ByteString;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.LongPath;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.plan.PlannedRoot;

/**
 * Syncs the file systems that the targets of a transfer stand on. The kernel tells a descriptor of errors of writing
 * back since it was opened, so this is opened before anything is written. Used by one thread.
 */
final class TargetSync implements AutoCloseable {

    private final FileAccess access;
    private final List<Integer> descriptors = new ArrayList<>();

    private TargetSync(FileAccess access) {
        this.access = access;
    }

    static TargetSync open(FileSystemCalls calls, List<PlannedRoot> roots) throws SystemCallException {
        TargetSync sync = new TargetSync(FileAccess.open(calls));
        try {
            for (PlannedRoot root : roots) {
                sync.descriptors.add(sync.directory(root.target()));
            }
            return sync;
        } catch (SystemCallException e) {
            sync.close();
            throw e;
        }
    }

    /** Opens the target where it is a directory, else the one that it stands in. */
    private int directory(ByteString target) throws SystemCallException {
        try {
            return open(target);
        } catch (SystemCallException e) {
            return open(parent(target));
        }
    }

    private static ByteString parent(ByteString path) {
        byte[] bytes = path.toBytes();
        int end = bytes.length;
        while (end > 1 && bytes[end - 1] == '/') {
            end--;
        }
        while (end > 1 && bytes[end - 1] != '/') {
            end--;
        }
        return ByteString.of(Arrays.copyOf(bytes, end));
    }

    private int open(ByteString path) throws SystemCallException {
        try (LongPath longPath = LongPath.of(access, path)) {
            return access.open(longPath.base(), access.name(longPath.rest()), O_DIRECTORY, 0);
        }
    }

    void sync() throws SystemCallException {
        for (int descriptor : descriptors) {
            FileAccess.check("syncfs", access.calls().syncfs(descriptor));
        }
    }

    @Override
    public void close() {
        descriptors.forEach(access::closeQuietly);
        access.close();
    }
}
