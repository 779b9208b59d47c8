// SPDX-License-Identifier: Apache-2.0
package org.treehaul.batch;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.SortedMap;

import org.treehaul.core.state.Host;
import org.treehaul.schedulers.tasks.GroupMember;
import org.treehaul.schedulers.tasks.GroupTask;
import org.treehaul.schedulers.tasks.TaskProvider;

/** A task that sends the node on which it runs and the number of its process, and ends after a message. */
public final class NodeTask implements TaskProvider {

    @Override
    public String name() {
        return "node";
    }

    @Override
    public GroupTask create(SortedMap<String, String> parameters) {
        return task -> {
            task.send(GroupMember.CREATOR, (node() + " " + ProcessHandle.current().pid()).getBytes(UTF_8));
            task.receive(GroupMember.CREATOR);
        };
    }

    private static String node() {
        String slurm = System.getenv("SLURMD_NODENAME");
        String pbs = System.getenv("PBS_NODENUM");
        return slurm != null ? slurm : pbs != null ? "node" + pbs : Host.nameOr("?");
    }
}
