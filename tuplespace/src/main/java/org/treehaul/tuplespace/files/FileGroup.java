// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.files;

/**
 * Entries that agree in a field.
 *
 * @param value what they have there, as a template would say it; empty where they have nothing
 * @param count how many they are
 * @param size the sum of their sizes in bytes
 * @param blocks the sum of the units of 512 bytes that are allocated to them
 */
public record FileGroup(String value, long count, long size, long blocks) {}
