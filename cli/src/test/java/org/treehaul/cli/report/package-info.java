// SPDX-License-Identifier: Apache-2.0
/** Tests of messages, progress and metrics. */
@NullMarked
package org.treehaul.cli.report;

import org.jspecify.annotations.NullMarked;
