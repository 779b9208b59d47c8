// SPDX-License-Identifier: Apache-2.0
/** Tests of changes of attributes. */
@NullMarked
package org.treehaul.core.attributes;

import org.jspecify.annotations.NullMarked;
