// SPDX-License-Identifier: Apache-2.0
@NullMarked
package org.treehaul.core.sync;

import org.jspecify.annotations.NullMarked;
