// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.task;

import org.treehaul.core.annotation.Api;
import org.treehaul.core.annotation.Internal;
import org.treehaul.core.plan.PlanRequest;

/**
 * The rule that divides large files into segments, each of which is a task of its own. Immutable.
 *
 * @param bytes the size above which a file is divided, and the size of a segment; 0 if files are not divided by size
 * @param isByLayout whether a file is divided where its data change the server, as far as its file system says so
 */
@Api
public record Segmentation(long bytes, boolean isByLayout) {

    /** Files are not divided. */
    public static final Segmentation NONE = new Segmentation(0, false);

    /** Files are divided where their data change the server. */
    public static final Segmentation BY_LAYOUT = new Segmentation(0, true);

    private static final long LEAST = 1 << 20;
    private static final String LAYOUT = "layout";

    /**
     * Checks the rule.
     *
     * @throws IllegalArgumentException if the size is neither 0 nor 1 MiB or more, or there are two rules
     */
    public Segmentation {
        if (bytes != 0 && bytes < LEAST) {
            throw new IllegalArgumentException("a segment has 1 MiB or more, not " + bytes + " bytes");
        }
        if (bytes != 0 && isByLayout) {
            throw new IllegalArgumentException("files are divided by size or by layout, not by both");
        }
    }

    /**
     * Returns a rule by size.
     *
     * @param bytes the size of a segment, at least 1 MiB
     */
    public static Segmentation ofBytes(long bytes) {
        if (bytes == 0) {
            throw new IllegalArgumentException("a segment has 1 MiB or more, not 0 bytes");
        }
        return new Segmentation(bytes, false);
    }

    /** Returns whether files are divided. */
    public boolean divides() {
        return bytes != 0 || isByLayout;
    }

    /** Returns the rule as a string, from which {@link #parse} makes it. */
    public String text() {
        return isByLayout ? LAYOUT : String.valueOf(bytes);
    }

    /**
     * Returns the rule of a {@link #text}.
     *
     * @throws IllegalArgumentException if it is none
     */
    public static Segmentation parse(String text) {
        return text.equals(LAYOUT) ? BY_LAYOUT : new Segmentation(Long.parseLong(text), false);
    }

    /** Returns the size of a chunk in a plan whose chunks are the segments. */
    @Internal
    public long chunkBytes() {
        return isByLayout ? PlanRequest.BY_LAYOUT : bytes;
    }
}
