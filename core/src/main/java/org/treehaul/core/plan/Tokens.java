// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.plan;

import static org.treehaul.core.fs.LinuxConstants.AT_FDCWD;
import static org.treehaul.core.fs.LinuxConstants.O_CREAT;
import static org.treehaul.core.fs.LinuxConstants.O_DIRECTORY;
import static org.treehaul.core.fs.LinuxConstants.O_EXCL;
import static org.treehaul.core.fs.LinuxConstants.O_PATH;
import static org.treehaul.core.fs.LinuxConstants.O_WRONLY;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

import org.treehaul.core.entry.ByteString;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.LongPath;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.fs.time.KeptTime;
import org.treehaul.core.plan.format.PlanException;

/** The token files that show a worker that it sees the same destination as the planner. Used by one thread. */
final class Tokens {

    private static final ByteString SLASH = ByteString.of("/");

    private final FileAccess access;
    private final String name;
    private final List<ByteString> written = new ArrayList<>();

    Tokens(FileAccess access, String name) {
        this.access = access;
        this.name = name;
    }

    /** Returns the absolute form of a path. */
    static ByteString absolute(FileAccess access, ByteString path) throws SystemCallException {
        if (path.length() > 0 && path.at(0) == '/') {
            return path;
        }
        ByteString here = access.linkTarget(AT_FDCWD, access.name(ByteString.of("/proc/self/cwd").toBytes()));
        return (here.equals(SLASH) ? here : here.plus(SLASH)).plus(path);
    }

    /**
     * Returns the directories for tokens: each target that is already a directory, or the parent of a target that is
     * not.
     *
     * @param targets absolute paths
     */
    static List<ByteString> directories(List<ByteString> targets, List<Boolean> isThere) {
        Set<ByteString> directories = new LinkedHashSet<>();
        for (int i = 0; i < targets.size(); i++) {
            directories.add(isThere.get(i) ? targets.get(i) : parent(targets.get(i)));
        }
        return List.copyOf(directories);
    }

    /** Returns the parent directory of a path. */
    static ByteString parent(ByteString path) {
        byte[] bytes = path.toBytes();
        int end = bytes.length;
        while (end > 0 && bytes[end - 1] == '/') {
            end--;
        }
        while (end > 0 && bytes[end - 1] != '/') {
            end--;
        }
        while (end > 1 && bytes[end - 1] == '/') {
            end--;
        }
        return end == 0 ? SLASH : ByteString.of(Arrays.copyOf(bytes, end));
    }

    /** Writes the tokens. */
    void write(List<ByteString> directories) throws PlanException {
        for (ByteString directory : directories) {
            try {
                int parent = open(directory);
                try (KeptTime time = KeptTime.of(access, parent)) {
                    // An existing token belongs to this transfer: planning is repeated.
                    int made = access.tryOpen(parent, token(), O_CREAT | O_EXCL | O_WRONLY, 0600);
                    if (made != -Errno.EEXIST) {
                        access.close(FileAccess.check("create", made));
                        written.add(directory);
                        time.restore();
                    }
                } finally {
                    access.closeQuietly(parent);
                }
            } catch (SystemCallException e) {
                throw new PlanException("cannot write into the destination " + directory + ": " + e.getMessage()
                        + "; make it writable, or use another", e);
            }
        }
    }

    private MemorySegment token() throws SystemCallException {
        return access.name(ByteString.of(name).toBytes());
    }

    private int open(ByteString directory) throws SystemCallException {
        return LongPath.open(access, directory, O_PATH | O_DIRECTORY);
    }

    /** Removes the tokens that this object wrote, because planning failed. */
    void remove() {
        for (ByteString directory : written) {
            try {
                int parent = open(directory);
                try (KeptTime time = KeptTime.of(access, parent)) {
                    if (access.calls().unlinkat(parent, token(), 0) == 0) {
                        time.restore();
                    }
                } finally {
                    access.closeQuietly(parent);
                }
            } catch (SystemCallException e) {
                // A repetition of the planning uses it.
            }
        }
    }
}
