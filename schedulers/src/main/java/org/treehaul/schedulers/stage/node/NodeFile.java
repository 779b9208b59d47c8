// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage.node;

import java.util.List;

import org.treehaul.core.annotation.Internal;
import org.treehaul.schedulers.stage.StagedFile;

/**
 * A file of a stage, or one of its segments, to be handled on a node.
 *
 * @param file the file
 * @param segment the number of the segment; {@link #WHOLE} for the whole file
 */
@Internal
public record NodeFile(StagedFile file, int segment) {

    /** All segments of a file. */
    public static final int WHOLE = -1;

    /** Returns a whole file. If all its data are in its first segment, it is handled there. */
    static NodeFile whole(StagedFile file) {
        return new NodeFile(file, file.size() <= file.stripe() ? 0 : WHOLE);
    }

    /** Returns whether the data are in one file of a server. */
    public boolean isInOnePlace() {
        return segment != WHOLE || file.segments() == 1;
    }

    /** Returns the number of the segment to which the path of {@link NodeFiles} leads, if it is in one place. */
    int place() {
        return Math.max(segment, 0);
    }

    /** Returns the name of the server on whose node the file is handled; of a whole file in segments, any of them. */
    String server() {
        return servers().getFirst();
    }

    /** Returns the names of the servers that have a copy of the data; of a whole file in segments, of one of these. */
    List<String> servers() {
        // Whole files in segments are spread over the nodes of their servers, because each has an equal part.
        int place = segment == WHOLE ? Math.floorMod(file.id().hashCode(), file.segments()) : segment;
        List<String> complete = file.good(place);
        return complete.isEmpty() ? List.of(file.layout().serverOf(place)) : complete;
    }

    /** Returns the offset in the file of the first byte; 0 for a whole file. */
    public long offset() {
        return place() * file.stripe();
    }

    /** Returns the number of bytes, as the catalogue has them. */
    public long length() {
        return segment == WHOLE ? file.size() : file.layout().segmentSize(segment, file.size());
    }
}
