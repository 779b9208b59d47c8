// SPDX-License-Identifier: Apache-2.0
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.treehaul.tuplespace.Lease;
import org.treehaul.tuplespace.SpaceOptions;
import org.treehaul.tuplespace.TupleSpace;
import org.treehaul.tuplespace.TupleSpaces;
import org.treehaul.tuplespace.partition.Partitions;
import org.treehaul.tuplespace.store.SpaceUri;
import org.treehaul.tuplespace.tuple.Template;

/**
 * Spreads a tuple space over three directories, such as those of three disks, and splits its partitions.
 *
 * <pre>
 * java --enable-native-access=ALL-UNNAMED -cp treehaul.jar SpacePartitions.java DIRECTORY
 * </pre>
 */
public final class SpacePartitions {

    /** The first component decides to which partition a task belongs. */
    public record Task(int number, String kind) {
    }

    public static void main(String[] args) throws InterruptedException {
        Path directory = Path.of(args[0]);
        List<SpaceUri> stores = IntStream.range(0, 3).mapToObj(i -> SpaceUri.of(directory.resolve("disk" + i))).toList();
        SpaceUri address = Partitions.create(directory.resolve("tasks.list"), stores, 1, 100);
        try (TupleSpace space = TupleSpaces.open(address, SpaceOptions.defaults())) {
            space.writeAll(IntStream.range(0, 90).mapToObj(i -> new Task(i, "copy")).toList(), Lease.FOREVER);
            print("90 tasks", address);

            // Asks one partition.
            System.out.println(space.take(Template.of(Task.class).equal("number", 7), Duration.ZERO).orElseThrow());
            // Asks all.
            System.out.println("left: " + space.count(Template.of(Task.class).equal("kind", "copy")));
        }
        // Any process may do this while others use the space.
        System.out.println("new: partition " + Partitions.split(address, 0));
        print("split", address);
        try (TupleSpace space = TupleSpaces.open(address, SpaceOptions.defaults())) {
            System.out.println("left: " + space.count(Template.of(Task.class)));
        }
    }

    private static void print(String when, SpaceUri address) {
        System.out.println(when + ": "
                + Partitions.status(address)
                        .stream()
                        .map(one -> one.isActive() ? one.tuples().orElseThrow() + " tuples" : "free")
                        .toList());
    }
}
