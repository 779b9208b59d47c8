// SPDX-License-Identifier: Apache-2.0
package org.treehaul.bench.growth;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** An operation whose growth is measured, in a process of its own. They run in this order on each number of entries. */
enum GrowthStep {

    /** Counts the entries, with the status of each. */
    WALK("walk", "the walk with the status of each entry", Data.NONE),
    /** Copies the tree with threads. */
    COPY("copy", "the copy by threads", Data.NONE),
    /** Plans a copy by jobs. */
    PLAN("plan", "the plan of a copy by jobs", Data.STATE),
    /** Copies about half of the entries according to the plan, and stops. */
    WORK("work", "one worker, which is stopped after half of the entries", Data.STATE),
    /** Shows the transfer. */
    STATUS("status", "`treehaul status --batches` of the stopped transfer", Data.STATE),
    /** Reads the journals, and copies the other half. */
    RESUME("resume", "one worker of the resumed transfer: reads the journals, and copies the rest", Data.STATE),
    /** Gives the directories their metadata. */
    FINISH("finish", "the finishing of the transfer", Data.STATE),
    /** Compares the copy with the source by a transfer of its own. */
    VERIFY("verify", "the verification of the transfer by one worker, with its finishing", Data.STATE),
    /** Fills an index. */
    INDEX("index", "the first run of the index", Data.SPACE),
    /** Reads the tree again, and changes nothing. */
    UPDATE("update", "the second run of the index, which finds no change", Data.SPACE),
    /** Asks for entries by size, which no database index helps to find. */
    QUERY("query", "`treehaul query --count` of large files", Data.SPACE),
    /** Groups all entries. */
    GROUP("group", "`treehaul query --group-by kind`", Data.SPACE);

    /** The files that a step writes or reads beside the trees. */
    private enum Data {
        NONE,
        STATE,
        SPACE
    }

    private final String label;
    private final String title;
    private final Data data;

    GrowthStep(String label, String title, Data data) {
        this.label = label;
        this.title = title;
        this.data = data;
    }

    /** Returns the name by which users select it. */
    String label() {
        return label;
    }

    /** Returns a description of what is measured. */
    String title() {
        return title;
    }

    /** Returns the directory whose size is reported after the step. */
    Optional<Path> data(GrowthPlace place) {
        return switch (data) {
            case NONE -> Optional.empty();
            case STATE -> Optional.of(place.state());
            case SPACE -> Optional.of(place.space());
        };
    }

    /** Returns the arguments of treehaul for a step that runs its command; empty if {@link GrowthRun} runs it. */
    List<Object> arguments(GrowthPlace place) {
        return switch (this) {
            case STATUS -> List.of("status", "--batches", "--state-dir", place.state(), "last");
            case QUERY -> List.of("query", "--space", place.space(), "--count", "kind=regular", "size>4000");
            case GROUP -> List.of("query", "--space", place.space(), "--group-by", "kind");
            default -> List.of();
        };
    }
}
