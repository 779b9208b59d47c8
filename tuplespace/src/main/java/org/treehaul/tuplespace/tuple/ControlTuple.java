// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.tuple;

import org.treehaul.core.annotation.Internal;

/**
 * Marks the tuples that a store keeps for itself among those of its users. Only a template of their own record class
 * selects them: a template of an interface or of all tuples does not.
 */
@Internal
public interface ControlTuple {}
