// SPDX-License-Identifier: Apache-2.0
import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.schedulers.stage.Catalogue;
import org.treehaul.schedulers.stage.ParallelFile;
import org.treehaul.schedulers.stage.SegmentView;
import org.treehaul.schedulers.stage.Stage;
import org.treehaul.schedulers.stage.net.RunSecret;
import org.treehaul.schedulers.stage.net.SegmentClients;
import org.treehaul.schedulers.stage.node.StageSegments;
import org.treehaul.schedulers.tasks.GroupMember;
import org.treehaul.schedulers.tasks.GroupOptions;
import org.treehaul.schedulers.tasks.GroupTask;
import org.treehaul.schedulers.tasks.Launcher;
import org.treehaul.schedulers.tasks.Message;
import org.treehaul.schedulers.tasks.SegmentedFile;
import org.treehaul.schedulers.tasks.TaskContext;
import org.treehaul.schedulers.tasks.TaskInfo;
import org.treehaul.schedulers.tasks.TaskProvider;
import org.treehaul.schedulers.tasks.group.TaskGroup;
import org.treehaul.tuplespace.store.SpaceUri;

/**
 * Updates a parallel file with a task at each of its segments, on the node that has it: the application of Guardia and
 * Sato, section V. Each task reads a block, changes it (here: small letters become capitals), and writes it back. Then
 * it exchanges a message with its neighbours, and sends one to the creator.
 *
 * <pre>
 * javac -cp treehaul.jar -d classes UpdateStaged.java
 * mkdir -p classes/META-INF/services
 * echo UpdateStaged > classes/META-INF/services/org.treehaul.schedulers.tasks.TaskProvider
 * java --enable-native-access=ALL-UNNAMED -cp treehaul.jar:classes UpdateStaged SPACE SECRET NAME:PATH [WORD]...
 * </pre>
 *
 * The words start a process on a node, such as {@code ssh {host}}, or {@code srun --overlap -N1 -n1 -w {host}} in a job
 * of Slurm. Without them all processes run here.
 */
public final class UpdateStaged implements TaskProvider {

    private static final int BLOCK = 64 * 1024;

    /** A stage, and the connections to its servers. */
    private record Opened(SegmentClients clients, Stage stage) implements AutoCloseable {

        static Opened of(Map<String, String> parameters) throws Exception {
            SegmentClients clients = new SegmentClients(
                    RunSecret.read(ByteString.of(Path.of(parameters.get("secret")))), false);
            Catalogue catalogue = Catalogue.openExisting(SpaceUri.parse(parameters.get("space")),
                    parameters.get("stage"));
            // A directory of this host is reached without its server.
            return new Opened(clients, Stage.open(catalogue, clients.withLocal(Linux.calls()), 2));
        }

        ParallelFile open(String path, boolean toWrite) throws Exception {
            return stage.open(ByteString.of(path), toWrite);
        }

        @Override
        public void close() {
            stage.close();
            clients.close();
        }
    }

    /** Opens the file in its global view, starts the tasks, and waits for a message of each. */
    public static void main(String[] args) throws Exception {
        int colon = args[2].indexOf(':');
        Map<String, String> parameters = Map.of("space", args[0], "secret", args[1], "stage",
                args[2].substring(0, colon), "path", args[2].substring(colon + 1));
        List<String> words = List.of(args).subList(3, args.length);
        GroupOptions options = GroupOptions.defaults().placement(GroupOptions.Placement.HOSTS);
        if (!words.isEmpty()) {
            // All nodes see the directory in which their processes find this one.
            boolean isForShell = words.getFirst().equals("ssh");
            options = options.launcher(isForShell ? Launcher.shellPrefix(words) : Launcher.prefix(words),
                    Path.of("").toAbsolutePath());
        }
        try (Opened opened = Opened.of(parameters); ParallelFile file = opened.open(parameters.get("path"), false)) {
            SegmentedFile segments = StageSegments.of(opened.stage(), file);
            try (TaskGroup group = TaskGroup.spawn("update-staged", parameters, segments, options)) {
                for (TaskInfo task : group.query()) {
                    Message message = group.receive(GroupMember.ANY, Duration.ofHours(1)).orElseThrow();
                    System.out.println("segment " + message.source() + ": " + message.text());
                }
                // Closing the group frees it: no thread and no process remains.
            }
        }
    }

    @Override
    public String name() {
        return "update-staged";
    }

    @Override
    public GroupTask create(SortedMap<String, String> parameters) {
        return task -> update(parameters, task);
    }

    /** Is one of the tasks: opens the file in its segmented view, and has the bytes of its segment from 0 on. */
    private static void update(SortedMap<String, String> parameters, TaskContext task) throws Exception {
        long changed = 0;
        try (Opened opened = Opened.of(parameters); ParallelFile file = opened.open(parameters.get("path"), true)) {
            SegmentView segment = StageSegments.view(file, task);
            ByteBuffer block = ByteBuffer.allocate(BLOCK);
            for (long offset = 0; segment.read(block.clear(), offset) > 0; offset += BLOCK) {
                block.flip();
                for (int i = 0; i < block.limit(); i++) {
                    byte letter = block.get(i);
                    if (letter >= 'a' && letter <= 'z') {
                        block.put(i, (byte) (letter - 'a' + 'A'));
                        changed++;
                    }
                }
                segment.write(block, offset);
            }
        }
        // The segments form a ring: each task sends its count to the next one.
        int tasks = task.query().size();
        task.send((task.index() + 1) % tasks, Long.toString(changed).getBytes(UTF_8));
        String before = task.receive((task.index() + tasks - 1) % tasks).text();
        String host = task.segment().host().orElse("any host");
        task.send(GroupMember.CREATOR,
                (changed + " letters on " + host + ", " + before + " in the segment before").getBytes(UTF_8));
    }
}
