// SPDX-License-Identifier: Apache-2.0
@NullMarked
package org.treehaul.cli.config;

import org.jspecify.annotations.NullMarked;
