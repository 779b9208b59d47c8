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
 * @param path names separated by slashes, empty for the root
 * @param status the result of statx
 * @param linkGroup the first path in the listing of the same file, usually its own
 * @param content SHA-256 of a regular file's data in hex, a symbolic link's target, else empty; or the error if it
 *        cannot be read
 * @param attributes extended attributes with their values, including ACLs
 */
public record ListedEntry(ByteString path, FileStatus status, ByteString linkGroup, String content,
        SortedMap<ByteString, ByteString> attributes) {

    public ListedEntry {
        attributes = Collections.unmodifiableSortedMap(new TreeMap<>(attributes));
    }
}
