// SPDX-License-Identifier: Apache-2.0
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.treehaul.tuplespace.TupleSpace;
import org.treehaul.tuplespace.TupleSpaces;
import org.treehaul.tuplespace.checkpoint.Checkpoint;
import org.treehaul.tuplespace.checkpoint.Checkpoints;
import org.treehaul.tuplespace.checkpoint.PartState;
import org.treehaul.tuplespace.tuple.Bytes;

/**
 * A computation in three parts, which advance at their own pace and each submit their state every ten steps. Killed and started
 * again, it continues from the last generation that all of them had submitted.
 *
 * <pre>
 * java -cp treehaul.jar MicroCheckpoint.java DIRECTORY STEPS
 * </pre>
 */
public final class MicroCheckpoint {
    private static final Map<String, Long> PARTS = Map.of("a", 3L, "b", 5L, "c", 7L);
    private static final int EVERY = 10;

    public static void main(String[] args) throws Exception {
        Path directory = Files.createDirectories(Path.of(args[0]));
        int steps = Integer.parseInt(args[1]);
        Optional<Checkpoint> last = Checkpoints.latest(directory, "sum");
        long begin = last.map(checkpoint -> checkpoint.generation() * EVERY).orElse(0L);
        System.out.println("begins at step " + begin);
        try (TupleSpace space = TupleSpaces.memory();
                Checkpoints checkpoints = Checkpoints.collect(space, "sum", Set.copyOf(PARTS.keySet()), directory,
                        complete -> System.out.println("generation " + complete.generation() + " is complete"))) {
            List<Thread> threads = new ArrayList<>();
            for (String part : PARTS.keySet()) {
                long state = last.map(checkpoint -> toLong(checkpoint.states().get(part))).orElse(0L);
                threads.add(Thread.startVirtualThread(() -> run(space, part, state, begin, steps)));
            }
            for (Thread thread : threads) {
                thread.join();
            }
        }
        Checkpoint result = Checkpoints.latest(directory, "sum").orElseThrow();
        System.out.println("sum " + result.states().values().stream().mapToLong(MicroCheckpoint::toLong).sum());
    }

    /** Adds the same number in each step; the third part is the slowest. */
    private static void run(TupleSpace space, String part, long begin, long from, long to) {
        long state = begin;
        for (long step = from + 1; step <= to; step++) {
            state += PARTS.get(part);
            if (part.equals("c") && step % 3 == 0) {
                Thread.yield();
            }
            if (step % EVERY == 0) {
                Checkpoints.submit(space, new PartState("sum", step / EVERY, part, Bytes.of(toBytes(state))));
            }
        }
    }

    private static byte[] toBytes(long value) {
        return Long.toString(value).getBytes();
    }

    private static long toLong(Bytes bytes) {
        return Long.parseLong(new String(bytes.toArray()));
    }
}
