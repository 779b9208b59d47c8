// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer.journal;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.IntStream;

import org.treehaul.core.state.Checksum;

/**
 * The text of a progress file whose lines are those that a worker of this version writes, in the same order. To read it
 * line by line takes a small part of the time of a {@link org.treehaul.core.state.StateFile}, and a status reads one
 * for each batch. Any other text, of a worker of another version or damaged, is left to {@link BatchProgress#read}.
 * Used once by one thread.
 */
final class ProgressText {

    private static final byte[] GENERATION = key("generation");
    private static final byte[] STATE = key("state");
    private static final byte[] STARTED = key("started");
    private static final byte[] TOLD = key("told");
    private static final byte[] ENTRIES = key("entries");
    private static final byte[] FILES = key("files");
    private static final byte[] BYTES = key("bytes");
    private static final byte[] DATA = key("data");
    private static final byte[] FAILED = key("failed");
    private static final byte[] CHANGED = key("changed");
    private static final byte[] NEW_ENTRIES = key("new-entries");
    private static final byte[] NEW_BYTES = key("new-bytes");
    private static final byte[] NEW_DATA = key("new-data");
    private static final byte[] HOST = key("host");
    private static final byte[] JOB = key("job");
    private static final byte[] MOVING = key(BatchProgress.MOVING);
    private static final byte[] MOVED = key(BatchProgress.MOVED);
    private static final byte[][] BUSY = keys(WorkInProgress.MOST, BatchProgress.BUSY, "");
    private static final byte[][] SINCE = keys(WorkInProgress.MOST, BatchProgress.BUSY, BatchProgress.SINCE);
    private static final byte[][] SLOW = keys(SlowFile.MOST, BatchProgress.SLOW, "");
    private static final byte[][] SLOW_BYTES = keys(SlowFile.MOST, BatchProgress.SLOW, BatchProgress.BYTES);
    private static final byte[][] SLOW_MILLIS = keys(SlowFile.MOST, BatchProgress.SLOW, BatchProgress.MILLIS);

    private static final BatchProgress.State[] STATES = BatchProgress.State.values();
    private static final byte[][] WORDS = Arrays.stream(STATES)
            .map(state -> bytes(state.name().toLowerCase(Locale.ROOT)))
            .toArray(byte[][]::new);

    private static final int CHECKSUM_BYTES = Checksum.line(0).length();
    // Any such number fits into a long.
    private static final int MOST_DIGITS = 18;

    private final byte[] text;
    private final int end;
    private int at;
    private boolean isUsual;

    /** Begins the text in the first bytes of an array. */
    ProgressText(byte[] text, int length) {
        this.text = text;
        this.end = length - CHECKSUM_BYTES;
        this.isUsual = end > 0 && text[end - 1] == '\n' && hasChecksum();
    }

    private static byte[] bytes(String ascii) {
        return ascii.getBytes(StandardCharsets.US_ASCII);
    }

    private static byte[] key(String name) {
        return bytes(name + "\t");
    }

    private static byte[][] keys(int count, String before, String after) {
        return IntStream.range(0, count).mapToObj(i -> key(before + i + after)).toArray(byte[][]::new);
    }

    private boolean hasChecksum() {
        byte[] line = bytes(Checksum.line(Checksum.of(text, 0, end)));
        return Arrays.equals(text, end, end + CHECKSUM_BYTES, line, 0, CHECKSUM_BYTES);
    }

    /**
     * Returns the progress; empty if the text is not the usual one.
     *
     * @param host the host of the last attempt that was read, whose text is used again if it is equal
     * @param job its job
     */
    Optional<BatchProgress> progress(String host, String job) {
        if (!isUsual) {
            return Optional.empty();
        }
        int generation = (int) number(GENERATION);
        BatchProgress.State state = state();
        long started = number(STARTED);
        long told = number(TOLD);
        long entries = number(ENTRIES);
        long files = number(FILES);
        long bytes = number(BYTES);
        long data = number(DATA);
        long failed = number(FAILED);
        long changed = number(CHANGED);
        long newEntries = number(NEW_ENTRIES);
        long newBytes = number(NEW_BYTES);
        long newData = number(NEW_DATA);
        String itsHost = text(HOST, host);
        String itsJob = text(JOB, job);
        WorkInProgress current = current();
        List<SlowFile> slowest = slowest();
        return isUsual && at == end
                ? Optional.of(new BatchProgress(generation, state, started, told, entries, files, bytes, data, failed,
                        changed, newEntries, newBytes, newData, itsHost, itsJob, current, slowest))
                : Optional.empty();
    }

    private WorkInProgress current() {
        long moving = number(MOVING);
        Optional<Instant> moved = isNext(MOVED) ? Optional.of(Instant.ofEpochMilli(number(MOVED))) : Optional.empty();
        if (!isNext(BUSY[0])) {
            return new WorkInProgress(moving, moved, List.of());
        }
        List<WorkInProgress.Entry> entries = new ArrayList<>();
        for (int i = 0; i < BUSY.length && isNext(BUSY[i]); i++) {
            String path = text(BUSY[i], "");
            isUsual &= !path.isEmpty();
            entries.add(new WorkInProgress.Entry(path, Instant.ofEpochMilli(number(SINCE[i]))));
        }
        return new WorkInProgress(moving, moved, entries);
    }

    private List<SlowFile> slowest() {
        if (!isNext(SLOW[0])) {
            return List.of();
        }
        List<SlowFile> files = new ArrayList<>();
        for (int i = 0; i < SLOW.length && isNext(SLOW[i]); i++) {
            String path = text(SLOW[i], "");
            long bytes = number(SLOW_BYTES[i]);
            long millis = number(SLOW_MILLIS[i]);
            isUsual &= !path.isEmpty();
            if (isUsual) {
                files.add(new SlowFile(path, bytes, Duration.ofMillis(millis)));
            }
        }
        return files;
    }

    private BatchProgress.State state() {
        int to = begin(STATE);
        for (int i = 0; i < STATES.length; i++) {
            if (isUsual && Arrays.equals(text, at, to, WORDS[i], 0, WORDS[i].length)) {
                at = to + 1;
                return STATES[i];
            }
        }
        isUsual = false;
        return BatchProgress.State.RUNNING;
    }

    private String text(byte[] key, String likely) {
        int to = begin(key);
        if (!isUsual) {
            return "";
        }
        String value = isEqual(likely, to) ? likely : new String(text, at, to - at, StandardCharsets.UTF_8);
        at = to + 1;
        return value;
    }

    private boolean isEqual(String likely, int to) {
        if (likely.length() != to - at) {
            return false;
        }
        for (int i = 0; i < likely.length(); i++) {
            if (likely.charAt(i) != text[at + i]) {
                return false;
            }
        }
        return true;
    }

    private long number(byte[] key) {
        int to = begin(key);
        isUsual &= to > at && to - at <= MOST_DIGITS;
        long number = 0;
        for (int i = at; isUsual && i < to; i++) {
            isUsual = text[i] >= '0' && text[i] <= '9';
            number = 10 * number + text[i] - '0';
        }
        at = to + 1;
        return number;
    }

    // Moves to the value of the next line, which must have this key, and returns where the value ends.
    private int begin(byte[] key) {
        isUsual &= isNext(key);
        if (!isUsual) {
            return at;
        }
        at += key.length;
        int to = at;
        while (text[to] != '\n') {
            to++;
        }
        return to;
    }

    private boolean isNext(byte[] key) {
        return at + key.length < end && Arrays.equals(text, at, at + key.length, key, 0, key.length);
    }
}
