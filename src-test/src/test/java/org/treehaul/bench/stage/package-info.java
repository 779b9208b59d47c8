// SPDX-License-Identifier: Apache-2.0
/**
 * The command {@code src-test/bench --stage}: parallel files beside copies of the same bytes. Input: a build. Output: a
 * report.
 */
@NullMarked
package org.treehaul.bench.stage;

import org.jspecify.annotations.NullMarked;
