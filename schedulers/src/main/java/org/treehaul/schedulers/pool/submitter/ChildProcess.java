// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.pool.submitter;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;

import org.treehaul.core.transfer.directory.TransferException;

/**
 * A process and the lines that it exchanges with this one. It cannot delay this one: lines that either process has not
 * read yet wait in bounded queues. Used by one thread; closing ends the threads.
 */
final class ChildProcess implements AutoCloseable {

    // Each order is the answer to a line of the process, so several orders wait only if the process does not read.
    private static final int MOST_WAITING = 16;
    private static final int TAIL = 2000;
    private static final String END = "\n";

    private final Process process;
    private final BlockingQueue<String> answers = new ArrayBlockingQueue<>(MOST_WAITING);
    private final BlockingQueue<String> orders = new ArrayBlockingQueue<>(MOST_WAITING);
    private final List<Thread> threads;
    private final StringBuilder errors = new StringBuilder();
    private volatile String problem = "";
    private volatile boolean isKilled;

    private ChildProcess(Process process) {
        this.process = process;
        this.threads = List.of(thread("answers", this::readAnswers), thread("orders", this::writeOrders),
                thread("errors", this::readErrors));
    }

    /** Starts a process without an environment in the root directory; its other descriptors are closed. */
    static ChildProcess start(List<String> command) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(command).directory(Path.of("/").toFile());
        builder.environment().clear();
        ChildProcess child = new ChildProcess(builder.start());
        child.threads.forEach(Thread::start);
        return child;
    }

    private Thread thread(String name, Runnable work) {
        return Thread.ofPlatform().daemon().name("treehaul-child-" + name + "-" + process.pid()).unstarted(work);
    }

    private void readAnswers() {
        try (InputStream out = process.getInputStream()) {
            Lines lines = new Lines(out);
            for (Optional<String> line = lines.next(); line.isPresent(); line = lines.next()) {
                answers.put(line.get());
            }
        } catch (IOException e) {
            problem = Lines.part(String.valueOf(e.getMessage()));
        } catch (InterruptedException e) {
            return;
        }
        try {
            answers.put(END);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void writeOrders() {
        try (OutputStream in = process.getOutputStream()) {
            for (String order = orders.take(); !order.equals(END); order = orders.take()) {
                in.write((order + "\n").getBytes(StandardCharsets.UTF_8));
                in.flush();
            }
        } catch (IOException | InterruptedException e) {
            // The process has ended or was closed, so its answers end too.
            return;
        }
    }

    // Only the end of the errors is kept: it may contain the reason why the process did not start.
    private void readErrors() {
        byte[] buffer = new byte[Lines.LONGEST];
        try (InputStream err = process.getErrorStream()) {
            for (int n = err.read(buffer); n >= 0; n = err.read(buffer)) {
                synchronized (errors) {
                    errors.append(new String(buffer, 0, n, StandardCharsets.UTF_8));
                    errors.delete(0, Math.max(0, errors.length() - TAIL));
                }
            }
        } catch (IOException e) {
            // The stream was closed.
            return;
        }
    }

    boolean isAlive() {
        return !isKilled && process.isAlive();
    }

    /** Gives the process an order. If it does not read, it is killed. */
    void send(String order) throws TransferException {
        if (!orders.offer(order)) {
            kill();
            throw new TransferException("it does not read its orders");
        }
    }

    /**
     * Returns the next line of the process; empty if there is none in this time.
     *
     * @throws TransferException if it has ended
     */
    Optional<String> poll(Duration most) throws TransferException, InterruptedException {
        String line = answers.poll(most.toMillis(), TimeUnit.MILLISECONDS);
        if (line == null) {
            return Optional.empty();
        }
        if (line.equals(END)) {
            String why = why();
            kill();
            throw new TransferException(why);
        }
        return Optional.of(line);
    }

    private String why() throws InterruptedException {
        if (!problem.isEmpty()) {
            return "it wrote something other than answers: " + problem;
        }
        if (!process.waitFor(1, TimeUnit.SECONDS)) {
            return "it closed its output";
        }
        threads.getLast().join(Duration.ofSeconds(1));
        synchronized (errors) {
            String said = Lines.part(errors.toString());
            return "it ended with code " + process.exitValue() + (said.isEmpty() ? "" : ": " + said);
        }
    }

    /** Kills the process and those that it has started. */
    void kill() {
        isKilled = true;
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
    }

    /** Closes the input of the process, which then ends; kills it if it has not ended after the grace. */
    void end(Duration grace) {
        try {
            if (isAlive() && (!orders.offer(END) || !process.waitFor(grace.toMillis(), TimeUnit.MILLISECONDS))) {
                kill();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            close();
        }
    }

    @Override
    public void close() {
        kill();
        threads.forEach(Thread::interrupt);
    }
}
