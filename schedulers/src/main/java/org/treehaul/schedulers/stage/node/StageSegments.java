// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage.node;

import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import org.treehaul.schedulers.stage.ParallelFile;
import org.treehaul.schedulers.stage.SegmentView;
import org.treehaul.schedulers.stage.Stage;
import org.treehaul.schedulers.stage.StageException;
import org.treehaul.schedulers.stage.StageServer;
import org.treehaul.schedulers.stage.StripeLayout;
import org.treehaul.schedulers.tasks.SegmentedFile;
import org.treehaul.schedulers.tasks.TaskContext;

/**
 * The segments of a parallel file as places for the tasks of a group, as in Guardia and Sato: a task runs on the host
 * that has its segment.
 */
public final class StageSegments {

    private StageSegments() {}

    /**
     * Returns the segments of a file that is open. The number of each is that of the segment in the file, its host is
     * that of the server, and its ranges are the stripes that it has now.
     *
     * @param stage the stage that has the file
     * @throws StageException if a server cannot be asked for the size of its segment
     */
    public static SegmentedFile of(Stage stage, ParallelFile file) throws StageException {
        Map<String, String> hosts = stage.catalogue()
                .servers()
                .stream()
                .collect(Collectors.toMap(StageServer::name, StageServer::host));
        StripeLayout layout = file.layout();
        return SegmentedFile.striped(file.size(), layout.stripe(),
                IntStream.range(0, layout.segments())
                        .mapToObj(segment -> file.staged()
                                .good(segment)
                                .stream()
                                .findFirst()
                                .map(server -> hosts.getOrDefault(server, ""))
                                .orElse(""))
                        .toList());
    }

    /**
     * Returns the view of the segment at which a task runs. On the host of the segment it reads and writes the
     * directory that has it, without a server.
     *
     * @param file the file whose {@linkplain #of segments} the group has, as the task opened it
     * @throws IndexOutOfBoundsException if the file does not have the segment
     */
    public static SegmentView view(ParallelFile file, TaskContext task) {
        return file.segment(task.segment().index());
    }
}
