// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.tasks.post;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import org.treehaul.schedulers.tasks.TaskGroupException;

/** Results that are known under a lock, and reported after it: reports may run code of any length. */
final class Outcomes {

    private final List<Runnable> reports = new ArrayList<>();

    void sent(Letter letter) {
        reports.add(() -> letter.sent().complete(true));
    }

    void withdrawn(Letter letter) {
        reports.add(() -> letter.sent().complete(false));
    }

    void failed(Letter letter, TaskGroupException why) {
        reports.add(() -> letter.sent().completeExceptionally(why));
    }

    void received(Receipt receipt, Letter letter) {
        reports.add(() -> receipt.letter().complete(Optional.of(letter)));
    }

    void cancelled(Receipt receipt) {
        reports.add(() -> receipt.letter().complete(Optional.empty()));
    }

    void failed(Receipt receipt, TaskGroupException why) {
        reports.add(() -> receipt.letter().completeExceptionally(why));
    }

    void report() {
        reports.forEach(Runnable::run);
    }
}
