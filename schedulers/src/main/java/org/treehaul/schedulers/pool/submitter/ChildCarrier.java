// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.pool.submitter;

import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.event.Progress;
import org.treehaul.core.transfer.directory.TransferException;
import org.treehaul.core.transfer.directory.TransferResult;
import org.treehaul.core.transfer.work.BatchShare;
import org.treehaul.core.transfer.work.WorkResult;
import org.treehaul.schedulers.pool.carry.Carrier;

/**
 * Carries out a transfer in a process of its user. The answers of the process count for this transfer only: it can at
 * most claim that batches of this transfer are done.
 */
final class ChildCarrier implements Carrier {

    private static final Duration POLL = Duration.ofMillis(100);
    private static final Duration FOREVER = Duration.ofNanos(Long.MAX_VALUE);
    // Notices of a transfer with many problems; signs of life come each few seconds for as long as a batch lasts.
    private static final int MOST_CHATTER = 20_000;
    private static final int MOST_NOTICES = 100;
    private static final String COUNT = "([0-9]{1,18})";
    private static final Pattern ALIVE = Pattern.compile(String.join(" ", "alive", COUNT, COUNT, COUNT, COUNT));
    private static final Pattern WORKED = Pattern.compile(
            "worked ([A-Z_]{1,20}) ([0-9]{1,9}) " + String.join(" ", COUNT, COUNT, COUNT, COUNT) + "(?: (.*))?");
    private static final Pattern LOCAL = Pattern.compile("local( [0-9]{1,9}){1," + (Local.MOST + 1) + "}");
    private static final Pattern NUMBER = Pattern.compile("[a-z]+ ([0-9]{1,9})");

    private final Submitter user;
    private final ChildProcess process;
    private final ChildProgram program;
    private final Consumer<String> notices;
    private final Progress progress;
    private final Cancellation never = new Cancellation();
    private long[] counted = new long[4];
    private int noticed;

    /**
     * Begins to carry out a transfer.
     *
     * @param notices receives what the process has to say
     */
    ChildCarrier(Submitter user, ChildProcess process, ChildProgram program, Consumer<String> notices,
            Progress progress) {
        this.user = user;
        this.process = process;
        this.program = program;
        this.notices = notices;
        this.progress = progress;
    }

    Submitter user() {
        return user;
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** Lets the process open the transfer; returns false if the transfer has a newer generation. */
    boolean open() throws IOException, InterruptedException {
        return switch (askBriefly("open")) {
            case "opened" -> true;
            case "old" -> false;
            case String other -> throw rubbish(other);
        };
    }

    @Override
    public WorkResult work(BatchShare batches, Cancellation stop) throws IOException, InterruptedException {
        boolean isDone = false;
        try {
            WorkResult result = turn(batches, stop);
            isDone = true;
            return result;
        } catch (IOException e) {
            isDone = true;
            throw e;
        } finally {
            if (!isDone) {
                // The space does not answer, so the process waits for a batch in vain.
                process.kill();
            }
        }
    }

    private WorkResult turn(BatchShare batches, Cancellation stop) throws IOException, InterruptedException {
        String answer = ask("turn", stop);
        OptionalInt given = OptionalInt.empty();
        boolean isUsed = false;
        boolean isOver = false;
        while (!answer.startsWith("worked ")) {
            if (answer.equals("next") && !isOver) {
                given = batches.next();
                isUsed = true;
                isOver = given.isEmpty();
                answer = ask(given.isPresent() ? "batch " + given.getAsInt() : "end", stop);
            } else if (given.isPresent() && answer.equals("back " + given.getAsInt())) {
                batches.takeBack(given.getAsInt());
                given = OptionalInt.empty();
                answer = await(stop);
            } else {
                throw rubbish(answer);
            }
        }
        WorkResult result = worked(answer);
        if (!isUsed && !stop.isCancelled() && result.problem().isEmpty()) {
            // Otherwise a process that does nothing would get the next turn at once.
            throw failure("it did not begin a batch");
        }
        return result;
    }

    @Override
    public Local local(int from) throws IOException, InterruptedException {
        String answer = askBriefly("local " + from);
        if (!LOCAL.matcher(answer).matches()) {
            throw rubbish(answer);
        }
        List<Integer> numbers = Stream.of(answer.split(" ")).skip(1).map(Integer::valueOf).toList();
        return new Local(numbers.getFirst(), Set.copyOf(numbers.subList(1, numbers.size())));
    }

    @Override
    public Remainder remainder(int offered) throws IOException, InterruptedException {
        String answer = askBriefly("rest " + offered);
        Matcher planned = NUMBER.matcher(answer);
        return switch (answer) {
            case "growing" -> new Growing();
            case "complete" -> new Complete();
            case String other when other.startsWith("planned ") && planned.matches()
                    && Integer.parseInt(planned.group(1)) > offered ->
                new Planned(Integer.parseInt(planned.group(1)));
            case String other -> throw rubbish(other);
        };
    }

    @Override
    public Finished finish(Cancellation stop) throws IOException, InterruptedException {
        WorkResult work = worked(ask("finish", stop));
        String answer = await(stop);
        if (answer.equals("unfinished")) {
            return new Finished(work, Optional.empty());
        }
        Optional<TransferResult.State> state = Arrays.stream(TransferResult.State.values())
                .filter(one -> answer.equals("finished " + one))
                .findFirst();
        if (state.isEmpty()) {
            throw rubbish(answer);
        }
        return new Finished(work, state);
    }

    private WorkResult worked(String answer) throws IOException {
        Matcher worked = WORKED.matcher(answer);
        Optional<WorkResult.Ending> ending = worked.matches()
                ? Arrays.stream(WorkResult.Ending.values())
                        .filter(one -> one.name().equals(worked.group(1)))
                        .findFirst()
                : Optional.empty();
        if (ending.isEmpty()) {
            throw rubbish(answer);
        }
        Map<EntryFailure.Kind, Long> failures = new EnumMap<>(EntryFailure.Kind.class);
        List<EntryFailure.Kind> kinds = List.of(EntryFailure.Kind.values());
        for (int i = 0; i < kinds.size(); i++) {
            long many = Long.parseLong(worked.group(3 + i));
            if (many > 0) {
                failures.put(kinds.get(i), many);
            }
        }
        String problem = worked.group(7) == null ? "" : worked.group(7);
        return new WorkResult(ending.get(), Integer.parseInt(worked.group(2)), failures, problem);
    }

    // Signs of life do not extend the time limit, because other users wait for this answer.
    private String askBriefly(String order) throws IOException, InterruptedException {
        tell(order);
        return await(never, program.silence());
    }

    private String ask(String order, Cancellation stop) throws IOException, InterruptedException {
        tell(order);
        return await(stop);
    }

    private String await(Cancellation stop) throws IOException, InterruptedException {
        return await(stop, FOREVER);
    }

    // Returns the next answer.
    private String await(Cancellation stop, Duration most) throws IOException, InterruptedException {
        long begin = System.nanoTime();
        long lastSign = System.nanoTime();
        long stoppedAt = 0;
        boolean isAsked = false;
        int chatter = 0;
        while (true) {
            Optional<String> line = poll();
            if (line.isPresent() && !isChatter(line.get())) {
                return failed(line.get());
            }
            long now = System.nanoTime();
            lastSign = line.isPresent() ? now : lastSign;
            chatter += line.isPresent() ? 1 : 0;
            if (isTooMuch(chatter, now - begin)) {
                throw killed("it writes too much");
            }
            if (now - lastSign > program.silence().toNanos()) {
                throw killed("it has not given a sign of life for " + program.silence().toSeconds() + " s");
            }
            if (now - begin > most.toNanos()) {
                throw killed("it has not answered for " + most.toSeconds() + " s");
            }
            if (stop.isCancelled() && !isAsked) {
                isAsked = true;
                stoppedAt = now;
                tell("stop");
            } else if (isAsked && now - stoppedAt > program.grace().toNanos()) {
                throw killed("it has not stopped within " + program.grace().toSeconds() + " s");
            }
        }
    }

    /** Returns whether a process has written too many lines since it was asked this number of nanoseconds ago. */
    static boolean isTooMuch(int lines, long nanos) {
        return lines > MOST_CHATTER + nanos / 1_000_000_000;
    }

    private void tell(String order) throws IOException {
        try {
            process.send(order);
        } catch (TransferException e) {
            throw failure(String.valueOf(e.getMessage()));
        }
    }

    private Optional<String> poll() throws IOException, InterruptedException {
        try {
            return process.poll(POLL);
        } catch (TransferException e) {
            throw failure(String.valueOf(e.getMessage()));
        }
    }

    private String failed(String answer) throws IOException {
        if (answer.startsWith("failed ")) {
            throw new TransferException("for " + user + ": " + Lines.part(answer.substring(7)));
        }
        return answer;
    }

    // Lines that may come at any time.
    private boolean isChatter(String line) {
        Matcher alive = ALIVE.matcher(line);
        if (alive.matches()) {
            long[] now = new long[counted.length];
            for (int i = 0; i < now.length; i++) {
                now[i] = Math.max(counted[i], Long.parseLong(alive.group(i + 1)));
            }
            progress.done(now[0] - counted[0], now[1] - counted[1], now[2] - counted[2], now[3] - counted[3]);
            counted = now;
            return true;
        }
        if (line.startsWith("notice ")) {
            noticed++;
            if (noticed <= MOST_NOTICES) {
                notices.accept(user.name() + ": " + Lines.part(line.substring(7)));
            }
            return true;
        }
        return false;
    }

    private IOException rubbish(String answer) {
        return killed("it answered '" + Lines.part(answer.length() > 80 ? answer.substring(0, 80) : answer) + "'");
    }

    private IOException killed(String why) {
        process.kill();
        return failure(why);
    }

    private IOException failure(String why) {
        return new TransferException("the process for " + user + ": " + why);
    }

    /** Ends the process; gives it time for that. */
    void end() {
        process.end(program.grace());
    }

    /** Kills the process. */
    void kill() {
        process.close();
    }
}
