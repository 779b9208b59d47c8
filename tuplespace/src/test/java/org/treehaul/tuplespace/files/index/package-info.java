// SPDX-License-Identifier: Apache-2.0
/** Tests of the index runs. */
@NullMarked
package org.treehaul.tuplespace.files.index;

import org.jspecify.annotations.NullMarked;
