// SPDX-License-Identifier: Apache-2.0
package org.treehaul.batch;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.SortedMap;

import org.treehaul.schedulers.tasks.GroupMember;
import org.treehaul.schedulers.tasks.GroupTask;
import org.treehaul.schedulers.tasks.TaskProvider;

/** A task that sends the node of Slurm on which it runs and the number of its process, and ends after a message. */
public final class NodeTask implements TaskProvider {

    @Override
    public String name() {
        return "node";
    }

    @Override
    public GroupTask create(SortedMap<String, String> parameters) {
        return task -> {
            String node = System.getenv().getOrDefault("SLURMD_NODENAME", "none");
            task.send(GroupMember.CREATOR, (node + " " + ProcessHandle.current().pid()).getBytes(UTF_8));
            task.receive(GroupMember.CREATOR);
        };
    }
}
