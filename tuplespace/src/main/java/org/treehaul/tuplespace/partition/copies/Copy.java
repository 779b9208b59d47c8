// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.partition.copies;

/**
 * A tuple that was copied.
 *
 * @param id its number in the new store
 * @param expiresAt the end of its lease
 */
public record Copy(long id, long expiresAt) {}
