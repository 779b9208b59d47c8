// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.remove;

import static org.treehaul.core.fs.LinuxConstants.O_DIRECTORY;
import static org.treehaul.core.fs.LinuxConstants.O_PATH;

import java.lang.foreign.MemorySegment;
import java.security.SecureRandom;
import java.util.HexFormat;

import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.LongPath;
import org.treehaul.core.fs.SystemCallException;

/** Gives operands a hidden name in their directory, so that they can be removed later. Used by one thread. */
final class Detaching {

    private static final String PREFIX = ".treehaul-removed-";
    private static final int RANDOM_BYTES = 8;

    private final FileAccess access;
    private final RemoveOptions options;
    private final RefusedOperands refused;
    // Another user of the directory must not foresee the names.
    private final SecureRandom random = new SecureRandom();

    Detaching(FileAccess access, RemoveOptions options, RefusedOperands refused) {
        this.access = access;
        this.options = options;
        this.refused = refused;
    }

    /**
     * Renames an operand. One that has such a name already keeps it.
     *
     * @throws SystemCallException if it is refused, does not exist or cannot be renamed; ESTALE if another entry took
     *         its name after it was examined, and has it again
     */
    Detached detach(Operand operand) throws SystemCallException {
        ByteString last = operand.name();
        int directory = LongPath.open(access, operand.directory(), O_PATH | O_DIRECTORY);
        try {
            MemorySegment name = access.rootName(last.toBytes());
            FileStatus status = access.status(directory, name);
            operand.check(status, options.recursive());
            refused.check(access, directory, name, status, operand);
            if (last.toString().startsWith(PREFIX)) {
                return new Detached(operand.path(), operand.path());
            }
            ByteString hidden = hiddenName();
            MemorySegment hiddenName = access.name(hidden.toBytes());
            rename(directory, name, hiddenName);
            if (!access.status(directory, hiddenName).isSameFile(status)) {
                rename(directory, hiddenName, name);
                throw new SystemCallException("rename", Errno.ESTALE);
            }
            return new Detached(operand.path(), operand.above().plus(hidden));
        } finally {
            access.closeQuietly(directory);
        }
    }

    private ByteString hiddenName() {
        byte[] bytes = new byte[RANDOM_BYTES];
        random.nextBytes(bytes);
        return ByteString.of(PREFIX + HexFormat.of().formatHex(bytes));
    }

    private void rename(int directory, MemorySegment from, MemorySegment to) throws SystemCallException {
        FileAccess.check("rename", access.renameNew(directory, from, directory, to));
    }
}
