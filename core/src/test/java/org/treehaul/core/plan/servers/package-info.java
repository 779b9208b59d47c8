// SPDX-License-Identifier: Apache-2.0
@NullMarked
package org.treehaul.core.plan.servers;

import org.jspecify.annotations.NullMarked;
