// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer.operation;

import java.util.Map;

import org.treehaul.core.annotation.Internal;

/** The settings in the plan of an operation on single entries. */
@Internal
public final class EntrySettings {

    /** The key of the number of threads of a worker. */
    public static final String THREADS = "threads";

    /** Prefix of the settings with the inode numbers of the directories that contain the roots. */
    public static final String PLACE = "place.";

    private EntrySettings() {}

    static int threads(Map<String, String> settings) {
        String threads = settings.get(THREADS);
        if (threads == null) {
            throw new IllegalArgumentException("the setting " + THREADS + " is missing");
        }
        return Integer.parseInt(threads);
    }
}
