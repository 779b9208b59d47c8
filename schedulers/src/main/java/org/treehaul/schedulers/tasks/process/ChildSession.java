// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.tasks.process;

import java.io.EOFException;
import java.io.IOException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.entry.ByteString;
import org.treehaul.schedulers.tasks.GroupMember;
import org.treehaul.schedulers.tasks.GroupOptions;
import org.treehaul.schedulers.tasks.TaskGroupException;
import org.treehaul.schedulers.tasks.TaskInfo;
import org.treehaul.schedulers.tasks.post.Hub;
import org.treehaul.schedulers.tasks.post.Letter;
import org.treehaul.schedulers.tasks.post.Receipt;
import org.treehaul.schedulers.tasks.post.TaskPlace;

/** A process of a group at its creator: answers its requests by the hub, and finds out when it is gone. */
final class ChildSession {

    // A process that was killed closes its connection before its end can be known.
    private static final Duration END = Duration.ofSeconds(10);
    private static final int SIGNALS = 128; // as Process.exitValue has them
    private static final int LAST_SIGNAL = 64; // signal(7); ssh ends with 255 if it cannot reach the host
    // As many as frames wait on a connection.
    private static final int MOST_PUT_OFF = 1 << 16;

    private final int number;
    private final List<TaskPlace> places;
    private final GroupProgram program;
    private final GroupOptions options;
    private final Hub hub;
    private final CompletableFuture<Boolean> ready = new CompletableFuture<>();
    private final Map<Long, Letter> letters = new ConcurrentHashMap<>();
    private final Map<Long, Receipt> receipts = new ConcurrentHashMap<>();
    private final Map<Long, Letter> unacknowledged = new ConcurrentHashMap<>();
    // Receives and queries whose answers have no room on the connection: the process does not read fast enough.
    private final Deque<Frame> putOff = new ArrayDeque<>();
    private @Nullable Process process;
    private @Nullable Connection connection;
    private @Nullable Thread reader;
    private boolean isLost;
    // The thread of a task that was killed may run on after all others have ended.
    private volatile boolean hasKilled;

    ChildSession(int number, List<TaskPlace> places, GroupProgram program, GroupOptions options, Hub hub) {
        this.number = number;
        this.places = List.copyOf(places);
        this.program = program;
        this.options = options;
        this.hub = hub;
    }

    private String name() {
        String host = places.getFirst().host();
        return "process " + number + (host.isEmpty() ? "" : " on " + host);
    }

    /** Starts the process. */
    void launch(ProcessBuilder command) throws TaskGroupException {
        try {
            Process started = options.launcher().start(places.getFirst().host(), command);
            boolean isUseless;
            synchronized (this) {
                process = started;
                isUseless = isLost;
            }
            if (isUseless) {
                started.destroyForcibly();
            }
            var _ = started.onExit().thenAccept(ended -> fail(fate(ended) + " before its tasks began"));
        } catch (IOException e) {
            throw new TaskGroupException("cannot start " + name() + ": " + e.getMessage(), e);
        }
    }

    private void fail(String reason) {
        ready.completeExceptionally(new TaskGroupException(name() + " " + reason));
    }

    private static String fate(Process ended) {
        int code = ended.exitValue();
        return code > SIGNALS && code <= SIGNALS + LAST_SIGNAL
                ? "was killed by signal " + (code - SIGNALS)
                : "ended with code " + code;
    }

    /** Returns a result when the tasks can begin. It fails if they cannot. */
    CompletableFuture<Boolean> ready() {
        return ready;
    }

    /** Returns the failure of a process that is not ready in time. */
    TaskGroupException late() {
        synchronized (this) {
            return new TaskGroupException(name() + (connection == null ? " did not join" : " was not ready")
                    + " within " + options.arrival().toSeconds() + " s");
        }
    }

    /**
     * Serves the process until it is gone, or has been freed. A second process with its number is refused, as is one
     * that arrives when the group has ended: on another host it may have outlived the command that started it.
     */
    void serve(Connection arrived) {
        synchronized (this) {
            if (connection != null || isLost) {
                arrived.close();
                return;
            }
            connection = arrived;
            reader = Thread.currentThread();
        }
        try {
            arrived.setPatience(options.silence());
            arrived.whenDrained(() -> takeUp(arrived));
            arrived.start();
            arrived.send(new Frame.Start(program.group(), program.tasks(), places.size(), options.hasVirtualThreads(),
                    options.silence().toMillis(), options.grace().toMillis(), program.name(), program.parameters()));
            places.forEach(place -> arrived.send(new Frame.Task(place)));
            while (true) {
                handle(arrived.read(), arrived);
            }
        } catch (IOException e) {
            arrived.close();
            lost(reason(e));
        }
    }

    private String reason(IOException e) {
        if (e instanceof SocketTimeoutException) {
            return "has sent nothing for " + options.silence().toSeconds() + " s";
        }
        if (!(e instanceof EOFException) && !(e instanceof SocketException)) {
            return "sent " + e.getMessage();
        }
        return ended(END).map(ChildSession::fate).orElse("is cut off");
    }

    private Optional<Process> ended(Duration longest) {
        Process started;
        synchronized (this) {
            started = process;
        }
        try {
            return started != null && started.waitFor(longest.toMillis(), TimeUnit.MILLISECONDS)
                    ? Optional.of(started)
                    : Optional.empty();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        }
    }

    private void lost(String reason) {
        places.forEach(place -> hub.end(place.index(), TaskInfo.State.LOST, "its process " + reason));
        fail(reason);
        destroy();
    }

    private void handle(Frame frame, Connection from) throws IOException {
        switch (frame) {
            case Frame.Beat beat -> {
            }
            case Frame.Ready state -> {
                if (state.refusal().isEmpty()) {
                    ready.complete(true);
                } else {
                    fail("cannot run its tasks: " + ByteString.printable(state.refusal()));
                }
            }
            case Frame.Send send -> send(send, from);
            case Frame.Receive receive -> {
                own(receive.member());
                checked(receive.source(), GroupMember.ANY);
                answerLater(receive, from);
            }
            case Frame.Cancel cancel -> cancel(cancel.request(), from);
            case Frame.Acknowledge acknowledge -> {
                Letter letter = unacknowledged.remove(acknowledge.request());
                if (letter != null) {
                    hub.acknowledge(letter);
                }
            }
            case Frame.Query query -> answerLater(query, from);
            case Frame.Kill kill -> hub.kill(checked(kill.task(), 0));
            case Frame.Ended ended -> {
                hub.end(own(ended.task()), ended.isFailed() ? TaskInfo.State.FAILED : TaskInfo.State.DONE,
                        ByteString.printable(ended.detail()));
                if (hasKilled) {
                    endIfAllHave();
                }
            }
            default -> throw new IOException("an unexpected frame: " + frame.getClass().getSimpleName());
        }
    }

    private int checked(int member, int lowest) throws IOException {
        if (member < lowest || member >= program.tasks()) {
            throw new IOException("a frame for member " + member + " of " + program.tasks());
        }
        return member;
    }

    private int own(int task) throws IOException {
        if (places.stream().noneMatch(place -> place.index() == task)) {
            throw new IOException("a frame of task " + task + ", which it does not run");
        }
        return task;
    }

    private void send(Frame.Send send, Connection to) throws IOException {
        Letter letter = hub.send(own(send.from()), checked(send.to(), GroupMember.CREATOR), send.content(),
                send.isAcknowledged());
        letters.put(send.request(), letter);
        var _ = letter.sent().whenComplete((isSent, failure) -> {
            letters.remove(send.request());
            to.send(failure == null
                    ? isSent ? new Frame.Sent(send.request()) : new Frame.Cancelled(send.request())
                    : failed(send.request(), failure));
        });
    }

    // A request whose answer may be long waits until there is room for it, after those that wait already.
    private void answerLater(Frame request, Connection to) throws IOException {
        synchronized (putOff) {
            if (putOff.isEmpty() && to.hasRoom()) {
                answer(request, to);
            } else if (putOff.size() < MOST_PUT_OFF) {
                putOff.add(request);
            } else {
                throw new IOException("more than " + MOST_PUT_OFF + " requests, and takes no answers");
            }
        }
    }

    private void takeUp(Connection to) {
        synchronized (putOff) {
            while (to.hasRoom() && !putOff.isEmpty()) {
                answer(putOff.remove(), to);
            }
        }
    }

    private void answer(Frame request, Connection to) {
        switch (request) {
            case Frame.Receive receive -> receive(receive, to);
            case Frame.Query query -> to.send(new Frame.Tasks(query.request(), hub.query()));
            default -> throw new IllegalStateException("no request: " + request);
        }
    }

    private void receive(Frame.Receive receive, Connection to) {
        Receipt receipt = hub.receive(receive.member(), receive.source());
        receipts.put(receive.request(), receipt);
        var _ = receipt.letter().whenComplete((letter, failure) -> {
            receipts.remove(receive.request());
            to.send(failure == null
                    ? letter.map(one -> received(receive.request(), one)).orElse(new Frame.Cancelled(receive.request()))
                    : failed(receive.request(), failure));
        });
    }

    private Frame received(long request, Letter letter) {
        if (letter.isAcknowledged()) {
            unacknowledged.put(request, letter);
        }
        return new Frame.Received(request, letter.from(), letter.isAcknowledged(), letter.content());
    }

    private static Frame failed(long request, Throwable failure) {
        return new Frame.Failed(request, failure instanceof TaskGroupException known ? known.task().orElse(-1) : -1,
                String.valueOf(failure.getMessage()));
    }

    // A request that is not known any more has its answer.
    private void cancel(long request, Connection to) {
        synchronized (putOff) {
            if (putOff.removeIf(one -> one instanceof Frame.Receive receive && receive.request() == request)) {
                to.send(new Frame.Cancelled(request));
                return;
            }
        }
        Letter letter = letters.get(request);
        if (letter != null) {
            hub.withdraw(letter);
        }
        Receipt receipt = receipts.get(request);
        if (receipt != null) {
            hub.cancel(receipt);
        }
    }

    /** Returns whether the process runs a task. */
    boolean has(int task) {
        return places.stream().anyMatch(place -> place.index() == task);
    }

    /** Sends a frame, if the process has joined. */
    synchronized void send(Frame frame) {
        if (connection != null) {
            connection.send(frame);
        }
    }

    /** Interrupts the thread of a task. When all have ended, the process ends, at the latest after the grace. */
    void kill(int task) {
        hasKilled = true;
        send(new Frame.Kill(task));
        endIfAllHave();
    }

    private void endIfAllHave() {
        List<TaskInfo> tasks = hub.query();
        if (places.stream().allMatch(place -> tasks.get(place.index()).state().hasEnded())) {
            send(new Frame.Free());
            Process started;
            synchronized (this) {
                started = process;
            }
            if (started != null) {
                var _ = started.onExit()
                        .orTimeout(options.grace().toMillis(), TimeUnit.MILLISECONDS)
                        .exceptionally(late -> started.destroyForcibly());
            }
        }
    }

    private synchronized void destroy() {
        isLost = true;
        if (process != null) {
            process.destroyForcibly();
        }
    }

    /**
     * Waits until the process has ended, and kills it after the time.
     *
     * @throws InterruptedException if the thread was interrupted; the process is killed
     */
    void end(Duration longest) throws InterruptedException {
        Process started;
        synchronized (this) {
            started = process;
        }
        try {
            if (started != null && !started.waitFor(longest.toMillis(), TimeUnit.MILLISECONDS)) {
                started.destroyForcibly().waitFor();
            }
        } finally {
            destroy();
            close();
        }
    }

    private void close() throws InterruptedException {
        Connection ended;
        Thread last;
        synchronized (this) {
            ended = connection;
            last = reader;
        }
        if (ended != null) {
            ended.close();
            ended.join();
        }
        if (last != null && !last.equals(Thread.currentThread())) {
            last.join();
        }
    }
}
