// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.storage;

import java.util.Collections;
import java.util.SortedMap;

import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.FileStatus;

/**
 * The metadata of an entry of the source. A target stores the part that it supports.
 *
 * @param status owner, mode, times and the other fields of its status
 * @param attributes its extended attributes to copy, ACLs included, by name
 */
public record EntryMetadata(FileStatus status, SortedMap<ByteString, ByteString> attributes) {

    public EntryMetadata {
        attributes = Collections.unmodifiableSortedMap(attributes);
    }
}
