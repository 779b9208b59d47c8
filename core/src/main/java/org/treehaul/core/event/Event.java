// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.event;

import org.treehaul.core.entry.ByteString;

/** An event during long work. */
public sealed interface Event {

    /**
     * An entry failed; the work on the rest continues.
     *
     * @param failure the entry, the operation and the error
     */
    record Failed(EntryFailure failure) implements Event {}

    /**
     * Information for the user that is not a failure; sent once, not for each entry.
     *
     * @param text one sentence
     */
    record Notice(String text) implements Event {}

    /**
     * An entry was processed, or would be in a dry run. Sent only if the options ask for it.
     *
     * @param action {@code copy}, {@code replace}, {@code make}, {@code link}, {@code rename} or {@code directory}
     * @param source path of the entry, which begins with the source as the user gave it
     * @param destination path of the result
     */
    record Done(String action, ByteString source, ByteString destination) implements Event {}

    /**
     * An entry was removed, or would be in a dry run. Sent only if the options ask for it.
     *
     * @param path path of the entry, which begins with the root as the user gave it
     */
    record Removed(ByteString path) implements Event {}

    /**
     * A command ran for an entry and succeeded. Sent only if the options ask for it.
     *
     * @param path path of the entry, which begins with the root as the user gave it
     */
    record Ran(ByteString path) implements Event {}

    /**
     * An attribute of an entry was examined and, if it differed, changed, or would be in a dry run. Sent only if the
     * options ask for it.
     *
     * @param path path of the entry, which begins with the root as the user gave it
     * @param attribute the name of the attribute
     * @param before its value before
     * @param after its value after; equal if no change was needed
     */
    record Changed(ByteString path, String attribute, String before, String after) implements Event {

        /** Returns whether the attribute was changed. */
        public boolean isChange() {
            return !before.equals(after);
        }
    }
}
