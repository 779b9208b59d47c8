// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.walk;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.SystemCallException;

/**
 * One thread of a walk: takes work from the frontier until there is none, and calls its handler.
 *
 * <p>
 * Its methods are for that thread alone, but for {@link #current()}.
 *
 * @param <D> what the handler attaches to each directory
 */
public final class WalkWorker<D> {

    // How many entries are handled between two looks at whether other workers are idle; a look costs a volatile read.
    private static final int ENTRIES_PER_LOOK = 32;

    // Below this many bytes of records a rest of a listing is not worth giving away: about 40 names. After an entry that was
    // as much work as so many, the next may be as well, and a single one is worth it.
    private static final int LEAST_SLICE_BYTES = 1024;
    private static final int MUCH_WORK = 256;

    private final int index;
    private final WalkRun<D> run;
    private final FileAccess access;
    private final FoundEntry<D> found;

    // The part of a listing in hand, beside the native one that names are passed on from: reading single numbers from native
    // memory costs the compiler too much at the start of a run.
    private final byte[] records = new byte[FileAccess.LISTING_BYTES];
    private final SiblingsBuilder<D> subdirectories = new SiblingsBuilder<>();

    // The directory whose records these are, and where those of them lie that were not begun.
    private @Nullable WalkDirectory<D> listed;
    private int restStart;
    private int restEnd;

    private volatile @Nullable TreePath currentPath;
    private volatile int currentRoot;
    private long work;
    private @Nullable WalkHandler<D> handler;

    // The handler, or what measures it.
    private @Nullable WalkHandler<D> called;
    private final @Nullable WorkerTimes times;

    WalkWorker(int index, WalkRun<D> run, FileAccess access, @Nullable WorkerTimes times) {
        this.index = index;
        this.run = run;
        this.access = access;
        this.times = times;
        this.found = new FoundEntry<>(this);
    }

    /** Returns file access for this thread. */
    public FileAccess access() {
        return access;
    }

    /** Returns whether the walk is to end: no new entry may be begun. */
    public boolean isStopped() {
        return run.isStopped();
    }

    /** Returns what this worker is busy with, printable; from any thread. Empty while it waits for work. */
    public Optional<String> current() {
        TreePath path = currentPath;
        return path == null ? Optional.empty() : Optional.of(EntryFailure.display(run.root(currentRoot).path(), path));
    }

    /** Says what this worker is busy with, so that somebody can see where a hung call hangs. */
    public void busyWith(int rootIndex, TreePath path) {
        currentRoot = rootIndex;
        currentPath = path;
    }

    /** Returns the position of the root that this worker is busy with, or was last. */
    public int currentRoot() {
        return currentRoot;
    }

    void use(WalkHandler<D> chosen) {
        handler = chosen;
        called = times == null ? chosen : new TimedHandler<>(chosen, times);
    }

    /** Returns the handler that this worker calls. */
    public WalkHandler<D> handler() {
        return Objects.requireNonNull(handler);
    }

    /** Returns what the walk calls: the handler, measured where times are wanted. */
    WalkHandler<D> called() {
        return Objects.requireNonNull(called);
    }

    /** Returns what the time of this worker goes into; empty unless the options want it measured. */
    public Optional<WorkerTimes> times() {
        return Optional.ofNullable(times);
    }

    /**
     * Puts a part of an entry's work on the frontier, for any worker; the directory is not left before it is done.
     *
     * @param directory the directory that the entry stands in, null for a root
     */
    public void fork(@Nullable WalkDirectory<D> directory, ForkedTask<D> task) {
        if (directory != null) {
            directory.addPending(1);
        }
        run.frontier().push(index, new Work.Forked<>(directory, task));
    }

    /** Hands the entries that this worker would come to next to whoever is idle: the one in hand will take long. */
    public void giveAwayRest() {
        if (listed != null && restStart < restEnd) {
            giveAwayFrom(listed, restStart);
        }
    }

    /** Keeps the walk from ending, and a directory from being left, until {@link #release}; null for a root's entry. */
    public void hold(@Nullable WalkDirectory<D> directory) {
        run.frontier().hold();
        if (directory != null) {
            directory.addPending(1);
        }
    }

    /** Ends what {@link #hold} began; leaves the directory when this was the last thing it waited for. */
    public void release(@Nullable WalkDirectory<D> directory) {
        release(directory, this);
    }

    /**
     * Ends what {@link #hold} of another worker began, which may be one of another rank in this process.
     */
    public void release(@Nullable WalkDirectory<D> directory, WalkWorker<D> holder) {
        partDone(directory);
        holder.run.frontier().release();
    }

    /** Reports a failure to the handler. */
    public void failed(EntryFailure failure) {
        called().failed(failure);
    }

    /** Counts work for the choice of the number of threads: an entry counts 1 by itself, a large file more. */
    public void worked(long units) {
        work += units;
    }

    /** Returns the work done so far, in entries; from any thread, but then not quite up to date. */
    public long workDone() {
        return work;
    }

    void loop() throws InterruptedException {
        Frontier<Work<D>> frontier = run.frontier();
        try {
            Work<D> work = next(frontier);
            while (work != null) {
                work.run(this);
                currentPath = null;
                frontier.done();
                work = next(frontier);
            }
        } finally {
            called().finished(this);
            if (times != null) {
                times.end();
            }
        }
    }

    private @Nullable Work<D> next(Frontier<Work<D>> frontier) throws InterruptedException {
        Work<D> work = frontier.poll(index);
        if (work == null && !run.isStopped()) {
            called().idle(this);
            long began = System.nanoTime();
            work = frontier.take(index);
            if (times != null) {
                times.waitedSince(began);
            }
        }
        return work;
    }

    void walkRoot(int rootIndex) {
        if (!run.isStopped()) {
            RootWalk.walk(this, run, found, rootIndex);
        }
    }

    void walkDirectory(WalkDirectory<D> directory) {
        if (run.isStopped()) {
            return;
        }
        busyWith(directory.rootIndex(), directory.path());
        FileStatus status;
        try {
            status = directory.handle().open(access);
        } catch (SystemCallException e) {
            boolean vanished = e.errno() == Errno.ENOENT;
            fail(directory, e, vanished ? EntryFailure.Kind.VANISHED : EntryFailure.Kind.ERROR);
            partDone(directory);
            return;
        }
        try {
            directory.opened(status);
            enterAndList(directory, status);
        } finally {
            directory.handle().release();
        }
        partDone(directory);
    }

    private void enterAndList(WalkDirectory<D> directory, FileStatus status) {
        try {
            // Only a followed link can lead back to where it stands.
            if (run.options().symlinks() == Symlinks.ALWAYS && directory.standsIn(status)) {
                throw new SystemCallException("open", Errno.ELOOP);
            }
            D attachment = called().enter(directory, this);
            directory.attach(attachment);
            if (attachment == null || isElsewhere(directory, status)) {
                return;
            }
            if (directory.selection == null) {
                list(directory);
            } else if (directory.selection.isOfEntries()) {
                selectAlone(directory, directory.selection);
            } else {
                select(directory, directory.selection);
            }
        } catch (SystemCallException e) {
            fail(directory, e, EntryFailure.Kind.ERROR);
        }
    }

    private boolean isElsewhere(WalkDirectory<D> directory, FileStatus status) {
        return run.options().oneFileSystem() && run.isOtherFileSystem(directory, status);
    }

    private void list(WalkDirectory<D> directory) throws SystemCallException {
        int descriptor = directory.handle().descriptor();
        MemorySegment listing = access.listing();
        int length = DirectoryRecords.read(access, descriptor, listing);
        while (length > 0 && !run.isStopped()) {
            MemorySegment.copy(listing, ValueLayout.JAVA_BYTE, 0, records, 0, length);
            walkRecords(directory, descriptor, length);
            length = DirectoryRecords.read(access, descriptor, listing);
        }
        if (length < 0) {
            directory.markIncomplete();
            throw new SystemCallException("getdents64", -length);
        }
    }

    void walkSlice(WalkDirectory<D> directory, byte[] slice) {
        if (run.isStopped()) {
            return;
        }
        busyWith(directory.rootIndex(), directory.path());
        try {
            directory.handle().open(access);
            try {
                MemorySegment.copy(slice, 0, access.listing(), ValueLayout.JAVA_BYTE, 0, slice.length);
                System.arraycopy(slice, 0, records, 0, slice.length);
                walkRecords(directory, directory.handle().descriptor(), slice.length);
            } finally {
                directory.handle().release();
            }
        } catch (SystemCallException e) {
            directory.markIncomplete();
            fail(directory, e, EntryFailure.Kind.ERROR);
        }
        partDone(directory);
    }

    private void walkRecords(WalkDirectory<D> directory, int descriptor, int length) {
        listed = directory;
        restStart = 0;
        restEnd = length;
        int untilLook = ENTRIES_PER_LOOK;
        long workBefore = work;
        while (restStart < restEnd) {
            boolean wasMuch = work - workBefore >= MUCH_WORK;
            if (--untilLook == 0 || wasMuch) {
                untilLook = ENTRIES_PER_LOOK;
                if (run.isStopped()) {
                    return;
                }
                giveAwayHalf(directory, wasMuch);
            }
            workBefore = work;
            int at = restStart;
            restStart += DirectoryRecords.length(records, at);
            if (!DirectoryRecords.isDots(records, at)) {
                found.set(directory, descriptor, access.listing(), records, at);
                if (directory.isOfEntries()) {
                    found.setAlone((int) found.inode(), isFollowedAlone(directory));
                    walkAlone(directory);
                } else {
                    walkEntry(directory);
                }
            }
        }
        flushSubdirectories(directory);
    }

    // Others are idle: they get the second half of what is left.
    private void giveAwayHalf(WalkDirectory<D> directory, boolean evenOne) {
        int rest = restEnd - restStart;
        if (!evenOne && rest < 2 * LEAST_SLICE_BYTES || run.frontier().idle() == 0) {
            return;
        }
        int middle = restStart;
        while (middle < restStart + rest / 2) {
            middle += DirectoryRecords.length(records, middle);
        }
        if (middle < restEnd) {
            giveAwayFrom(directory, middle);
        }
    }

    private void giveAwayFrom(WalkDirectory<D> directory, int start) {
        flushSubdirectories(directory);
        directory.addPending(1);
        run.frontier().push(index, new Work.Slice<>(directory, Arrays.copyOfRange(records, start, restEnd)));
        restEnd = start;
    }

    // The way down first, so that others have something to take while the entries here are done.
    private void selectAlone(WalkDirectory<D> directory, PathSelection selection) {
        for (Map.Entry<ByteString, PathSelection> child : selection.children().entrySet()) {
            if (subdirectories.isFull()) {
                flushSubdirectories(directory);
            }
            byte[] name = child.getKey().toBytes();
            boolean follow = run.options().symlinks() == Symlinks.ALWAYS || child.getValue().isFollowed();
            subdirectories.add(name, 0, name.length, follow);
        }
        flushSubdirectories(directory);
        RecordWriter chosen = selection.records();
        for (int at = 0; at < chosen.length() && !run.isStopped();) {
            int end = chosen.endOfPart(at, records.length);
            MemorySegment.copy(chosen.bytes(), at, access.listing(), ValueLayout.JAVA_BYTE, 0, end - at);
            System.arraycopy(chosen.bytes(), at, records, 0, end - at);
            walkRecords(directory, directory.handle().descriptor(), end - at);
            at = end;
        }
    }

    private void walkAlone(WalkDirectory<D> directory) {
        try {
            if (run.options().status() && found.status().kind() == EntryKind.DIRECTORY) {
                called().failed(
                        EntryFailure.of(root(directory), found.path(), new SystemCallException("stat", Errno.EISDIR))
                                .as(EntryFailure.Kind.CHANGED));
                return;
            }
            work++;
            if (called().entry(found) == Step.QUIT) {
                run.quit();
            }
        } catch (SystemCallException e) {
            EntryFailure failure = EntryFailure.of(root(directory), found.path(), e);
            called().failed(e.errno() == Errno.ENOENT ? failure.as(EntryFailure.Kind.VANISHED) : failure);
        }
    }

    private void select(WalkDirectory<D> directory, PathSelection selection) {
        for (Map.Entry<ByteString, PathSelection> child : selection.children().entrySet()) {
            if (run.isStopped()) {
                return;
            }
            byte[] bytes = child.getKey().toBytes();
            try {
                found.setSelected(directory, directory.handle().descriptor(), access.rootName(bytes), bytes);
                walkEntry(directory);
            } catch (SystemCallException e) {
                called().failed(EntryFailure.of(root(directory), directory.path().child(bytes), e));
            }
        }
        flushSubdirectories(directory);
    }

    private void walkEntry(WalkDirectory<D> directory) {
        try {
            if (!resolveKind(directory)) {
                return;
            }
            EntryFilter filter = run.options().filter();
            if (filter != NoFilter.INSTANCE && filter.excludes(found.path(), found.kind() == EntryKind.DIRECTORY)) {
                return;
            }
            if (directory.selection != null && found.kind() != EntryKind.DIRECTORY
                    && directory.selection.leadsThrough(ByteString.of(found.nameBytes()))) {
                // A path below it is listed, which cannot be there; the entry itself is not listed.
                throw new SystemCallException("open", Errno.ENOTDIR);
            }
            work++;
            Step step = called().entry(found);
            if (step == Step.QUIT) {
                run.quit();
            } else if (step == Step.CONTINUE && found.kind() == EntryKind.DIRECTORY) {
                if (subdirectories.isFull()) {
                    flushSubdirectories(directory);
                }
                found.addTo(subdirectories);
            }
        } catch (SystemCallException e) {
            // What a user listed and is not there did not vanish: it is an error.
            // A link that dangles did not vanish either.
            boolean vanished = e.errno() == Errno.ENOENT && directory.selection == null
                    && !(found.isKindKnown() && found.kind() == EntryKind.SYMLINK);
            EntryFailure failure = EntryFailure.of(root(directory), found.path(), e);
            called().failed(vanished ? failure.as(EntryFailure.Kind.VANISHED) : failure);
        }
    }

    // Returns false when the entry is not there and the handler has dealt with that.
    private boolean resolveKind(WalkDirectory<D> directory) throws SystemCallException {
        WalkOptions options = run.options();
        if (options.status() || !found.isKindKnown()) {
            try {
                found.status();
            } catch (SystemCallException e) {
                if (e.errno() == Errno.ENOENT && !directory.isListed() && called().missing(found)) {
                    return false;
                }
                throw e;
            }
        }
        if (found.kind() == EntryKind.SYMLINK
                && (options.symlinks() == Symlinks.ALWAYS || isOnTheWay(directory, found))) {
            found.follow(access.followedStatus(found.parentDescriptor(), found.name()));
        }
        return true;
    }

    // The kernel follows the links on the way to a path that somebody names, and so does the way to a listed one, but for
    // those that are known not to have been any.
    private static <D> boolean isOnTheWay(WalkDirectory<D> directory, FoundEntry<D> entry) {
        PathSelection below = PathSelection.below(directory.selection, ByteString.of(entry.nameBytes()));
        return below != null && below.isFollowed();
    }

    // Of entries alone none is a directory, so none is on a way.
    private boolean isFollowedAlone(WalkDirectory<D> directory) {
        PathSelection selection = directory.selection;
        return run.options().symlinks() == Symlinks.ALWAYS
                || selection != null && selection.isOfDirectories() && isOnTheWay(directory, found);
    }

    private void flushSubdirectories(WalkDirectory<D> directory) {
        if (!subdirectories.isEmpty()) {
            directory.addPending(subdirectories.count());
            run.frontier().push(index, subdirectories.build(directory));
        }
    }

    void runForked(@Nullable WalkDirectory<D> directory, ForkedTask<D> task) {
        if (!run.isStopped()) {
            if (times == null) {
                task.run(this);
            } else {
                times.run(task, this);
            }
        }
        partDone(directory);
    }

    // A walk that is stopped may have done half of the part: the directory must not seem complete to another that shares
    // it and was not stopped yet.
    private void partDone(@Nullable WalkDirectory<D> part) {
        WalkDirectory<D> directory = part;
        while (directory != null && !run.isStopped() && directory.partDone()) {
            left(directory);
            directory = directory.parent();
        }
    }

    void leave(WalkDirectory<D> directory) {
        left(directory);
        partDone(directory.parent());
    }

    private void left(WalkDirectory<D> directory) {
        if (directory.isEntered() && !run.isStopped()) {
            try {
                called().leave(directory, this);
            } catch (SystemCallException e) {
                fail(directory, e, EntryFailure.Kind.ERROR);
            }
        }
        directory.handle().retire();
    }

    private void fail(WalkDirectory<D> directory, SystemCallException e, EntryFailure.Kind kind) {
        called().failed(EntryFailure.of(root(directory), directory.path(), e).as(kind));
    }

    private ByteString root(WalkDirectory<D> directory) {
        return run.root(directory.rootIndex()).path();
    }
}
