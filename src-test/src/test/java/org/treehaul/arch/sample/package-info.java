// SPDX-License-Identifier: Apache-2.0
/** An API whose signatures have everything that signatures can have. */
@Api
@NullMarked
package org.treehaul.arch.sample;

import org.jspecify.annotations.NullMarked;
import org.treehaul.core.annotation.Api;
