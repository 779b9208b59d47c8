// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.locality;

import java.util.Optional;

import org.treehaul.core.fs.SystemCallException;

/**
 * Reads the layouts of the files of one kind of file system. Those of TreeHaul are always there;
 * {@link java.util.ServiceLoader} finds those that other jars add: public classes with a public constructor without
 * parameters. They are asked first, so that they may replace one of TreeHaul's. Any thread may call the methods.
 */
public interface LocalityProvider {

    /** Returns the kind of file system: lower-case letters, digits and hyphens, beginning with a letter. */
    String kind();

    /** Returns whether this provider reads the layouts of a type of file system. Called once for each mount. */
    boolean isFor(FileSystemType type);

    /**
     * Reads the layout of a file.
     *
     * @return the layout, whose kind is {@link #kind}; empty if the file system has none for this file
     * @throws LayoutException if the value of an attribute is malformed
     * @throws SystemCallException if a call failed
     */
    Optional<DataLayout> layout(LayoutFile file) throws LayoutException, SystemCallException;
}
