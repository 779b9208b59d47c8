// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.partition;

/** The former version of {@link Task}, with fewer components. */
public record Less(int number) {}
