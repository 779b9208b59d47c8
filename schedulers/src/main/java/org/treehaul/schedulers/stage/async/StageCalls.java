// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage.async;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.async.backend.Request;
import org.treehaul.core.async.backend.ThreadBackend;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.LinuxConstants;
import org.treehaul.schedulers.stage.ParallelFile;
import org.treehaul.schedulers.stage.SegmentView;
import org.treehaul.schedulers.stage.Segments;
import org.treehaul.schedulers.stage.Stage;
import org.treehaul.schedulers.stage.StageException;
import org.treehaul.schedulers.stage.StagedFile;
import org.treehaul.schedulers.stage.StagedPath;
import org.treehaul.schedulers.stage.StripeLayout;

/** The calls on files as operations on a stage: a descriptor is the number of a file that is open here. Thread-safe. */
final class StageCalls implements ThreadBackend.Calls {

    // struct statx
    private static final int STATX_SIZE = 0x200;
    private static final int SIZE = 40;

    private final Stage stage;
    private final StripeLayout layout;
    private final int umask;
    private final Map<Integer, OpenFile> files = new ConcurrentHashMap<>();
    private final AtomicInteger last = new AtomicInteger();
    private final AtomicInteger made = new AtomicInteger();

    /**
     * A file that is open.
     *
     * @param segments its servers take requests at any time; empty if one of them does not
     */
    record OpenFile(ParallelFile file, boolean mayRead, boolean mayWrite, List<Pipe> segments) {}

    /** A segment whose server takes requests at any time. */
    record Pipe(SegmentView segment, Segments.Pipelined server) {}

    StageCalls(Stage stage, StripeLayout layout, int umask) {
        this.stage = stage;
        this.layout = layout;
        this.umask = umask;
    }

    /** Returns a file that is open; null if there is none with this number. */
    @Nullable OpenFile file(int descriptor) {
        return files.get(descriptor);
    }

    @Override
    public int errno(IOException failure) {
        return failure instanceof StageException e && e.errno() > 0 ? e.errno() : Errno.EIO;
    }

    @Override
    public long call(Request request) throws StageException {
        return switch (request.kind()) {
            case NONE -> 0;
            case OPEN -> open(request);
            case REMOVE -> remove(request);
            default -> {
                OpenFile file = files.get(request.descriptor());
                yield file == null ? -Errno.EBADF : call(file, request);
            }
        };
    }

    private long call(OpenFile open, Request request) throws StageException {
        ParallelFile file = open.file();
        try {
            switch (request.kind()) {
                case READ -> {
                    return open.mayRead
                            ? Math.max(0, file.read(request.memory().asByteBuffer(), request.offset()))
                            : -Errno.EBADF;
                }
                case WRITE -> {
                    return open.mayWrite ? file.write(request.memory().asByteBuffer(), request.offset()) : -Errno.EBADF;
                }
                case STATUS -> {
                    if ((request.flags() & STATX_SIZE) != 0) {
                        request.status().set(JAVA_LONG, SIZE, file.size());
                    }
                }
                case SYNC -> file.sync();
                default -> {
                    files.remove(request.descriptor());
                    file.close();
                }
            }
            return 0;
        } catch (IndexOutOfBoundsException | ArithmeticException e) {
            return -(request.kind() == Request.Kind.WRITE ? Errno.EFBIG : Errno.EINVAL);
        }
    }

    private static @Nullable ByteString path(MemorySegment name) {
        byte[] bytes = name.asSlice(0, name.byteSize() - 1).toArray(JAVA_BYTE); // without the NUL
        try {
            return StagedPath.of(ByteString.of(bytes));
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    private long remove(Request request) throws StageException {
        ByteString path = path(request.memory());
        if (path == null) {
            return -Errno.EINVAL;
        }
        Optional<StagedFile> found = stage.catalogue().find(path);
        if (found.isEmpty() || found.get().kind() == EntryKind.DIRECTORY) {
            return -(found.isEmpty() && path.length() > 0 ? Errno.ENOENT : Errno.EISDIR);
        }
        stage.remove(path);
        return 0;
    }

    private long open(Request request) throws StageException {
        ByteString path = path(request.memory());
        if (path == null) {
            return -Errno.EINVAL;
        }
        int flags = request.flags();
        int access = flags & (LinuxConstants.O_WRONLY | LinuxConstants.O_RDWR);
        boolean writes = access != LinuxConstants.O_RDONLY;
        while (path.length() > 0) {
            Optional<StagedFile> found = stage.catalogue().find(path);
            if (found.isEmpty() && (flags & LinuxConstants.O_CREAT) == 0) {
                return -Errno.ENOENT;
            }
            if (found.isPresent() && (flags & LinuxConstants.O_EXCL) != 0) {
                return -Errno.EEXIST;
            }
            if (found.isPresent() && found.get().kind() != EntryKind.REGULAR) {
                return -(found.get().kind() == EntryKind.DIRECTORY ? Errno.EISDIR : Errno.ELOOP);
            }
            ParallelFile file = found.isPresent()
                    ? stage.open(found.get(), writes)
                    : created(path, request.mode() & ~umask);
            if (file != null) {
                if (found.isPresent() && (flags & LinuxConstants.O_TRUNC) != 0) {
                    file.truncate(0);
                }
                return kept(file, access != LinuxConstants.O_WRONLY, writes);
            }
        }
        return -Errno.EISDIR;
    }

    /** Makes a file; null if another client has made one of this path at the same time. */
    private @Nullable ParallelFile created(ByteString path, int mode) throws StageException {
        ParallelFile file = stage.create(path, nextLayout(), mode);
        boolean isPublished = false;
        try {
            isPublished = file.publish();
        } finally {
            if (!isPublished) {
                file.abandon();
            }
        }
        return isPublished ? file : null;
    }

    // The servers take turns as the first, which has the whole of a small file.
    private StripeLayout nextLayout() {
        List<String> servers = new ArrayList<>(layout.servers());
        Collections.rotate(servers, -Math.floorMod(made.getAndIncrement(), servers.size()));
        return new StripeLayout(servers, layout.segments(), layout.stripe(), layout.copies());
    }

    private int kept(ParallelFile file, boolean mayRead, boolean mayWrite) throws StageException {
        List<Pipe> pipes = new ArrayList<>();
        for (int i = 0; i < file.layout().segments(); i++) {
            SegmentView segment = file.segment(i);
            if (segment.segments() instanceof Segments.Pipelined server) {
                pipes.add(new Pipe(segment, server));
            }
        }
        boolean isPipelined = pipes.size() == file.layout().segments();
        int number = last.incrementAndGet() & Integer.MAX_VALUE;
        files.put(number, new OpenFile(file, mayRead, mayWrite, isPipelined ? pipes : List.of()));
        return number;
    }
}
