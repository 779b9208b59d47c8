// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.files;

/**
 * Entries with equal values in a field.
 *
 * @param value the common value, in the syntax of templates; empty if the entries have none
 * @param count number of entries
 * @param size sum of their sizes in bytes
 * @param blocks sum of their allocated 512-byte blocks
 */
public record FileGroup(String value, long count, long size, long blocks) {}
