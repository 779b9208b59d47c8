// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers;

import java.util.List;

/**
 * The jobs that were submitted for a request.
 *
 * @param scheduler the name of the scheduler, for {@link org.treehaul.schedulers.discovery.Schedulers#named}
 * @param ids one for each job or job array, as {@link Scheduler#states}, {@link Scheduler#cancel} and
 *        {@link JobRequest#after} take them; each one line without spaces
 * @param jobs the number of jobs in total
 */
public record Submission(String scheduler, List<String> ids, int jobs) {
    /** Checks the ids. */
    public Submission {
        ids = List.copyOf(ids);
        for (String id : ids) {
            if (id.isEmpty() || id.chars().anyMatch(c -> c <= ' ' || c > '~')) {
                throw new IllegalArgumentException("not an id: " + id);
            }
        }
    }
}
