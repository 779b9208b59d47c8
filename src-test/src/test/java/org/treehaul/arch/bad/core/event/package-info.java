// SPDX-License-Identifier: Apache-2.0
/** A package with one class too many, three of which depend on each other. */
@Api
@NullMarked
package org.treehaul.arch.bad.core.event;

import org.jspecify.annotations.NullMarked;
import org.treehaul.core.annotation.Api;
