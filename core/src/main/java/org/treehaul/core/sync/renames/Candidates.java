// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.sync.renames;

import java.io.BufferedOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;

import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.entry.Timestamp;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.fs.PrivateFiles;

/**
 * Files that only the destination has, found by size and time, and the new file of the source that each of them was
 * found to equal. A file is known by its number in the list of removals. Takes about 100 bytes of memory for each; the
 * paths are in a file without a name. Add all before the first search; then safe for any number of threads.
 */
public final class Candidates implements AutoCloseable {

    /** The largest number of entries that are kept, which take 50 MB. */
    public static final int MOST = 500_000;

    // Many files may have the same size and time, such as those of an archive. Each try reads until the data differ.
    private static final int MOST_STEPS = 1_000;
    private static final int MOST_TRIES = 8;

    private static final byte FREE = 0;
    private static final byte PAIRED = 1;
    private static final byte MOVED = 2;
    private static final byte DROPPED = 3;

    private final long window;
    private final long[] inodes;
    private final long[] sizes;
    private final long[] seconds;
    private final int[] nanos;
    private final long[] places;
    private final byte[] states;
    private final long[] sourceDevices;
    private final long[] sourceInodes;
    private final long[] sourceChanges;
    private final long[] changes;
    private final Chains byName;
    private final Chains byTime;
    private final Chains bySource;
    private final FileChannel file;
    private final DataOutputStream out;
    private long written;
    private int count;
    private long paired;

    /**
     * Creates an empty collection.
     *
     * @param most the largest number of entries that will be added
     * @param window times that differ by at most so many nanoseconds are equal
     * @param temporary the directory of its file
     * @throws UncheckedIOException if the file cannot be made
     */
    public Candidates(long most, long window, Path temporary) {
        int capacity = (int) Math.min(most, MOST);
        this.window = window;
        inodes = new long[capacity];
        sizes = new long[capacity];
        seconds = new long[capacity];
        nanos = new int[capacity];
        places = new long[capacity];
        states = new byte[capacity];
        sourceDevices = new long[capacity];
        sourceInodes = new long[capacity];
        sourceChanges = new long[capacity];
        changes = new long[capacity];
        byName = new Chains(capacity);
        byTime = new Chains(capacity);
        bySource = new Chains(capacity);
        try {
            Path path = PrivateFiles.makeTemporaryFile(temporary, "treehaul-sync-", ".tmp");
            file = PrivateFiles.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE);
            Files.delete(path);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        out = new DataOutputStream(new BufferedOutputStream(Channels.newOutputStream(file)));
    }

    /**
     * Adds the next entry of the list of removals.
     *
     * @param isFile whether it is a regular file
     */
    public void add(boolean isFile, TreePath path, long inode, long size, long mtimeSeconds, int mtimeNanos) {
        int number = count;
        if (number >= inodes.length) {
            return;
        }
        count++;
        // A file without data is made anew as soon as another one is renamed.
        if (!isFile || size == 0) {
            return;
        }
        inodes[number] = inode;
        sizes[number] = size;
        seconds[number] = mtimeSeconds;
        nanos[number] = mtimeNanos;
        places[number] = written;
        byName.add(hash(size, mtimeSeconds, Arrays.hashCode(path.nameBytes())), number);
        byTime.add(hash(size, mtimeSeconds, 0), number);
        try {
            byte[] bytes = path.toBytes();
            out.writeInt(bytes.length);
            out.write(bytes);
            written += Integer.BYTES + bytes.length;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Ends the additions.
     *
     * @throws UncheckedIOException if the file cannot be written
     */
    public void end() {
        try {
            out.flush();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the path of a candidate. */
    TreePath path(int number) {
        try {
            ByteBuffer length = ByteBuffer.allocate(Integer.BYTES);
            readFully(length, places[number]);
            ByteBuffer path = ByteBuffer.allocate(length.getInt(0));
            readFully(path, places[number] + Integer.BYTES);
            return TreePath.of(path.array());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void readFully(ByteBuffer into, long from) throws IOException {
        while (into.hasRemaining()) {
            if (file.read(into, from + into.position()) < 0) {
                throw new IOException("the temporary file of paths is shorter than what was written to it");
            }
        }
    }

    /** Returns the free candidates that may equal a new file, first those with its name; at most eight. */
    synchronized int[] find(FileStatus source, byte[] name) {
        int[] found = new int[MOST_TRIES];
        int first = collect(byName, hash(source.size(), source.mtimeSeconds(), Arrays.hashCode(name)), source, found,
                0);
        int all = collect(byTime, hash(source.size(), source.mtimeSeconds(), 0), source, found, first);
        return Arrays.copyOf(found, all);
    }

    private int collect(Chains chains, long hash, FileStatus source, int[] found, int before) {
        int filled = before;
        int previous = -1;
        int number = chains.first(hash);
        for (int steps = 0; number >= 0 && steps < MOST_STEPS && filled < found.length; steps++) {
            int next = chains.next(number);
            if (states[number] != FREE) {
                // Else the search would pass over all those of an archive again and again.
                chains.removeAfter(previous, hash, number);
            } else {
                previous = number;
                if (mayEqual(number, source) && !has(found, before, number)) {
                    found[filled++] = number;
                }
            }
            number = next;
        }
        return filled;
    }

    private static boolean has(int[] numbers, int count, int number) {
        for (int i = 0; i < count; i++) {
            if (numbers[i] == number) {
                return true;
            }
        }
        return false;
    }

    // A time of FAT is the even second before that of its source.
    private static long hash(long size, long seconds, int name) {
        return Chains.hash(size, seconds >> 1, name);
    }

    // The exact comparison follows: this one only leaves out what cannot be equal.
    private boolean mayEqual(int number, FileStatus source) {
        int there = nanos[number];
        int wanted = source.mtimeNanos();
        if (sizes[number] != source.size() || seconds[number] != source.mtimeSeconds()) {
            return sizes[number] == source.size() && there == 0 && seconds[number] == (source.mtimeSeconds() & ~1L);
        }
        // File systems keep nanoseconds, units of 100 ns (NTFS), microseconds, 10 ms (exFAT) or whole seconds.
        return there == wanted || there == wanted / 100 * 100 || there == wanted / 1000 * 1000
                || there == wanted / 10_000_000 * 10_000_000 || there == 0 || Math.abs((long) there - wanted) <= window;
    }

    /** Returns whether a file is still the one that was listed. */
    boolean isOf(int number, FileStatus there) {
        return there.inode() == inodes[number] && there.size() == sizes[number]
                && there.mtimeSeconds() == seconds[number] && there.mtimeNanos() == nanos[number];
    }

    /** Pairs a candidate with the new file that equals it; returns false if it has got another one. */
    synchronized boolean pair(int number, FileStatus source, FileStatus there) {
        if (states[number] != FREE) {
            return false;
        }
        states[number] = PAIRED;
        sourceDevices[number] = source.device();
        sourceInodes[number] = source.inode();
        sourceChanges[number] = change(source);
        changes[number] = change(there);
        bySource.add(Chains.hash(source.device(), source.inode(), 0), number);
        paired++;
        return true;
    }

    private static long change(FileStatus status) {
        return Timestamp.sinceEpoch(status.ctimeSeconds(), status.ctimeNanos());
    }

    /** Returns the candidate that was paired with a new file, or -1. */
    synchronized int ofSource(FileStatus source) {
        int number = bySource.first(Chains.hash(source.device(), source.inode(), 0));
        while (number >= 0) {
            if (sourceInodes[number] == source.inode() && sourceDevices[number] == source.device()
                    && states[number] == PAIRED) {
                return number;
            }
            number = bySource.next(number);
        }
        return -1;
    }

    /** Returns whether a new file has not changed since its data were compared. */
    boolean isUnchangedSource(int number, FileStatus source) {
        return isUnchanged(number, source, sourceChanges[number]);
    }

    /** Returns whether a candidate has not changed since its data were compared. */
    boolean isUnchanged(int number, FileStatus there) {
        return isOf(number, there) && isUnchanged(number, there, changes[number]);
    }

    private boolean isUnchanged(int number, FileStatus status, long change) {
        return status.size() == sizes[number] && change(status) == change;
    }

    synchronized void moved(int number) {
        states[number] = MOVED;
    }

    synchronized void drop(int number) {
        states[number] = DROPPED;
    }

    /** Returns the number of candidates that equal a new file. */
    public synchronized long paired() {
        return paired;
    }

    /** Returns whether an entry of the list of removals is, or was, renamed instead. */
    public synchronized boolean isKept(int number) {
        return number < count && (states[number] == PAIRED || states[number] == MOVED);
    }

    /** Returns whether an entry was to be renamed, but was not. */
    public synchronized boolean isDropped(int number) {
        return number < count && states[number] == DROPPED;
    }

    @Override
    public void close() {
        try {
            file.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
