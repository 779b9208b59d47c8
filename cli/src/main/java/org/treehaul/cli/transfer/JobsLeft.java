// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.transfer;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
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

    /**
     * Returns the jobs that are left.
     *
     * @param live the states of all jobs, by their ids
     * @param finishing the ids of those that finish the transfer after the others
     */
    static JobsLeft of(Map<String, JobState> live, Set<String> finishing, List<String> reasons) {
        List<String> words = new ArrayList<>();
        Map<String, JobState> others = new TreeMap<>(live);
        others.keySet().removeAll(finishing);
        counts(others.values()).forEach((state, count) -> words.add(count + " " + state));
        live.forEach((id, state) -> {
            if (finishing.contains(id)) {
                words.add("finishing job " + TransferReport.word(state));
            }
        });
        return new JobsLeft(Optional.of(counts(live.values())), "jobs: " + String.join(", ", words)
                + (reasons.isEmpty() ? "" : "; they wait for: " + String.join("; ", reasons)), reasons);
    }

    private static Map<String, Long> counts(Collection<JobState> states) {
        return states.stream()
                .collect(Collectors.groupingBy(TransferReport::word, TreeMap::new, Collectors.counting()));
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
