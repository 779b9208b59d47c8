// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.testing;

import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.FileStatus;

/**
 * One entry of a {@link TreeListing}.
 *
 * @param path names with slashes between them, empty for the root
 * @param status what statx says
 * @param linkGroup the first path of the listing that is the same file, its own for most
 * @param content SHA-256 of a regular file's data in hex, a symbolic link's target, else empty; where it cannot be read
 *        the error
 * @param attributes extended attributes with their values, ACLs included
 */
public record ListedEntry(ByteString path, FileStatus status, ByteString linkGroup, String content,
        SortedMap<ByteString, ByteString> attributes) {

    /** Makes an entry. */
    public ListedEntry {
        attributes = Collections.unmodifiableSortedMap(new TreeMap<>(attributes));
    }
}
