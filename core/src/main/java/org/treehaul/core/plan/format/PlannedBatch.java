// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.plan.format;

/**
 * A line of the table of batches.
 *
 * @param number the batch, from 0
 * @param entries entries of its manifest: names and chunks
 * @param files regular files among them; a file in chunks counts with its first chunk
 * @param bytes bytes to copy; hard links to the same file count once
 * @param data how many of these bytes must be read: all but holes
 * @param largest bytes of its largest entry
 * @param checksum CRC32C of its manifest except the last four bytes, which hold the same value
 */
public record PlannedBatch(int number, long entries, long files, long bytes, long data, long largest, int checksum) {}
