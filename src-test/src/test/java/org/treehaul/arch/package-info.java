// SPDX-License-Identifier: Apache-2.0
/** The arrows of the house, held against its classes, and against a bad house that breaks each of them. */
@NullMarked
package org.treehaul.arch;

import org.jspecify.annotations.NullMarked;
