// SPDX-License-Identifier: Apache-2.0
@NullMarked
package org.treehaul.core.manifest;

import org.jspecify.annotations.NullMarked;
