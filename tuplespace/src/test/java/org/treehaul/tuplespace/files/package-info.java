// SPDX-License-Identifier: Apache-2.0
/** Tests of the queries to the index of files, and of their language. */
@NullMarked
package org.treehaul.tuplespace.files;

import org.jspecify.annotations.NullMarked;
