// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.transfer;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

import org.treehaul.cli.report.JsonLines;
import org.treehaul.schedulers.JobState;

/**
 * The known jobs of a transfer that is still running.
 *
 * @param counts number of jobs in each state, by the words used in reports; empty if unknown
 * @param text the same for users, or advice for them
 * @param reasons why jobs wait, in the words of their scheduler
 */
record JobsLeft(Optional<Map<String, Long>> counts, String text, List<String> reasons) {

    static JobsLeft of(Collection<JobState> live, List<String> reasons) {
        Map<String, Long> counts = live.stream()
                .collect(Collectors.groupingBy(TransferReport::word, TreeMap::new, Collectors.counting()));
        return new JobsLeft(Optional.of(counts),
                "jobs: " + counts.entrySet()
                        .stream()
                        .map(state -> state.getValue() + " " + state.getKey())
                        .collect(Collectors.joining(", "))
                        + (reasons.isEmpty() ? "" : "; they wait for: " + String.join("; ", reasons)),
                reasons);
    }

    static JobsLeft none(String text) {
        return new JobsLeft(Optional.of(Map.of()), text, List.of());
    }

    static JobsLeft unknown(String text) {
        return new JobsLeft(Optional.empty(), text, List.of());
    }

    void json(JsonLines json) {
        counts.ifPresent(states -> {
            json.object("jobs");
            states.forEach((state, count) -> json.number(state, count));
            json.endObject();
        });
        json.text("note", text);
        if (!reasons.isEmpty()) {
            json.text("reason", String.join("; ", reasons));
        }
    }
}
