// SPDX-License-Identifier: Apache-2.0
import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Map;
import java.util.SortedMap;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.locality.DataLayout;
import org.treehaul.core.locality.Locality;
import org.treehaul.schedulers.tasks.GroupMember;
import org.treehaul.schedulers.tasks.GroupOptions;
import org.treehaul.schedulers.tasks.GroupTask;
import org.treehaul.schedulers.tasks.Message;
import org.treehaul.schedulers.tasks.SegmentView;
import org.treehaul.schedulers.tasks.SegmentedFile;
import org.treehaul.schedulers.tasks.TaskContext;
import org.treehaul.schedulers.tasks.TaskInfo;
import org.treehaul.schedulers.tasks.TaskProvider;
import org.treehaul.schedulers.tasks.group.TaskGroup;

/**
 * Updates a file with a task at each of its segments: the application of Guardia and Sato, section V. Each task reads a
 * block, changes it (here: small letters become capitals), and writes it back.
 *
 * <pre>
 * javac -cp treehaul.jar -d classes UpdateSegments.java
 * mkdir -p classes/META-INF/services
 * echo UpdateSegments > classes/META-INF/services/org.treehaul.schedulers.tasks.TaskProvider
 * java --enable-native-access=ALL-UNNAMED -cp treehaul.jar:classes UpdateSegments FILE SEGMENTS
 * </pre>
 */
public final class UpdateSegments implements TaskProvider {

    private static final int BLOCK = 64 * 1024;

    /** Opens the file in its global view, starts the tasks, and waits for a message of each. */
    public static void main(String[] args) throws Exception {
        Path file = Path.of(args[0]).toAbsolutePath();
        // The servers of its data; a file system that does not name them reaches all parts equally.
        DataLayout layout = Locality.over(Linux.calls()).layout(ByteString.of(file)).orElse(null);
        SegmentedFile segments = layout == null
                ? SegmentedFile.inParts(Files.size(file), Integer.parseInt(args[1]))
                : SegmentedFile.onServers(layout, Files.size(file));

        GroupOptions options = GroupOptions.defaults().placement(GroupOptions.Placement.HOSTS);
        try (TaskGroup group = TaskGroup.spawn("update", Map.of("file", file.toString()), segments, options)) {
            for (TaskInfo task : group.query()) {
                Message message = group.receive(GroupMember.ANY, Duration.ofHours(1)).orElseThrow();
                System.out.println("segment " + message.source() + ": " + message.text());
            }
            // Closing the group frees it: no thread and no process remains.
        }
    }

    @Override
    public String name() {
        return "update";
    }

    @Override
    public GroupTask create(SortedMap<String, String> parameters) {
        Path file = Path.of(parameters.get("file"));
        return task -> update(file, task);
    }

    /** Is one of the tasks: opens its segment, and has its bytes from 0 on. */
    private static void update(Path file, TaskContext task) throws Exception {
        long changed = 0;
        try (SegmentView segment = SegmentView.open(file, task.segment(), StandardOpenOption.READ,
                StandardOpenOption.WRITE)) {
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
        task.send(GroupMember.CREATOR, (changed + " letters").getBytes(UTF_8));
    }
}
