// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.plan;

import org.treehaul.core.entry.ByteString;

/**
 * What the entries of a plan take at least of a file system of the destination, as if nothing stood there yet.
 *
 * @param directory absolute path of a directory on it
 * @param bytes data that stand on other file systems
 * @param nearBytes data that stand on this file system already, and might be shared
 * @param roundedBytes all data, each file rounded up to blocks of 4 KiB: what is likely
 * @param inodes files, directories and all else that is made
 */
public record PlannedRoom(ByteString directory, long bytes, long nearBytes, long roundedBytes, long inodes) {}
