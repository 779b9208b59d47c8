// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.pool;

/**
 * The right to work at a place that has a bound. A worker takes one in the transaction of its batches and writes it
 * back with them, so a worker that dies gives it back.
 *
 * @param place a directory, or a transfer and its generation
 * @param number from 0; those from the bound upwards are not used
 */
public record Slot(String place, int number) {}
