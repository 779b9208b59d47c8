// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage.tree;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.treehaul.core.fs.Errno;
import org.treehaul.schedulers.stage.Stage;
import org.treehaul.schedulers.stage.StageException;
import org.treehaul.schedulers.stage.StagedFile;

/**
 * Chooses the server that a copy of a segment gets: the one that it has if that takes segments, else the one with the
 * fewest bytes of this run among those without a copy of the segment. Thread-safe.
 */
final class CopyTargets {

    private static final long BLOCK = 4096;

    private final Stage stage;
    private final Map<String, Long> bytes = new HashMap<>();

    CopyTargets(Stage stage) {
        this.stage = stage;
    }

    /**
     * Returns the server for each of these copies of a file.
     *
     * @throws StageException ENOSPC if each server that takes segments has a copy of one of the segments already
     */
    synchronized Map<CopyScan.Copy, String> of(StagedFile file, List<CopyScan.Copy> copies) throws StageException {
        // Now: another program may drain one, or add one.
        List<String> active = stage.catalogue().activeServers();
        Map<CopyScan.Copy, String> chosen = new LinkedHashMap<>();
        for (CopyScan.Copy copy : copies) {
            if (active.contains(copy.server())) {
                chosen.put(copy, copy.server());
                continue;
            }
            List<String> free = new ArrayList<>(active);
            free.removeAll(file.layout().serversOf(copy.segment()));
            chosen.forEach((other, server) -> {
                if (other.segment() == copy.segment()) {
                    free.remove(server);
                }
            });
            if (free.isEmpty()) {
                throw new StageException(stage.catalogue().display(file.path()),
                        "each server that takes segments has a copy of segment " + copy.segment()
                                + " already: add a server with 'treehaul stage servers --directories' or '--add-servers'",
                        Errno.ENOSPC);
            }
            String least = free.getFirst();
            for (String server : free) {
                least = bytes.getOrDefault(server, 0L) < bytes.getOrDefault(least, 0L) ? server : least;
            }
            bytes.merge(least, file.layout().segmentSize(copy.segment(), file.size()) + BLOCK, Long::sum);
            chosen.put(copy, least);
        }
        return chosen;
    }
}
