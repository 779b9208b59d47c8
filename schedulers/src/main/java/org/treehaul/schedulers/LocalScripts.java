// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers;

import java.util.List;
import java.util.stream.Stream;

/**
 * Job scripts for processes of this machine. Their arguments are the index of a worker and the processes to wait for.
 */
final class LocalScripts {

    // The start time distinguishes a process from a later one that reuses the pid; the name before it may hold spaces.
    // A zombie counts as gone.
    private static final List<String> ENVIRONMENT = List.of("directory=$PWD", "job=$$", "index=$1", "shift", """
            alive() {
                local line
                { IFS= read -r line < "/proc/${1%%:*}/stat"; } 2> /dev/null || return
                read -r -a field <<< "${line##*) }"
                [[ ${field[19]} == "${1##*:}" && ${field[0]} != [ZX] ]]
            }
            for other; do
                while alive "$other"; do sleep $((SECONDS < 20 ? 0 : 1)).1; done
            done""");

    private LocalScripts() {}

    /** Returns the script that all processes of a request run. */
    static Script render(JobRequest request, String name) {
        long limit = request.phase() == JobPhase.WORKER
                ? request.walltime().map(time -> time.minus(JobBody.notice(time)).toSeconds()).orElse(0L)
                : 0;
        List<String> environment = ENVIRONMENT.stream()
                .filter(line -> request.phase() == JobPhase.WORKER || !line.startsWith("index="))
                .toList();
        if (request.isRanks()) {
            environment = Stream.concat(environment.stream(), Stream.of("meet=" + name.replace(".sh", ""))).toList();
        }
        return new Script(name, "#!/bin/bash\n" + JobBody.of(request, environment, List.of(), true, limit, List.of()));
    }
}
