// SPDX-License-Identifier: Apache-2.0
/**
 * Moves the data of files between the files of any store: in ranges or streams, with or without the help of the store,
 * keeping holes, hashing for verification, and within a data rate. Knows neither names nor directories.
 */
@Internal
@NullMarked
package org.treehaul.core.copy.data;

import org.jspecify.annotations.NullMarked;
import org.treehaul.core.annotation.Internal;
