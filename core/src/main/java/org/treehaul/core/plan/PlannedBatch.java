// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.plan;

/**
 * A line of the table of batches.
 *
 * @param number the batch, from 0
 * @param entries lines of its manifest: names and chunks
 * @param files regular files among them; of one in chunks the first chunk counts
 * @param bytes bytes to copy, those of hard links once
 * @param largest bytes of its largest entry
 * @param checksum CRC32C of its manifest without the last four bytes, which hold the same
 */
public record PlannedBatch(int number, long entries, long files, long bytes, long largest, int checksum) {}
