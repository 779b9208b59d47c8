// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.plan.servers;

import java.util.ArrayList;
import java.util.List;

import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.Timestamp;
import org.treehaul.core.places.PlacedFile;
import org.treehaul.core.plan.format.SpooledStatus;
import org.treehaul.core.plan.spool.RunBuffer;
import org.treehaul.core.plan.spool.SpoolKey;
import org.treehaul.core.plan.spool.SpooledEntry;

/** Files of {@link PlacedFile} as entries of the spool, and the numbers of their hosts. Used by one thread. */
public final class PlacedEntries {

    // POSIX counts the blocks of a file in units of 512 bytes.
    private static final int BLOCK = 512;

    private final ServerTable table = new ServerTable();

    /** Creates an instance without any file. */
    public PlacedEntries() {}

    /** Returns the table of the numbers. */
    public ServerTable table() {
        return table;
    }

    // Each of the hosts can read the part, so their order does not matter. A part always has a host: otherwise a worker of a host
    // without it would take it, and fail.
    private int number(List<String> hosts) {
        int number = table.number(hosts.stream().sorted().toList());
        return number == ServerTable.ANY ? table.number(hosts.subList(0, 1)) : number;
    }

    /** Adds a file to a block of entries. */
    public void add(PlacedFile file, RunBuffer block) {
        List<Integer> servers = new ArrayList<>();
        List<Long> cuts = new ArrayList<>();
        long end = 0;
        for (PlacedFile.Part part : file.parts()) {
            servers.add(number(part.hosts()));
            end += part.length();
            cuts.add(end);
        }
        cuts.removeLast();
        Timestamp time = file.mtime();
        SpooledStatus status = new SpooledStatus(EntryKind.REGULAR, file.size(), (file.size() + BLOCK - 1) / BLOCK,
                time.seconds(), time.nanos(), file.identity(), 0, time.seconds(), time.nanos());
        boolean isRoot = file.path().isRoot();
        block.add(
                SpoolKey.of(file.root(), isRoot ? new byte[0] : file.path().parent().toBytes(),
                        isRoot ? new byte[0] : file.path().nameBytes()),
                new SpooledEntry(SpooledEntry.Role.SINGLE, 0, status, servers, cuts).encode());
    }
}
