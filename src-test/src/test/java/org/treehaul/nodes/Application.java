// SPDX-License-Identifier: Apache-2.0
package org.treehaul.nodes;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;

import org.treehaul.core.entry.ByteString;
import org.treehaul.schedulers.stage.ParallelFile;
import org.treehaul.schedulers.stage.SegmentRange;
import org.treehaul.schedulers.stage.SegmentView;
import org.treehaul.schedulers.stage.Stage;
import org.treehaul.schedulers.stage.node.StageSegments;
import org.treehaul.schedulers.tasks.GroupMember;
import org.treehaul.schedulers.tasks.GroupOptions;
import org.treehaul.schedulers.tasks.GroupTask;
import org.treehaul.schedulers.tasks.Launcher;
import org.treehaul.schedulers.tasks.TaskContext;
import org.treehaul.schedulers.tasks.TaskProvider;
import org.treehaul.schedulers.tasks.group.TaskGroup;

/**
 * The application of Guardia and Sato, section V: reads a block, waits in place of work, and writes the block back. Its
 * tasks run at the segments of a file. Case A is carried out by the creator alone, the others by all tasks.
 */
public final class Application implements TaskProvider {

    private static final String NAME = "npfs-application";
    private static final Duration LONGEST = Duration.ofHours(1);

    /** The cases of the paper. */
    public enum Case {
        /** One sequential program, a parallel file. */
        A,
        /** A program in several processes, a file of a remote file system. */
        B,
        /** A program in several processes, a parallel file in its global view. */
        C,
        /** The processes are at the segments, and each has its own. */
        D
    }

    /** Reads or writes a whole block. */
    private interface Block {
        void transfer(ByteBuffer buffer, long offset, boolean isWrite) throws IOException;
    }

    /**
     * Measures all cases over some servers and prints {@code spawn NANOS}, and {@code CASE REQUEST NANOS} for each.
     * Values: those of the stage, {@code servers}, {@code requests} (of all processes together), {@code sizes},
     * {@code millis} of work, {@code rounds}, {@code remote} (the directory for case B), {@code launcher},
     * {@code place}.
     */
    static void measure(Values values) throws Exception {
        int servers = values.number("servers");
        try (Staged.Client client = Staged.of(values).open()) {
            List<Integer> sizes = values.words("sizes", ",").stream().map(Integer::valueOf).toList();
            long bytes = (long) values.number("requests") * sizes.getLast();
            prepare(OpenFile.of(client.stage(), NAME, servers, true, true), bytes);
            if (hasRemote(values)) {
                prepare(OpenFile.in(remote(values), true), bytes);
            }
            cases(values, client.stage(), sizes);
            int times = values.number("requests") * (sizes.size() * values.number("rounds") + 2);
            check(client.stage(), values, bytes, times);
            client.stage().remove(ByteString.of(NAME));
        }
    }

    private static void cases(Values values, Stage stage, List<Integer> sizes) throws Exception {
        GroupOptions options = GroupOptions.defaults()
                .placement(GroupOptions.Placement.HOSTS)
                .java(List.of(Path.of(System.getProperty("java.home"), "bin/java").toString(), "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1", "-Xmx128m", "--enable-native-access=ALL-UNNAMED"),
                        System.getProperty("java.class.path"))
                .launcher(Launcher.prefix(values.words("launcher", " ")), values.path("place"));
        long begun = System.nanoTime();
        try (ParallelFile file = stage.open(ByteString.of(NAME), false);
                TaskGroup group = TaskGroup.spawn(NAME, values.all(), StageSegments.of(stage, file), options)) {
            System.out.println("spawn " + (System.nanoTime() - begun));
            // A small and a large request, which take different ways.
            round(stage, group, sizes.getFirst(), values);
            round(stage, group, sizes.getLast(), values);
            NodeProgram.warm();
            for (int round = 0; round < values.number("rounds"); round++) {
                for (int size : sizes) {
                    round(stage, group, size, values)
                            .forEach((one, nanos) -> System.out.println(one + " " + size + " " + nanos));
                }
            }
            for (int task = 0; task < group.query().size(); task++) {
                group.send(task, new byte[0]);
            }
            group.await(LONGEST);
        }
    }

    private static Map<Case, Long> round(Stage stage, TaskGroup group, int size, Values values) throws Exception {
        Map<Case, Long> nanos = new EnumMap<>(Case.class);
        for (Case one : Case.values()) {
            if (one != Case.B || hasRemote(values)) {
                nanos.put(one, one == Case.A ? update(stage, one, size, 0, 1, values) : together(group, one, size));
            }
        }
        return nanos;
    }

    private static long together(TaskGroup group, Case one, int size) throws Exception {
        int tasks = group.query().size();
        long begun = System.nanoTime();
        for (int task = 0; task < tasks; task++) {
            group.send(task, (one + " " + size).getBytes(UTF_8));
        }
        for (int task = 0; task < tasks; task++) {
            // Fails if the task has ended.
            group.receive(task);
        }
        return System.nanoTime() - begun;
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public GroupTask create(SortedMap<String, String> parameters) {
        return task -> serve(new Values(parameters), task);
    }

    private static void serve(Values values, TaskContext task) throws Exception {
        try (Staged.Client client = Staged.of(values).open()) {
            for (String job = task.receive(GroupMember.CREATOR).text(); !job
                    .isEmpty(); job = task.receive(GroupMember.CREATOR).text()) {
                String[] words = job.split(" ", -1);
                long nanos = update(client.stage(), Case.valueOf(words[0]), Integer.parseInt(words[1]), task.index(),
                        values.number("servers"), values);
                task.send(GroupMember.CREATOR, Long.toString(nanos).getBytes(UTF_8));
            }
        }
    }

    /** Reads, changes and writes the blocks of a process; returns the nanoseconds, with open and close. */
    private static long update(Stage stage, Case one, int size, int process, int processes, Values values)
            throws Exception {
        long begun = System.nanoTime();
        int count = values.number("requests") / processes;
        long first = one == Case.D ? 0 : (long) process * count * size;
        if (one == Case.B) {
            try (FileChannel file = FileChannel.open(remote(values), StandardOpenOption.READ,
                    StandardOpenOption.WRITE)) {
                update((buffer, offset, isWrite) -> OpenFile.whole(file, offset, buffer, isWrite), first, count, size,
                        values);
            }
        } else {
            try (ParallelFile file = stage.open(ByteString.of(NAME), true)) {
                SegmentView segment = file.segment(process);
                update(one == Case.D ? (buffer, offset, isWrite) -> {
                    int ignored = isWrite ? segment.write(buffer, offset) : segment.read(buffer, offset);
                } : (buffer, offset, isWrite) -> {
                    int ignored = isWrite ? file.write(buffer, offset) : file.read(buffer, offset);
                }, first, count, size, values);
            }
        }
        return System.nanoTime() - begun;
    }

    private static void update(Block block, long first, int count, int size, Values values)
            throws IOException, InterruptedException {
        ByteBuffer buffer = ByteBuffer.allocateDirect(size);
        for (int i = 0; i < count; i++) {
            long offset = first + (long) i * size;
            block.transfer(buffer.clear(), offset, false);
            if (buffer.hasRemaining()) {
                throw new IOException("the file ends before " + (offset + size));
            }
            buffer.putInt(0, buffer.getInt(0) + 1);
            Thread.sleep(values.number("millis"));
            block.transfer(buffer.flip(), offset, true);
        }
    }

    private static void prepare(OpenFile file, long bytes) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocateDirect(OpenFile.STRIPE);
        while (buffer.hasRemaining()) {
            buffer.put((byte) 'x');
        }
        buffer.putInt(0, 0);
        try (file) {
            for (long offset = 0; offset < bytes; offset += OpenFile.STRIPE) {
                file.transfer(List.of(new SegmentRange(offset, OpenFile.STRIPE)), buffer.rewind(), true);
            }
        }
    }

    /** Checks that each block was changed once in each case: the first four bytes of a stripe count. */
    private static void check(Stage stage, Values values, long bytes, int times) throws IOException {
        counts(OpenFile.of(stage, NAME, values.number("servers"), true, false), bytes, 3 * times);
        if (hasRemote(values)) {
            counts(OpenFile.in(remote(values), false), bytes, times);
        }
    }

    private static void counts(OpenFile file, long bytes, int expected) throws IOException {
        ByteBuffer first = ByteBuffer.allocateDirect(Integer.BYTES);
        int counted = 0;
        try (file) {
            for (long offset = 0; offset < bytes; offset += OpenFile.STRIPE) {
                file.transfer(List.of(new SegmentRange(offset, Integer.BYTES)), first.clear(), false);
                counted += first.getInt(0);
            }
        }
        if (counted != expected) {
            throw new IOException(counted + " blocks were changed, not " + expected);
        }
    }

    private static boolean hasRemote(Values values) {
        return !values.text("remote").isEmpty();
    }

    private static Path remote(Values values) {
        return values.path("remote").resolve(NAME);
    }
}
