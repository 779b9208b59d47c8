// SPDX-License-Identifier: Apache-2.0
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.treehaul.tuplespace.Lease;
import org.treehaul.tuplespace.Result;
import org.treehaul.tuplespace.SpaceOptions;
import org.treehaul.tuplespace.Transaction;
import org.treehaul.tuplespace.TupleSpace;
import org.treehaul.tuplespace.TupleSpaces;
import org.treehaul.tuplespace.tuple.Aggregate;
import org.treehaul.tuplespace.tuple.Order;
import org.treehaul.tuplespace.tuple.Template;

/**
 * Embeds a tuple space that lasts: writes, reads, takes, counts.
 *
 * <pre>
 * java --enable-native-access=ALL-UNNAMED -cp treehaul.jar SpaceTour.java DIRECTORY
 * </pre>
 */
public final class SpaceTour {

    /** Any record is a tuple. A component that can be null can be left out of an example. */
    public record Task(String kind, Integer size, String note) {
    }

    public static void main(String[] args) throws InterruptedException {
        SpaceOptions options = SpaceOptions.defaults().index(Task.class, "kind");
        try (TupleSpace space = TupleSpaces.open(Path.of(args[0]), options)) {
            space.writeAll(List.of(new Task("copy", 10, null), new Task("copy", 30, "urgent"), new Task("check", 5, null)),
                    Lease.FOREVER);

            // By example: null is the wildcard. By component: ranges, prefixes, absence and more.
            Template<Task> copies = Template.like(new Task("copy", null, null));
            Template<Task> large = Template.of(Task.class).atLeast("size", 10).isNull("note");
            System.out.println("copies: " + space.count(copies) + ", of " + space.sum(copies, "size"));
            System.out.println("large: " + space.read(large, Duration.ZERO).orElseThrow());
            space.groupBy(Template.of(Task.class), List.of("kind"), Aggregate.count(), Aggregate.max("size"))
                    .forEach(group -> System.out.println(group.key() + " " + group.values()));
            try (Stream<Task> tasks = space.contents(copies, Order.by("size").descending(), 1)) {
                tasks.forEach(task -> System.out.println("largest: " + task));
            }

            // What is taken in a transaction comes back when the program dies before the commit.
            try (Transaction transaction = space.begin(Duration.ofMinutes(1))) {
                Task task = transaction.take(copies.equal(Task::size, 30), Duration.ofSeconds(5)).orElseThrow();
                transaction.write(new Task("done", task.size(), task.note()));
                transaction.commit();
            }
            switch (space.takeIfExists(Template.of(Task.class).equal("size", 30), Duration.ZERO)) {
                case Result.Found<Task>(Task task) -> System.out.println("took " + task);
                case Result.Empty<Task>() -> System.out.println("there is none");
                case Result.Locked<Task>() -> System.out.println("another process has it");
            }
            System.out.println("left: " + space.remove(Template.of(Task.class)));
        }
    }
}
