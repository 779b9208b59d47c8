// SPDX-License-Identifier: Apache-2.0
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.treehaul.tuplespace.Lease;
import org.treehaul.tuplespace.MatchSet;
import org.treehaul.tuplespace.Registration;
import org.treehaul.tuplespace.Result;
import org.treehaul.tuplespace.Transaction;
import org.treehaul.tuplespace.TupleSpace;
import org.treehaul.tuplespace.TupleSpaces;
import org.treehaul.tuplespace.store.EventKind;
import org.treehaul.tuplespace.tuple.Template;

/**
 * Works in batches, with several templates in each call: the operations of JavaSpace05.
 *
 * <pre>
 * java -cp treehaul.jar SpaceBatches.java
 * </pre>
 */
public final class SpaceBatches {

    public record Task(String kind, int number) {
    }

    public record Stop(String reason) {
    }

    public static void main(String[] args) throws InterruptedException {
        // A worker copies and checks, and leaves other kinds of tasks to others.
        Template<Record> work = Template.ofAny(Record.class, List.of(Template.of(Task.class).equal("kind", "copy"),
                Template.of(Task.class).equal("kind", "check"), Template.of(Stop.class)));
        try (TupleSpace space = TupleSpaces.memory();
                Registration registration = space.on(work, Set.of(EventKind.AVAILABLE), event -> {
                    if (!event.isNewlyVisible()) {
                        space.write(new Stop("read before: " + event.tuple()));
                    }
                })) {
            // The worker waits before there is anything, and gets up to three tasks at once.
            CompletableFuture<Result<List<Record>>> batch = space.takeAllAsync(work, 3, Duration.ofSeconds(30));
            // All or none are written, each with its own lease.
            space.writeAll(List.of(new Task("copy", 1), new Task("remove", 2), new Task("check", 3), new Task("copy", 4),
                    new Task("copy", 5)),
                    List.of(Lease.FOREVER, Lease.FOREVER, Lease.FOREVER, Lease.FOREVER, Duration.ofHours(1)));
            System.out.println("a batch of " + batch.join().orElseThrow().size());

            // A reader that may be slow or never return: the space frees the set when its lease ends.
            try (Transaction transaction = space.begin(Duration.ofMinutes(1));
                    MatchSet<Record> matches = transaction.matches(work, Duration.ofMinutes(1), 10)) {
                for (Optional<Record> task = matches.next(); task.isPresent(); task = matches.next()) {
                    System.out.println("left: " + task.get());
                }
                // Until the transaction ends, others can read the task, but not take it.
                System.out.println("taken by others: " + space.takeAll(work, 10));
            }
            System.out.println(space.take(Template.of(Stop.class), Duration.ofSeconds(30)).orElseThrow().reason());
            System.out.println("at the end: " + space.takeAll(work, 10, Duration.ofSeconds(30)));
        }
    }
}
