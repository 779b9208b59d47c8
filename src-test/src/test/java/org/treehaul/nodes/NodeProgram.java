// SPDX-License-Identifier: Apache-2.0
package org.treehaul.nodes;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import org.treehaul.programs.Programs;
import org.treehaul.schedulers.stage.Stage;

/**
 * The program that measures on the host of the clients. First it does everything once; then it prints
 * {@link Nodes#WARM}, waits for a byte, and prints a line for each time, in nanoseconds.
 */
final class NodeProgram {

    private static final int REPEATS = 2;

    private NodeProgram() {}

    /** Runs {@code files} or {@code application}, with values {@code NAME=VALUE} and jobs. */
    public static void main(String... arguments) throws Exception {
        Locale.setDefault(Locale.ROOT);
        Map<String, String> named = new HashMap<>();
        List<FileJob> jobs = new ArrayList<>();
        for (String word : List.of(arguments).subList(1, arguments.length)) {
            int equals = word.indexOf('=');
            if (equals < 0) {
                jobs.add(FileJob.parse(word));
            } else {
                named.put(word.substring(0, equals), word.substring(equals + 1));
            }
        }
        Values values = new Values(named);
        if (arguments[0].equals("files")) {
            files(values, jobs);
        } else {
            Application.measure(values);
        }
        // Threads that a library has left do not keep the program.
        System.exit(0);
    }

    private static void files(Values values, List<FileJob> jobs) throws IOException {
        boolean isDurable = values.is("durable");
        int rounds = values.number("rounds");
        try (Staged.Client client = Staged.of(values).open()) {
            for (FileJob job : jobs) {
                job.run(client.stage(), true, isDurable);
                job.run(client.stage(), false, false);
            }
            warm();
            for (int round = 0; round < rounds; round++) {
                for (int i = 0; i < jobs.size(); i++) {
                    System.out.println(i + " " + turn(client.stage(), jobs.get(i), isDurable, values, REPEATS));
                }
            }
        }
    }

    /** Writes a file and reads it. A file system of others that returns other bytes gets another try. */
    private static String turn(Stage stage, FileJob job, boolean isDurable, Values values, int repeats)
            throws IOException {
        long write = job.run(stage, true, isDurable);
        if (isDurable) {
            forget(values.words("disks", ","));
        }
        try {
            return write + " " + job.run(stage, false, false);
        } catch (OtherBytesException e) {
            if (job.isOfStage() || repeats == 0) {
                throw e;
            }
            System.err.println(e.getMessage() + "; written again");
            return turn(stage, job, isDurable, values, repeats - 1);
        }
    }

    /** Says that compilers have done their work, and waits until the links are limited. */
    static void warm() throws IOException {
        System.out.println(Nodes.WARM);
        if (System.in.read() < 0) {
            throw new IOException("the program that measures is gone");
        }
    }

    /** Drops what the kernel has in memory of the files on the disks. */
    private static void forget(List<String> disks) {
        List<Object> words = new ArrayList<>(List.of("find"));
        words.addAll(disks);
        words.addAll(List.of("-type", "f", "-size", "+4k", "-exec", "dd", "of={}", "oflag=nocache",
                "conv=notrunc,fdatasync", "count=0", "status=none", ";"));
        Programs.run(words.toArray());
    }
}
