// SPDX-License-Identifier: Apache-2.0
package org.treehaul.spaces.partitions;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;

import org.treehaul.tuplespace.SpaceOptions;
import org.treehaul.tuplespace.TupleSpace;
import org.treehaul.tuplespace.TupleSpaces;
import org.treehaul.tuplespace.partition.Placement;
import org.treehaul.tuplespace.tuple.Template;

/**
 * Clients of {@link PartitionRace} in a process of their own. Each has a thread and opens the space for itself. It
 * creates the names of files in a directory, one durable tuple for each, and removes them. Commands are lines of the
 * input, with tabs between the words; each is answered by a line.
 */
final class PartitionClient implements AutoCloseable {
    private static final Template<FileName> NAMES = Template.of(FileName.class);

    /** Separates the addresses of spaces among which clients choose by the hash of the name. */
    static final String SEPARATOR = " ";

    private final List<TupleSpace> spaces = new ArrayList<>();
    private final String directory;
    private final String prefix;
    private int created;

    /** The name of a file in a directory. */
    record FileName(String name, String directory) {}

    private PartitionClient(String addresses, String directory, String name) {
        for (String space : addresses.split(SEPARATOR, -1)) {
            spaces.add(TupleSpaces.open(space, SpaceOptions.defaults().index(FileName.class, "name")));
        }
        this.directory = directory;
        prefix = "file" + name + ".";
    }

    /** Carries out commands until the end of the input; the argument distinguishes this process from others. */
    public static void main(String[] args) throws Exception {
        try (BufferedReader commands = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
                ExecutorService threads = Executors.newCachedThreadPool()) {
            System.out.println("ready");
            for (String line = commands.readLine(); line != null; line = commands.readLine()) {
                run(List.of(line.split("\t", -1)), args[0], commands, threads);
                System.out.println("closed");
            }
        }
    }

    /** The words: the space, the milliseconds of a phase, how much to do before, and the directory of each client. */
    private static void run(List<String> words, String process, BufferedReader commands, ExecutorService threads)
            throws Exception {
        long millis = Long.parseLong(words.get(1));
        int first = Integer.parseInt(words.get(2));
        List<String> directories = words.subList(3, words.size());
        List<PartitionClient> clients = all(threads,
                IntStream.range(0, directories.size())
                        .<Callable<PartitionClient>>mapToObj(
                                i -> () -> begun(words.getFirst(), directories.get(i), process + "-" + i, first))
                        .toList());
        System.out.println("open");
        commands.readLine();
        phase(threads, clients, client -> client.create(millis));
        commands.readLine();
        // So that no client has removed all before the time is over.
        phase(threads, clients, PartitionClient::createMore);
        commands.readLine();
        phase(threads, clients, client -> client.removeAll(millis));
        all(threads, clients.stream().<Callable<Boolean>>map(client -> () -> {
            client.close();
            return true;
        }).toList());
    }

    /**
     * Opens the space, and makes the tables and the connections, on which statements that are repeated are prepared.
     */
    private static PartitionClient begun(String space, String directory, String name, int first) {
        PartitionClient client = new PartitionClient(space, directory, name);
        for (int i = 0; i < first; i++) {
            client.write(client.prefix + "first" + i);
            client.remove(client.prefix + "first" + i);
        }
        return client;
    }

    private static <T> List<T> all(ExecutorService threads, List<Callable<T>> work) throws Exception {
        List<T> results = new ArrayList<>();
        for (Future<T> one : threads.invokeAll(work)) {
            results.add(one.get());
        }
        return results;
    }

    /** Work of a client; returns the number of its operations. */
    private interface Work {
        int on(PartitionClient client);
    }

    /**
     * Lets all clients work, and prints their operations, how many there were in a second until the last client was
     * done, and nanoseconds of processors.
     */
    private static void phase(ExecutorService threads, List<PartitionClient> clients, Work work) throws Exception {
        long cpu = cpu();
        long begin = System.nanoTime();
        int done = all(threads, clients.stream().<Callable<Integer>>map(client -> () -> work.on(client)).toList())
                .stream()
                .mapToInt(number -> number)
                .sum();
        double seconds = (System.nanoTime() - begin) / 1e9;
        System.out.println(done + " " + done / seconds + " " + (cpu() - cpu));
    }

    private int create(long millis) {
        created = repeat(Integer.MAX_VALUE, millis, i -> {
            write(prefix + i);
            return true;
        });
        return created;
    }

    /** Creates another name for each that was created. */
    private int createMore() {
        int from = created;
        int more = repeat(from, Long.MAX_VALUE, i -> {
            write(prefix + (from + i));
            return true;
        });
        created += more;
        return more;
    }

    private int removeAll(long millis) {
        return repeat(created, millis, i -> remove(prefix + i));
    }

    private TupleSpace space(FileName name) {
        return spaces.get(spaces.size() == 1 ? 0 : Placement.of(name, "name", spaces.size()));
    }

    private void write(String name) {
        FileName tuple = new FileName(name, directory);
        space(tuple).write(tuple);
    }

    private boolean remove(String name) {
        try {
            return space(new FileName(name, directory))
                    .take(NAMES.equal("name", name).equal("directory", directory), Duration.ZERO)
                    .isFound();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static int repeat(int most, long millis, IntPredicate deed) {
        long nanos = TimeUnit.MILLISECONDS.toNanos(millis);
        long begin = System.nanoTime();
        int done = 0;
        while (done < most && System.nanoTime() - begin < nanos) {
            if (!deed.test(done)) {
                throw new IllegalStateException("a name that was created is not there");
            }
            done++;
        }
        return done;
    }

    private static long cpu() {
        return ProcessHandle.current().info().totalCpuDuration().orElse(Duration.ZERO).toNanos();
    }

    @Override
    public void close() {
        spaces.forEach(TupleSpace::close);
    }
}
