// SPDX-License-Identifier: Apache-2.0
/** Tests of the index of files and of its query language. */
@NullMarked
package org.treehaul.tuplespace.files;

import org.jspecify.annotations.NullMarked;
