// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.storage;

import java.lang.foreign.MemorySegment;

import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.SystemCallException;

/** A file in a map that accepts data only in order. */
public class OrderedMapFile extends MapFile {

    /** Opens a file. */
    public OrderedMapFile(Content content) {
        super(content);
    }

    @Override
    public void write(MemorySegment data, long offset) throws SystemCallException {
        throw new SystemCallException("write", Errno.EOPNOTSUPP);
    }

    @Override
    public void setSize(long size) throws SystemCallException {
        throw new SystemCallException("ftruncate", Errno.EOPNOTSUPP);
    }

    @Override
    public long copyFrom(SourceFile source, long offset, long length) {
        return CANNOT;
    }

    @Override
    public void cloneFrom(SourceFile source) throws SystemCallException {
        throw new SystemCallException("clone", Errno.EOPNOTSUPP);
    }
}
