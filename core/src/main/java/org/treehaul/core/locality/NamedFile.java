// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.locality;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Optional;

import org.treehaul.core.entry.ByteString;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.ExtendedAttributes;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.SystemCallException;

/**
 * A file whose attributes are read by name or by descriptor.
 *
 * @param descriptor that of the file if it is open, else that of the directory in which the name is
 * @param path the name or path of the file, NUL-ended
 */
record NamedFile(FileAccess access, int descriptor, MemorySegment path, long size,
        boolean isOpen) implements LayoutFile {

    @Override
    public ByteString name() {
        int length = 0;
        int start = 0;
        for (byte b = path.get(ValueLayout.JAVA_BYTE, 0); b != 0; b = path.get(ValueLayout.JAVA_BYTE, length)) {
            length++;
            start = b == '/' ? length : start;
        }
        return ByteString.of(path.asSlice(start, length - start).toArray(ValueLayout.JAVA_BYTE));
    }

    @Override
    public Optional<ByteString> attribute(String attribute) throws SystemCallException {
        ByteString name = ByteString.of(attribute);
        try {
            return isOpen
                    ? ExtendedAttributes.get(access, descriptor, name)
                    : ExtendedAttributes.get(access, descriptor, path, name);
        } catch (SystemCallException e) {
            if (e.errno() == Errno.EPERM || e.errno() == Errno.EACCES) {
                return Optional.empty();
            }
            throw e;
        }
    }
}
