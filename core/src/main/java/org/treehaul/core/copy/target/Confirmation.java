// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy.target;

import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.copy.options.CopyPair;
import org.treehaul.core.entry.ByteString;

/** Asks the user before an existing entry is replaced, if the options require it. Safe for any number of threads. */
public final class Confirmation {

    private final @Nullable Predicate<ByteString> question;
    private final List<CopyPair> pairs;

    // Remembered because a copy may be begun again.
    private final Set<CopyTask> confirmed = ConcurrentHashMap.newKeySet();

    public Confirmation(CopyOptions options, List<CopyPair> pairs) {
        this.question = options.confirmation().orElse(null);
        this.pairs = pairs;
    }

    /** Returns whether an entry may replace or write to an existing one. */
    public boolean allows(CopyTask task) {
        if (question == null || confirmed.contains(task)) {
            return true;
        }
        boolean isAllowed = question.test(pairs.get(task.rootIndex()).targetPath(task.path()));
        if (isAllowed) {
            confirmed.add(task);
        }
        return isAllowed;
    }
}
