// SPDX-License-Identifier: Apache-2.0
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.treehaul.tuplespace.Lease;
import org.treehaul.tuplespace.SpaceOptions;
import org.treehaul.tuplespace.Transaction;
import org.treehaul.tuplespace.TupleSpace;
import org.treehaul.tuplespace.TupleSpaces;
import org.treehaul.tuplespace.tuple.Template;

/** Shares work in a durable tuple space, which several processes may open. Argument: SPACE. */
public final class ShareWork {

    public record Task(String run, int size) {}

    public static void main(String[] args) throws InterruptedException {
        try (TupleSpace space = TupleSpaces.open(Path.of(args[0]), SpaceOptions.defaults())) {
            space.writeAll(List.of(new Task("run7", 10), new Task("run8", 30)), Lease.FOREVER);
            // If this process dies before the commit, the task is in the space again.
            try (Transaction transaction = space.begin(Duration.ofMinutes(1))) {
                Template<Task> large = Template.of(Task.class).atLeast("size", 20);
                System.out.println(transaction.take(large, Duration.ofSeconds(5)).orElseThrow());
                transaction.commit();
            }
            System.out.println(space.count(Template.of(Task.class)) + " left");
        }
    }
}
