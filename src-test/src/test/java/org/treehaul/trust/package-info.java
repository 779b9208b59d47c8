// SPDX-License-Identifier: Apache-2.0
/** Tests how copies, walks and comparisons behave when their environment fails, changes or attacks them. */
@NullMarked
package org.treehaul.trust;

import org.jspecify.annotations.NullMarked;
