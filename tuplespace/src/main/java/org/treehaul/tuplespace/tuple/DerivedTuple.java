// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.tuple;

import org.treehaul.core.annotation.Internal;

/**
 * Marks tuples that are only true as long as no other tuple of the space is missing, such as the state for which sums
 * were computed. If tuples were lost in a damaged file, a recovery leaves these out.
 */
@Internal
public interface DerivedTuple {}
