// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.remove;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;

import org.treehaul.core.entry.ByteString;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.Event;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.Call;
import org.treehaul.core.fs.Fault;
import org.treehaul.core.fs.FaultInjectingCalls;
import org.treehaul.core.fs.linux.Linux;

/** Removes for tests, and collects the events. */
final class Removals {

    /** The events of a removal: failures as text without the directory of the test, and removed paths. */
    record Ran(RemoveResult result, List<String> failures, List<String> removed, Map<Call, Long> counts) {}

    private Removals() {}

    static Ran remove(Path directory, RemoveOptions options, List<String> names, Fault... faults) {
        return remove(directory, options, names, new Cancellation(), faults);
    }

    static Ran remove(Path directory, RemoveOptions options, List<String> names, Cancellation cancellation,
            Fault... faults) {
        List<String> failures = Collections.synchronizedList(new ArrayList<>());
        List<String> removed = Collections.synchronizedList(new ArrayList<>());
        String base = directory + "/";
        FaultInjectingCalls calls = FaultInjectingCalls.over(Linux.calls(), faults);
        List<ByteString> paths = names.stream().map(name -> ByteString.of(base + name)).toList();
        RemoveResult result = TreeRemover.of(calls, options).remove(paths, event -> {
            switch (event) {
                case Event.Failed e -> failures.add(e.failure().kind() + " " + below(base, e.failure().toString()));
                case Event.Changed e -> throw new AssertionError(e);
                case Event.Ran e -> throw new AssertionError(e);
                case Event.Removed e -> removed.add(below(base, e.path().toString()));
                case Event.Notice e -> throw new AssertionError(e);
                case Event.Done e -> throw new AssertionError(e);
            }
        }, new Progress(), cancellation);
        assertThat(calls.openDescriptors()).as("descriptors left open").isEmpty();
        assertThat(result.counts().failures()).isEqualTo(failures.size());
        return new Ran(result, failures.stream().sorted().toList(), List.copyOf(removed), calls.counts());
    }

    private static String below(String base, String text) {
        return base.equals("/") ? text : text.replace(base, "");
    }
}
