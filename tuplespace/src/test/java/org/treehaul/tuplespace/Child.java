// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

import org.treehaul.tuplespace.Shapes.Job;
import org.treehaul.tuplespace.store.BulkLoad;
import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.store.SpaceUri;
import org.treehaul.tuplespace.tuple.Template;

/** A program for a process of its own; it prints each acknowledgement on a line. */
final class Child {
    private static final Template<Job> JOBS = Template.of(Job.class);

    private Child() {}

    static Process start(String mode, Path directory, long first) throws IOException {
        return startUnder(List.of(), mode, directory, first);
    }

    /** Starts it with the space at an address. */
    static Process start(String mode, SpaceUri space, long first) throws IOException {
        return start(List.of(), mode, space.toString(), first);
    }

    /** Starts it under another program, such as strace. */
    static Process startUnder(List<String> program, String mode, Path directory, long first) throws IOException {
        return start(program, mode, directory.toString(), first);
    }

    private static Process start(List<String> program, String mode, String place, long first) throws IOException {
        List<String> command = new ArrayList<>(program);
        command.addAll(List.of(Path.of(System.getProperty("java.home"), "bin/java").toString(),
                "--enable-native-access=ALL-UNNAMED", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xmx128m", "-cp",
                System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                Child.class.getName(), mode, place, Long.toString(first)));
        return new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
    }

    public static void main(String[] args) throws Exception {
        Path directory = Path.of(args[1]);
        if (args[0].equals("open")) {
            open(directory);
            return;
        }
        if (args[0].equals("load")) {
            try (BulkLoad load = TupleSpaces.bulkLoad(directory.resolve("space"), SpaceOptions.defaults())) {
                say("ready " + load);
                Thread.sleep(Duration.ofHours(1));
            }
        }
        try (TupleSpace space = SpaceUri.hasScheme(args[1])
                ? TupleSpaces.open(SpaceUri.parse(args[1]), SpaceOptions.defaults())
                : TupleSpaces.open(directory.resolve("space"), SpaceOptions.defaults())) {
            switch (args[0]) {
                case "echo" -> {
                    say("ready");
                    Job ping = space.take(JOBS.equal("state", "ping"), Duration.ofSeconds(60)).orElseThrow();
                    space.write(new Job(ping.number() + 1, "pong", null));
                }
                case "hold" -> {
                    // The short lease begins after all the work, however slow that was.
                    Transaction transaction = space.begin(Duration.ofHours(1));
                    transaction.take(JOBS, Duration.ofSeconds(60)).orElseThrow();
                    transaction.write(new Job(99, "uncommitted", null));
                    transaction.lease().renew(Duration.ofMillis(Long.parseLong(args[2])));
                    say("ready");
                    Thread.sleep(Duration.ofHours(1));
                }
                case "fill" -> fill(space);
                case "spread" -> spread(space, Integer.parseInt(args[2]));
                default -> busy(space, directory, Integer.parseInt(args[2]));
            }
        }
    }

    private static void open(Path directory) {
        try (TupleSpace space = TupleSpaces.open(directory.resolve("space"), SpaceOptions.defaults())) {
            say("open, " + space.count(JOBS));
        } catch (SpaceException e) {
            say(e.reason() + ", " + e.getMessage());
        }
    }

    private static void fill(TupleSpace space) throws InterruptedException {
        try {
            for (int i = 0;; i++) {
                space.write(new Job(i, "x".repeat(5000), null));
            }
        } catch (SpaceException full) {
            say(full.reason() == SpaceException.Reason.FULL ? "ready" : full.toString());
        }
        Thread.sleep(Duration.ofHours(1));
    }

    /** Writes single tuples and groups of five, and takes some. */
    private static void spread(TupleSpace space, int first) throws InterruptedException {
        List<Thread> threads = List.of(Thread.ofPlatform().start(() -> {
            for (int i = first;; i++) {
                space.write(new Job(i, "new", null));
                say("w " + i);
            }
        }), Thread.ofPlatform().start(() -> {
            for (int i = first + 500_000;; i += 5) {
                int group = i;
                space.writeAll(IntStream.range(i, i + 5).mapToObj(one -> new Job(one, "new", null)).toList(),
                        Lease.FOREVER);
                say("g " + group);
            }
        }), Thread.ofPlatform().start(() -> {
            try {
                while (true) {
                    say("t " + space.take(JOBS, Duration.ofSeconds(60)).orElseThrow().number());
                    // Takes fewer than are written, so that some stay.
                    Thread.sleep(3);
                }
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }));
        for (Thread thread : threads) {
            thread.join();
        }
    }

    private static void busy(TupleSpace space, Path directory, int first) throws InterruptedException {
        List<Thread> threads = List.of(Thread.ofPlatform().start(() -> {
            for (int i = first;; i++) {
                space.write(new Job(i, "new", null));
                say("w " + i);
            }
        }), Thread.ofPlatform().start(() -> {
            try {
                while (true) {
                    say("t " + space.take(JOBS, Duration.ofSeconds(60)).orElseThrow().number());
                    // Takes fewer than are written, so that some stay.
                    Thread.sleep(3);
                }
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }), Thread.ofPlatform().start(() -> {
            while (true) {
                space.store(directory.resolve("snapshot"));
                say("s");
            }
        }));
        for (Thread thread : threads) {
            thread.join();
        }
    }

    private static void say(String line) {
        // One write for each line, so that a line printed before a kill arrives whole.
        byte[] bytes = (line + "\n").getBytes(StandardCharsets.UTF_8);
        System.out.write(bytes, 0, bytes.length);
        System.out.flush();
    }
}
