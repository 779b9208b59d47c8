// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.places;

import java.util.List;

import org.treehaul.core.entry.Timestamp;
import org.treehaul.core.entry.TreePath;

/**
 * A regular file, as it is planned.
 *
 * @param root the index of the root that contains it
 * @param path the path below that root; empty if the root is the file
 * @param identity a number by which the file is recognised; another file under the same path has another one
 * @param size its size in bytes, the sum of its parts
 * @param mtime the time of the last change of its data
 * @param parts the parts, each of which is a task of its own; one for a file that is not divided
 */
public record PlacedFile(int root, TreePath path, long identity, long size, Timestamp mtime, List<Part> parts) {

    /**
     * A part of a file.
     *
     * @param hosts the hosts that have its data, at least one
     * @param length its size in bytes; more than 0 if the file is divided
     */
    public record Part(List<String> hosts, long length) {

        /** Checks the values. */
        public Part {
            hosts = List.copyOf(hosts);
            if (hosts.isEmpty() || length < 0) {
                throw new IllegalArgumentException(length + " bytes on " + hosts);
            }
        }
    }

    /** Checks that the file is the sum of its parts. */
    public PlacedFile {
        parts = List.copyOf(parts);
        if (parts.isEmpty() || parts.stream().mapToLong(Part::length).sum() != size) {
            throw new IllegalArgumentException(size + " bytes in " + parts);
        }
    }
}
