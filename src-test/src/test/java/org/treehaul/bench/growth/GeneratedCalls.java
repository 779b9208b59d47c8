// SPDX-License-Identifier: Apache-2.0
package org.treehaul.bench.growth;

import static org.treehaul.core.fs.LinuxConstants.AT_EMPTY_PATH;
import static org.treehaul.core.fs.LinuxConstants.AT_FDCWD;
import static org.treehaul.core.fs.LinuxConstants.O_CREAT;
import static org.treehaul.core.fs.LinuxConstants.O_DIRECTORY;
import static org.treehaul.core.fs.LinuxConstants.O_EXCL;
import static org.treehaul.core.fs.LinuxConstants.O_TMPFILE;
import static org.treehaul.core.fs.LinuxConstants.SEEK_DATA;
import static org.treehaul.core.fs.LinuxConstants.SEEK_HOLE;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.function.LongSupplier;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.fs.Call;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.InterceptedCalls;

/**
 * A file layer in which a directory has two more subdirectories than on the disk: {@link #SOURCE}, a
 * {@link GeneratedTree}, and {@link #COPY}, which discards what is written into it. Its memory does not depend on the
 * number of entries.
 *
 * <p>
 * The copy remembers one thing: whether it was made. From then on each of its directories exists, with the status of
 * that of the source. Its files exist if the constructor says so, and then have the status and the data of those of the
 * source; otherwise none is found, whatever was written. Other names in it, such as those of temporary files, are taken
 * and never found. All other paths are those of the calls below.
 */
final class GeneratedCalls extends InterceptedCalls {

    /** The name of the generated tree. */
    static final String SOURCE = "source";

    /** The name of the copy. */
    static final String COPY = "copy";

    private static final byte[] SOURCE_NAME = SOURCE.getBytes(StandardCharsets.US_ASCII);
    private static final byte[] COPY_NAME = COPY.getBytes(StandardCharsets.US_ASCII);

    private final GeneratedPlaces places;
    private final GeneratedStatuses statuses;
    private final GeneratedTree tree;
    private final OpenFiles open = new OpenFiles();
    private final MemorySegment top;
    private final boolean hasFiles;
    private volatile boolean isMade;

    /**
     * Creates a file layer.
     *
     * @param calls the calls below
     * @param top an existing directory, in which the two are
     * @param isWhole whether the copy has all its entries from the beginning; otherwise it does not exist yet
     */
    GeneratedCalls(FileSystemCalls calls, Path top, GeneratedTree tree, boolean isWhole) {
        super(calls);
        ByteString path = ByteString.of(top.toAbsolutePath());
        this.top = FileAccess.put(Arena.ofAuto().allocate(path.length() + 1L), path);
        this.tree = tree;
        this.places = new GeneratedPlaces(tree, path.toBytes(), SOURCE_NAME, COPY_NAME, open);
        this.statuses = new GeneratedStatuses(tree);
        this.hasFiles = isWhole;
        this.isMade = isWhole;
    }

    /** Makes the directories of the copy exist, as after a copy that has begun, and returns these calls. */
    GeneratedCalls begun() {
        isMade = true;
        return this;
    }

    private boolean exists(long place) {
        return switch (GeneratedPlaces.kind(place)) {
            case GeneratedPlaces.SOURCE -> true;
            case GeneratedPlaces.COPY -> tree.isDirectory(GeneratedPlaces.node(place)) ? isMade : hasFiles;
            default -> false;
        };
    }

    private static boolean isInSource(long place) {
        int kind = GeneratedPlaces.kind(place);
        return kind == GeneratedPlaces.SOURCE || kind == GeneratedPlaces.ABSENT;
    }

    private boolean isDirectory(long place) {
        int kind = GeneratedPlaces.kind(place);
        return (kind == GeneratedPlaces.SOURCE || kind == GeneratedPlaces.COPY)
                && tree.isDirectory(GeneratedPlaces.node(place));
    }

    // All calls that return no data: those on the copy succeed and do nothing.
    @Override
    protected long around(Call call, int descriptor, MemorySegment name, LongSupplier made) {
        long place = name.equals(NO_NAME) ? places.of(descriptor) : places.of(descriptor, name);
        return switch (GeneratedPlaces.kind(place)) {
            case GeneratedPlaces.REAL, GeneratedPlaces.TOP -> made.getAsLong();
            case GeneratedPlaces.NONE -> -Errno.ENOTDIR;
            default -> switch (call) {
                case FSYNC, FDATASYNC, SYNCFS, POSIX_FADVISE, OFD_LOCK, FLISTXATTR, LLISTXATTR -> 0;
                case FGETXATTR, LGETXATTR -> -Errno.ENODATA;
                case COPY_FILE_RANGE -> -Errno.EXDEV;
                case FICLONE -> -Errno.EOPNOTSUPP;
                default -> isInSource(place) ? -Errno.EROFS : 0;
            };
        };
    }

    @Override
    public int openat(int directory, MemorySegment name, int flags, int mode) {
        long place = places.of(directory, name);
        return switch (GeneratedPlaces.kind(place)) {
            case GeneratedPlaces.REAL -> calls.openat(directory, name, flags, mode);
            case GeneratedPlaces.TOP -> open.real(calls.openat(AT_FDCWD, top, flags, mode));
            case GeneratedPlaces.NONE -> -Errno.ENOTDIR;
            default -> openGenerated(place, flags);
        };
    }

    @Override
    public int openat2(int directory, MemorySegment name, int flags, int mode, long resolve) {
        return GeneratedPlaces.kind(places.of(directory, name)) == GeneratedPlaces.REAL
                ? calls.openat2(directory, name, flags, mode, resolve)
                : openat(directory, name, flags, mode);
    }

    private int openGenerated(long place, int flags) {
        boolean isThere = exists(place);
        boolean isInSource = isInSource(place);
        if ((flags & O_TMPFILE) == O_TMPFILE) {
            return isInSource ? -Errno.EROFS : open.add(GeneratedPlaces.other());
        }
        if ((flags & O_CREAT) != 0) {
            if (isThere && (flags & O_EXCL) != 0) {
                return -Errno.EEXIST;
            }
            return isInSource && !isThere ? -Errno.EROFS : open.add(place);
        }
        if (!isThere) {
            return -Errno.ENOENT;
        }
        return (flags & O_DIRECTORY) != 0 && !isDirectory(place) ? -Errno.ENOTDIR : open.add(place);
    }

    @Override
    public int close(int descriptor) {
        return open.close(descriptor) ? 0 : calls.close(descriptor);
    }

    @Override
    public int mkdirat(int directory, MemorySegment name, int mode) {
        long place = places.of(directory, name);
        if (GeneratedPlaces.kind(place) == GeneratedPlaces.COPY) {
            isMade = true;
            return hasFiles ? -Errno.EEXIST : 0;
        }
        return super.mkdirat(directory, name, mode);
    }

    @Override
    public int linkat(int oldDirectory, MemorySegment oldName, int newDirectory, MemorySegment newName, int flags) {
        return (int) around(Call.LINKAT, newDirectory, newName,
                () -> calls.linkat(oldDirectory, oldName, newDirectory, newName, flags));
    }

    @Override
    public int getdents64(int descriptor, MemorySegment buffer) {
        OpenFiles.@Nullable Position position = open.position(descriptor);
        if (position == null) {
            return calls.getdents64(descriptor, buffer);
        }
        return isDirectory(position.place)
                ? statuses.list(GeneratedPlaces.node(position.place), position, buffer)
                : -Errno.ENOTDIR;
    }

    @Override
    public int statx(int directory, MemorySegment name, int flags, int mask, MemorySegment result) {
        boolean isItself = (flags & AT_EMPTY_PATH) != 0 && GeneratedPlaces.isEmpty(name);
        long place = isItself ? places.of(directory) : places.of(directory, name);
        return switch (GeneratedPlaces.kind(place)) {
            case GeneratedPlaces.REAL -> calls.statx(directory, name, flags, mask, result);
            case GeneratedPlaces.TOP -> isItself
                    ? calls.statx(directory, name, flags, mask, result)
                    : calls.statx(AT_FDCWD, top, flags, mask, result);
            case GeneratedPlaces.NONE -> -Errno.ENOTDIR;
            default -> {
                if (!isItself && !exists(place)) {
                    yield -Errno.ENOENT;
                }
                statuses.fill(place, result);
                yield 0;
            }
        };
    }

    @Override
    public int readlinkat(int directory, MemorySegment name, MemorySegment buffer) {
        return GeneratedPlaces.kind(places.of(directory, name)) == GeneratedPlaces.REAL
                ? calls.readlinkat(directory, name, buffer)
                : -Errno.EINVAL;
    }

    @Override
    public long read(int descriptor, MemorySegment buffer) {
        OpenFiles.@Nullable Position position = open.position(descriptor);
        if (position == null) {
            return calls.read(descriptor, buffer);
        }
        long read = read(position.place, buffer, position.at);
        position.at += Math.max(0, read);
        return read;
    }

    @Override
    public long pread(int descriptor, MemorySegment buffer, long offset) {
        OpenFiles.@Nullable Position position = open.position(descriptor);
        return position == null ? calls.pread(descriptor, buffer, offset) : read(position.place, buffer, offset);
    }

    private long read(long place, MemorySegment buffer, long offset) {
        if (isDirectory(place)) {
            return -Errno.EISDIR;
        }
        long read = Math.clamp(statuses.size(place) - offset, 0, buffer.byteSize());
        buffer.asSlice(0, read).fill(tree.data(GeneratedPlaces.node(place)));
        return read;
    }

    @Override
    public long write(int descriptor, MemorySegment buffer) {
        return written(Call.WRITE, descriptor, buffer, () -> calls.write(descriptor, buffer));
    }

    @Override
    public long pwrite(int descriptor, MemorySegment buffer, long offset) {
        return written(Call.PWRITE, descriptor, buffer, () -> calls.pwrite(descriptor, buffer, offset));
    }

    private long written(Call call, int descriptor, MemorySegment buffer, LongSupplier made) {
        long result = around(call, descriptor, NO_NAME, made);
        return result == 0 && open.position(descriptor) != null ? buffer.byteSize() : result;
    }

    @Override
    public long lseek(int descriptor, long offset, int whence) {
        OpenFiles.@Nullable Position position = open.position(descriptor);
        if (position == null) {
            return calls.lseek(descriptor, offset, whence);
        }
        long size = isDirectory(position.place) ? Long.MAX_VALUE : statuses.size(position.place);
        switch (whence) {
            case SEEK_DATA -> {
                if (offset >= size) {
                    return -Errno.ENXIO;
                }
            }
            case SEEK_HOLE -> {
                position.at = size;
                return size;
            }
            default -> {
                // From the beginning: nothing here seeks from another place.
            }
        }
        position.at = offset;
        return offset;
    }

    @Override
    public int fstatfs(int descriptor, MemorySegment result) {
        if (open.position(descriptor) == null) {
            return calls.fstatfs(descriptor, result);
        }
        int directory = calls.openat(AT_FDCWD, top, O_DIRECTORY, 0);
        if (directory < 0) {
            return directory;
        }
        try {
            return calls.fstatfs(directory, result);
        } finally {
            calls.close(directory);
        }
    }
}
