// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.walk;

import static org.treehaul.core.fs.LinuxConstants.O_DIRECTORY;
import static org.treehaul.core.fs.LinuxConstants.O_NOFOLLOW;
import static org.treehaul.core.fs.LinuxConstants.O_NONBLOCK;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.condition.EntryValues;
import org.treehaul.core.condition.FileField;
import org.treehaul.core.condition.FileQuery;
import org.treehaul.core.condition.NumberSet;
import org.treehaul.core.condition.ServerNames;
import org.treehaul.core.condition.TextCondition;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.entry.Timestamp;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.locality.DataLayout;
import org.treehaul.core.locality.LayoutException;
import org.treehaul.core.locality.Locality;
import org.treehaul.core.walk.listing.DirectoryRecords;
import org.treehaul.core.walk.options.Root;

/**
 * The values of the entry that a worker is handling; the status, the target of a link and the entries of a directory
 * are read only if a condition asks for them. Used only by that worker's thread.
 */
public final class FoundValues implements EntryValues<SystemCallException> {

    /** An entry that has no descriptor, because it was read from an index or a store. */
    public interface UnopenedSubject extends Subject {

        @Override
        default FileAccess access() {
            throw notOpen();
        }

        @Override
        default int parentDescriptor() {
            throw notOpen();
        }

        @Override
        default MemorySegment name() {
            throw notOpen();
        }

        @Override
        default boolean isFollowed() {
            return false;
        }

        private static UnsupportedOperationException notOpen() {
            return new UnsupportedOperationException("the entry is not open");
        }
    }

    private static final Set<FileField> OF_STATUS = EnumSet.of(FileField.SIZE, FileField.BLOCKS, FileField.ATIME,
            FileField.MTIME, FileField.CTIME, FileField.BTIME, FileField.MODE, FileField.OWNER, FileField.GROUP,
            FileField.LINKS, FileField.DEVICE);

    /** Returns whether these conditions, which must not be empty, decide on no entry without its status. */
    static boolean needStatus(FileQuery where) {
        return OF_STATUS.containsAll(where.fields());
    }

    /** An entry whose values are asked for. */
    public interface Subject {

        /** Returns file access for this thread. */
        FileAccess access();

        /** Returns the open descriptor against which the name must be resolved. */
        int parentDescriptor();

        /** Returns the name, NUL-ended, in native memory. */
        MemorySegment name();

        /** Returns a copy of the name's bytes, without the NUL; for a root, its path as the user gave it. */
        byte[] nameBytes();

        /** Returns the same bytes. */
        default ByteString nameString() {
            return ByteString.of(nameBytes());
        }

        /** Returns whether these bytes meet all of these conditions. */
        default boolean isNameLike(List<TextCondition> conditions) {
            byte[] name = nameBytes();
            return FoundValues.isLike(name, 0, name.length, conditions);
        }

        /** Returns the kind; for a link that is followed, the kind of its target. */
        EntryKind kind();

        /** Returns the status. */
        FileStatus status() throws SystemCallException;

        /** Returns the size in the status. */
        default long size() throws SystemCallException {
            return status().size();
        }

        /** Returns the time of the last change of the data in the status, in nanoseconds since 1970. */
        default long mtime() throws SystemCallException {
            FileStatus status = status();
            return Timestamp.sinceEpoch(status.mtimeSeconds(), status.mtimeNanos());
        }

        /** Returns the inode number. */
        long inode();

        /** Returns whether this is a symbolic link that is followed; for a root, whether it may be one. */
        boolean isFollowed();

        /** Returns the position of the root among those of the values. */
        int rootIndex();

        /** Returns the number of names below the root. */
        int depth();

        /** Returns the path below the root. */
        TreePath path();

        /** Returns the target of a symbolic link. */
        default ByteString linkTarget() throws SystemCallException {
            return access().linkTarget(parentDescriptor(), name());
        }

        /**
         * Returns where the data of a regular file are; empty if the file system does not say.
         *
         * @param locality reads it
         * @throws SystemCallException also for a layout that is malformed
         */
        default Optional<DataLayout> layout(Locality locality) throws SystemCallException {
            return Layouts.of(this, locality);
        }

        /** Returns the servers of the data as the field {@code server} has them, see {@link ServerNames}. */
        default @Nullable ByteString servers(Supplier<Locality> locality) throws SystemCallException {
            return kind() == EntryKind.REGULAR ? Layouts.servers(layout(locality.get())) : null;
        }

        /** Returns whether a directory has no entries. */
        default boolean isEmptyDirectory() throws SystemCallException {
            int flags = O_DIRECTORY | O_NONBLOCK | (isFollowed() ? 0 : O_NOFOLLOW);
            int descriptor = access().open(parentDescriptor(), name(), flags, 0);
            try {
                // The listing of the walk is in another buffer.
                return DirectoryRecords.isEmpty(access(), descriptor);
            } finally {
                access().closeQuietly(descriptor);
            }
        }
    }

    // Apart, so that only a run that asks for layouts loads these classes.
    private static final class Layouts {

        static Optional<DataLayout> of(Subject entry, Locality locality) throws SystemCallException {
            if (entry.kind() != EntryKind.REGULAR) {
                return Optional.empty();
            }
            try {
                return locality.layout(entry.access(), entry.parentDescriptor(), entry.name(), entry.status(),
                        entry.isFollowed());
            } catch (LayoutException e) {
                throw new SystemCallException(String.valueOf(e.getMessage()), 0);
            }
        }

        static @Nullable ByteString servers(Optional<DataLayout> layout) {
            return layout.map(known -> ServerNames.value(known.servers())).orElse(null);
        }
    }

    private final List<Root> roots;
    private @Nullable Subject found;
    // Made for the first condition on servers.
    private @Nullable Locality locality;

    /** Creates values of entries below these roots. */
    public FoundValues(List<Root> roots) {
        this.roots = roots;
    }

    /** Returns the values of an entry, valid as long as the entry. */
    public FoundValues of(Subject entry) {
        found = entry;
        return this;
    }

    private Locality locality() {
        Locality known = locality;
        if (known == null) {
            known = Locality.over(entry().access().calls());
            locality = known;
        }
        return known;
    }

    private Subject entry() {
        return Objects.requireNonNull(found);
    }

    @Override
    public @Nullable ByteString text(FileField field) throws SystemCallException {
        return switch (field) {
            case NAME -> name();
            case EXTENSION -> FileField.extension(name());
            case PATH -> path();
            case DIRECTORY -> directory();
            case TARGET -> entry().kind() == EntryKind.SYMLINK ? entry().linkTarget() : null;
            case SERVER -> entry().servers(this::locality);
            default -> throw new IllegalArgumentException(field.label() + " is no text of a live tree");
        };
    }

    // The fields that most conditions on the status have need no object for each entry.
    @Override
    public boolean meets(FileField field, NumberSet set) throws SystemCallException {
        if (field == FileField.SIZE) {
            return set.contains(entry().size());
        }
        return field == FileField.MTIME ? set.contains(entry().mtime()) : EntryValues.super.meets(field, set);
    }

    @Override
    public boolean meets(FileField field, List<TextCondition> conditions) throws SystemCallException {
        return field == FileField.NAME && entry().depth() > 0
                ? entry().isNameLike(conditions)
                : EntryValues.super.meets(field, conditions);
    }

    static boolean isLike(byte[] bytes, int from, int to, List<TextCondition> conditions) {
        for (int i = 0; i < conditions.size(); i++) {
            if (!conditions.get(i).matches(bytes, from, to)) {
                return false;
            }
        }
        return true;
    }

    @Override
    public @Nullable Long number(FileField field) throws SystemCallException {
        return switch (field) {
            case KIND -> (long) FileField.KINDS.indexOf(entry().kind());
            case DEPTH -> (long) depth();
            case INODE -> entry().inode();
            case EMPTY -> isEmpty() ? 1L : 0L;
            default -> number(field, entry().status());
        };
    }

    private static @Nullable Long number(FileField field, FileStatus status) {
        return switch (field) {
            case SIZE -> status.size();
            case BLOCKS -> status.blocks();
            case ATIME -> Timestamp.sinceEpoch(status.atimeSeconds(), status.atimeNanos());
            case MTIME -> Timestamp.sinceEpoch(status.mtimeSeconds(), status.mtimeNanos());
            case CTIME -> Timestamp.sinceEpoch(status.ctimeSeconds(), status.ctimeNanos());
            case BTIME ->
                status.hasBirthTime() ? Timestamp.sinceEpoch(status.btimeSeconds(), status.btimeNanos()) : null;
            case MODE -> (long) status.permissions();
            case OWNER -> status.uid();
            case GROUP -> status.gid();
            case LINKS -> status.linkCount();
            case DEVICE -> status.device();
            default -> throw new IllegalArgumentException(field.label() + " is no number of a live tree");
        };
    }

    /** Returns the number of names below the root. */
    public int depth() {
        return entry().depth();
    }

    /** Returns the path, beginning with the root as the user gave it. */
    public ByteString path() {
        return entry().path().below(root());
    }

    /** Returns the root below which the entry was found, as the user gave it. */
    public ByteString root() {
        return roots.get(entry().rootIndex()).name();
    }

    /** Returns the last name of the path; a slash for the root of the file system. */
    public ByteString name() {
        if (entry().depth() > 0) {
            return entry().nameString();
        }
        byte[] name = entry().nameBytes();
        int end = withoutSlashes(name, name.length);
        int start = lastSlash(name, end) + 1;
        return end <= start ? ByteString.of("/") : ByteString.of(Arrays.copyOfRange(name, start, end));
    }

    /** Returns the path without its last name, as {@code %h} of find(1) does; empty for the root of the file system. */
    public ByteString directory() {
        byte[] path = path().toBytes();
        int end = withoutSlashes(path, path.length);
        int slash = lastSlash(path, end);
        if (slash < 0) {
            return ByteString.of(".");
        }
        return slash == 0 && end <= 1
                ? ByteString.empty()
                : ByteString.of(Arrays.copyOf(path, Math.max(1, withoutSlashes(path, slash))));
    }

    private static int withoutSlashes(byte[] path, int length) {
        int end = length;
        while (end > 0 && path[end - 1] == '/') {
            end--;
        }
        return end;
    }

    private static int lastSlash(byte[] path, int end) {
        int slash = Math.max(end, 1) - 1;
        while (slash >= 0 && path[slash] != '/') {
            slash--;
        }
        return slash;
    }

    private boolean isEmpty() throws SystemCallException {
        return switch (entry().kind()) {
            case REGULAR -> entry().status().size() == 0;
            case DIRECTORY -> entry().isEmptyDirectory();
            default -> false;
        };
    }
}
