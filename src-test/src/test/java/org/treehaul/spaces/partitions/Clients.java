// SPDX-License-Identifier: Apache-2.0
package org.treehaul.spaces.partitions;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

import org.treehaul.spaces.partitions.Case.Rates;

/**
 * The processes of clients, among which these are divided. The processes stay from case to case, so that a case does
 * not measure the start of a JVM.
 */
final class Clients implements AutoCloseable {

    /** A process with the ends of its pipes. */
    private record Client(Process process, BufferedReader answers, Writer commands) {

        void say(String line) throws IOException {
            commands.write(line + "\n");
            commands.flush();
        }

        String expect(String answer) throws IOException {
            String line = answers.readLine();
            if (line == null || !line.startsWith(answer)) {
                throw new IOException("a client ended or failed; it should have said '" + answer + "', not " + line);
            }
            return line;
        }
    }

    private final List<Client> clients = new ArrayList<>();

    /** Starts processes, whose temporary files are in a directory. */
    static Clients start(int number, Path temporary) throws IOException {
        Clients started = new Clients();
        boolean isDone = false;
        try {
            for (int i = 0; i < number; i++) {
                Process process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin/java").toString(),
                        "-XX:+UseSerialGC", "-Xmx256m", "--enable-native-access=ALL-UNNAMED",
                        "-Djava.io.tmpdir=" + temporary, "-cp", System.getProperty("java.class.path"),
                        PartitionClient.class.getName(), Integer.toString(i))
                        .redirectError(ProcessBuilder.Redirect.INHERIT)
                        .start();
                started.clients.add(new Client(process, process.inputReader(), process.outputWriter()));
            }
            for (Client client : started.clients) {
                client.expect("ready");
            }
            isDone = true;
            return started;
        } finally {
            if (!isDone) {
                started.close();
            }
        }
    }

    /** The sums of what clients have done in a phase. */
    private record Done(double rate, long operations, long clientNanos, long serverNanos) {
        double micros(long nanos) {
            return nanos / 1e3 / Math.max(1, operations);
        }
    }

    /**
     * Lets as many clients work as there are directories, and returns the sums of their rates.
     *
     * @param directories the directory of each client
     * @param millis how long they create, and then remove at most
     * @param first how many names each client creates and removes before that
     * @param limit limits the servers to a part of a processor, and ends that
     * @param serverCpu returns the processor time of the servers, in nanoseconds
     */
    Rates run(String space, List<String> directories, long millis, int first, Limit limit, Clock serverCpu)
            throws IOException {
        int most = Math.min(clients.size(), directories.size());
        List<Client> some = clients.subList(0, most);
        for (int i = 0; i < most; i++) {
            int number = i;
            List<String> words = new ArrayList<>(List.of(space, Long.toString(millis), Integer.toString(first)));
            IntStream.range(0, directories.size())
                    .filter(client -> client % most == number)
                    .mapToObj(directories::get)
                    .forEach(words::add);
            some.get(i).say(String.join("\t", words));
        }
        for (Client client : some) {
            client.expect("open");
        }
        limit.set(true);
        Done created = phase(some, serverCpu);
        limit.set(false);
        phase(some, serverCpu);
        limit.set(true);
        Done removed = phase(some, serverCpu);
        limit.set(false);
        for (Client client : some) {
            client.expect("closed");
        }
        long operations = created.operations + removed.operations;
        Done both = new Done(0, operations, created.clientNanos + removed.clientNanos,
                created.serverNanos + removed.serverNanos);
        return new Rates(created.rate, removed.rate, both.micros(both.clientNanos), both.micros(both.serverNanos));
    }

    /** Begins or ends the limit of the servers. */
    interface Limit {
        void set(boolean isLimited) throws IOException;
    }

    /** Returns processor time. */
    interface Clock {
        long nanos() throws IOException;
    }

    private static Done phase(List<Client> some, Clock serverCpu) throws IOException {
        long serverBefore = serverCpu.nanos();
        for (Client client : some) {
            client.say("go");
        }
        double rate = 0;
        long operations = 0;
        long nanos = 0;
        for (Client client : some) {
            String[] said = client.expect("").split(" ", 3);
            operations += Long.parseLong(said[0]);
            rate += Double.parseDouble(said[1]);
            nanos += Long.parseLong(said[2]);
        }
        return new Done(rate, operations, nanos, serverCpu.nanos() - serverBefore);
    }

    @Override
    public void close() {
        for (Client client : clients) {
            client.process.destroyForcibly();
        }
        for (Client client : clients) {
            boolean wasInterrupted = false;
            while (client.process.isAlive()) {
                try {
                    client.process.waitFor();
                } catch (InterruptedException e) {
                    wasInterrupted = true;
                }
            }
            if (wasInterrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
