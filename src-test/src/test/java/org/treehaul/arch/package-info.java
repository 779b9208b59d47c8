// SPDX-License-Identifier: Apache-2.0
/** Checks the arrows of the house against its classes, and against a bad house that breaks each rule. */
@NullMarked
package org.treehaul.arch;

import org.jspecify.annotations.NullMarked;
