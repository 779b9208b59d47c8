// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy.file;

import java.lang.foreign.MemorySegment;
import java.util.SortedMap;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.copy.links.HardLinks;
import org.treehaul.core.copy.target.CopyTask;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.FileStatus;

/**
 * One attempt at a file, with its open descriptors.
 *
 * @param group the group of hard links that this name leads, or null
 * @param tries the number of the attempt, from 1
 * @param began the time before the source was opened, if it is recorded
 */
public record FileAttempt(CopyTask task, int source, FileStatus status, SortedMap<ByteString, ByteString> attributes,
        int targetDirectory, MemorySegment targetName, HardLinks.@Nullable Group group, int tries, long began) {

    /** Returns the same attempt with another descriptor and segment for the target's directory and name. */
    FileAttempt at(int directory, MemorySegment name) {
        return new FileAttempt(task, source, status, attributes, directory, name, group, tries, began);
    }
}
