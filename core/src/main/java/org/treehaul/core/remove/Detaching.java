// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.remove;

import static org.treehaul.core.fs.LinuxConstants.O_DIRECTORY;
import static org.treehaul.core.fs.LinuxConstants.O_PATH;
import static org.treehaul.core.fs.LinuxConstants.RENAME_NOREPLACE;

import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.HexFormat;

import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.LongPath;
import org.treehaul.core.fs.SystemCallException;

/** Gives operands a hidden name in their directory, so that they can be removed later. Used by one thread. */
final class Detaching {

    private static final byte[] PREFIX = ".treehaul-removed-".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] HERE = {'.'};
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
        byte[] path = operand.path().toBytes();
        int cut = path.length;
        while (cut > 0 && path[cut - 1] != '/') {
            cut--;
        }
        byte[] above = Arrays.copyOf(path, cut);
        byte[] last = Arrays.copyOfRange(path, cut, path.length);
        int directory = open(cut == 0 ? HERE : above);
        try {
            MemorySegment name = access.rootName(last);
            FileStatus status = access.status(directory, name);
            operand.check(status, options.recursive());
            if (status.kind() == EntryKind.DIRECTORY) {
                refused.check(access, directory, name, status);
            }
            if (Arrays.mismatch(PREFIX, last) == PREFIX.length) {
                return new Detached(operand.path(), operand.path());
            }
            byte[] hidden = hiddenName();
            MemorySegment hiddenName = access.name(hidden);
            rename(directory, name, hiddenName);
            if (!access.status(directory, hiddenName).isSameFile(status)) {
                rename(directory, hiddenName, name);
                throw new SystemCallException("rename", Errno.ESTALE);
            }
            return new Detached(operand.path(), ByteString.of(joined(above, hidden)));
        } finally {
            access.closeQuietly(directory);
        }
    }

    private int open(byte[] directory) throws SystemCallException {
        try (LongPath place = LongPath.of(access, ByteString.of(directory))) {
            return access.open(place.base(), access.rootName(place.rest()), O_PATH | O_DIRECTORY, 0);
        }
    }

    private byte[] hiddenName() {
        byte[] bytes = new byte[RANDOM_BYTES];
        random.nextBytes(bytes);
        return joined(PREFIX, HexFormat.of().formatHex(bytes).getBytes(StandardCharsets.US_ASCII));
    }

    private static byte[] joined(byte[] first, byte[] second) {
        byte[] both = Arrays.copyOf(first, first.length + second.length);
        System.arraycopy(second, 0, both, first.length, second.length);
        return both;
    }

    private void rename(int directory, MemorySegment from, MemorySegment to) throws SystemCallException {
        int result = access.calls().renameat2(directory, from, directory, to, RENAME_NOREPLACE);
        // Network file systems do not have this flag.
        FileAccess.check("rename",
                result == -Errno.EINVAL ? access.calls().renameat2(directory, from, directory, to, 0) : result);
    }
}
