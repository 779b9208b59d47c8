// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.locality;

import java.util.Optional;

import org.treehaul.core.entry.ByteString;
import org.treehaul.core.fs.SystemCallException;

/** A regular file whose layout a {@link LocalityProvider} reads. Valid only during that call, on its thread. */
public interface LayoutFile {

    /** Returns the last component of the path. */
    ByteString name();

    /** Returns the size in bytes. */
    long size();

    /** Returns the number of the inode. */
    long inode();

    /**
     * Reads a file at the top of the file system, such as one with the address of its server.
     *
     * @param name its name
     * @return its first 4096 bytes; empty if the top is not mounted here, has no such file, or the user may not read it
     * @throws SystemCallException if the call failed
     */
    Optional<ByteString> atTop(String name) throws SystemCallException;

    /**
     * Reads an extended attribute.
     *
     * @param attribute its full name, such as {@code lustre.lov}
     * @return the value; empty if the file has no such attribute, or the user may not read it
     * @throws SystemCallException if the call failed
     */
    Optional<ByteString> attribute(String attribute) throws SystemCallException;
}
