// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.plan.format;

import org.treehaul.core.entry.ByteString;

/**
 * The space that the entries of a plan need at least on a file system of the destination, as if none of them existed
 * there yet.
 *
 * @param directory absolute path of a directory on the file system
 * @param bytes data from other file systems
 * @param nearBytes data that are already on this file system, and might be shared
 * @param roundedBytes all data, with each file rounded up to blocks of 4 KiB: the likely need
 * @param inodes number of files, directories and other entries to create
 */
public record PlannedRoom(ByteString directory, long bytes, long nearBytes, long roundedBytes, long inodes) {}
