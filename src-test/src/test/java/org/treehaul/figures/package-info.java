// SPDX-License-Identifier: Apache-2.0
/**
 * Draws the figures of papers from our numbers, next to the statements of the papers: {@code src-test/figures}.
 *
 * <p>
 * In: names of figures and sizes. Out: for each an SVG 1.1 picture and a CSV table (RFC 4180). A new figure is a
 * {@link org.treehaul.figures.Figure} in the list of {@link org.treehaul.figures.Figures}.
 */
@NullMarked
package org.treehaul.figures;

import org.jspecify.annotations.NullMarked;
