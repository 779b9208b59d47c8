// SPDX-License-Identifier: Apache-2.0
@NullMarked
package org.treehaul.core.repair;

import org.jspecify.annotations.NullMarked;
