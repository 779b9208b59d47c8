// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage.files;

import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.UUID;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.copy.options.Preserve;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.entry.Timestamp;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.LinuxConstants;
import org.treehaul.core.fs.ProcessStatus;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.storage.EntryMetadata;
import org.treehaul.core.storage.NewFile;
import org.treehaul.core.storage.TargetFile;
import org.treehaul.core.storage.TargetTree;
import org.treehaul.schedulers.stage.Catalogue;
import org.treehaul.schedulers.stage.ParallelFile;
import org.treehaul.schedulers.stage.StageException;
import org.treehaul.schedulers.stage.StagedFile;
import org.treehaul.schedulers.stage.StagedState;
import org.treehaul.schedulers.stage.StripeLayout;
import org.treehaul.schedulers.stage.tree.StageInOptions;

/**
 * A tree of a stage for writing. A file above a stripe is cut over all servers; a smaller one goes whole to the server
 * with the fewest bytes. Not safe for several threads.
 */
final class StageTargetTree implements TargetTree {

    // PATH_MAX of Linux, as for all paths of a stage.
    private static final int LONGEST = 4095;
    private static final int MOST_RESERVED = 256;
    private static final int FIRST_RESERVED = 8;
    private static final int PRIVATE = 0700;
    private static final int PERMISSIONS = 0777;
    private static final int NEW_FILE = 0666;

    private final StageStore store;
    private final Catalogue catalogue;
    private final ByteString base;
    private final CopyOptions options;
    private final ProcessStatus process;
    private final Consumer<String> notices;
    private final Deque<StagedFile> reserved = new ArrayDeque<>();
    private int reservedAtOnce = FIRST_RESERVED;

    StageTargetTree(StageStore store, ByteString base, CopyOptions options, ProcessStatus process,
            Consumer<String> notices) {
        this.store = store;
        this.catalogue = store.stage().catalogue();
        this.base = base;
        this.options = options;
        this.process = process;
        this.notices = notices;
    }

    private ByteString path(TreePath entry) throws SystemCallException {
        ByteString path = StageStore.join(base, entry);
        if (path.length() > LONGEST) {
            throw new SystemCallException("create", Errno.ENAMETOOLONG);
        }
        return path;
    }

    @Override
    public @Nullable FileStatus find(TreePath entry) {
        return StageSourceTree.status(catalogue, StageStore.join(base, entry)).orElse(null);
    }

    @Override
    public void makeDirectory(TreePath directory, FileStatus source) throws SystemCallException {
        ByteString path = path(directory);
        EntryKind there = kindOf(path);
        if (there != null && there != EntryKind.DIRECTORY) {
            throw new SystemCallException("mkdir", Errno.EEXIST);
        }
        if (there == null && path.length() > 0) {
            int mode = options.preserves(Preserve.MODE) ? PRIVATE : mode(source);
            commit(entry(path, EntryKind.DIRECTORY, mode, source, now(), null));
        }
    }

    private @Nullable EntryKind kindOf(ByteString path) {
        return catalogue.find(path).map(StagedFile::kind).orElse(null);
    }

    @Override
    public void finishDirectory(TreePath directory, EntryMetadata source) throws SystemCallException {
        ByteString path = path(directory);
        if (path.length() > 0) {
            FileStatus status = source.status();
            StagedFile finished = entry(path, EntryKind.DIRECTORY, mode(status), status, mtime(status), null);
            StagedFile there = catalogue.find(path).orElse(finished);
            commit(kept(there, finished));
        }
    }

    // As with cp, a directory that was there gets only what is preserved, and the time at which something was made in it.
    private StagedFile kept(StagedFile there, StagedFile finished) {
        StagedFile owned = options.preserves(Preserve.OWNERSHIP) ? finished : there;
        int mode = options.preserves(Preserve.MODE) ? finished.mode() : there.mode();
        return new StagedFile(finished.stage(), finished.path(), finished.id(), 1, finished.state(), finished.kind(), 0,
                mode, owned.owner(), owned.group(), finished.mtimeSeconds(), finished.mtimeNanos(), null, "", 0, 0)
                .saved(finished.isSaved());
    }

    private int mode(FileStatus source) {
        if (options.preserves(Preserve.MODE)) {
            return keptMode(source);
        }
        int asked = !options.newModes()
                ? source.permissions() & PERMISSIONS
                : source.kind() == EntryKind.DIRECTORY ? PERMISSIONS : NEW_FILE;
        return asked & ~process.umask();
    }

    // Without its owner, a set-id file would run as another user when it is copied out.
    private int keptMode(FileStatus source) {
        int kept = source.permissions();
        if (owner(source) != source.uid()) {
            kept &= ~LinuxConstants.S_ISUID;
        }
        if (group(source) != source.gid() && source.kind() != EntryKind.DIRECTORY) {
            kept &= ~LinuxConstants.S_ISGID;
        }
        return kept;
    }

    private static Timestamp now() {
        Instant now = Instant.now();
        return new Timestamp(now.getEpochSecond(), now.getNano());
    }

    private Timestamp mtime(FileStatus source) {
        return options.preserves(Preserve.TIMESTAMPS) ? source.mtime() : now();
    }

    private long owner(FileStatus source) {
        return options.preserves(Preserve.OWNERSHIP) ? source.uid() : process.effectiveUid();
    }

    private long group(FileStatus source) {
        return options.preserves(Preserve.OWNERSHIP) ? source.gid() : process.effectiveGid();
    }

    private StagedFile entry(ByteString path, EntryKind kind, int mode, FileStatus source, Timestamp mtime,
            @Nullable ByteString target) {
        return new StagedFile(catalogue.stage(), path, UUID.randomUUID(), 1, StagedState.COMMITTED, kind, 0, mode,
                owner(source), group(source), mtime.seconds(), mtime.nanos(), target, "", 0, 0)
                .saved(!Statuses.isOfStage(source));
    }

    private void commit(StagedFile entry) throws SystemCallException {
        try {
            store.commits().commit(entry);
        } catch (StageException e) {
            throw StageStore.failure(e);
        }
    }

    // A directory is never replaced, with or without entries.
    private static void checkNoDirectory(ByteString path, @Nullable StagedFile there, String operation)
            throws SystemCallException {
        if (path.length() == 0) {
            throw new SystemCallException("only a directory can become the top of a stage", Errno.EISDIR);
        }
        if (there != null && there.kind() == EntryKind.DIRECTORY) {
            throw new SystemCallException(operation, Errno.EISDIR);
        }
    }

    @Override
    public void makeLink(TreePath link, ByteString target, EntryMetadata source) throws SystemCallException {
        ByteString path = path(link);
        checkNoDirectory(path, catalogue.find(path).orElse(null), "symlink");
        FileStatus status = source.status();
        commit(entry(path, EntryKind.SYMLINK, PERMISSIONS, status, mtime(status), target));
    }

    @Override
    public void makeNode(TreePath node, EntryMetadata source) throws SystemCallException {
        throw new SystemCallException("a stage has regular files, directories and symbolic links only",
                Errno.EOPNOTSUPP);
    }

    @Override
    public NewFile create(TreePath file, EntryMetadata source) throws SystemCallException {
        ByteString path = path(file);
        if (store.servers().isEmpty()) {
            throw new SystemCallException("no server of the stage takes new segments", Errno.EROFS);
        }
        FileStatus status = source.status();
        StagedFile before = catalogue.find(path).orElse(null);
        int copies = copies(before);
        boolean isWhole = status.size() <= StageInOptions.DEFAULT_STRIPE;
        StripeLayout layout = isWhole
                ? new StripeLayout(store.placement().whole(status.size(), copies), 1, StageInOptions.DEFAULT_STRIPE,
                        copies)
                : new StripeLayout(store.placement().cut(), store.servers().size(), StageInOptions.DEFAULT_STRIPE,
                        copies);
        try {
            StagedFile intent = isWhole ? reserve() : store.stage().intent(path, layout, 0);
            StagedFile named = new StagedFile(intent.stage(), path, intent.id(), 1, StagedState.INTENT,
                    EntryKind.REGULAR, 0, mode(status), owner(status), group(status), 0, 0, null,
                    String.join(",", layout.servers()), layout.segments(), layout.stripe(), layout.copies(), "", false);
            if (!isWhole) {
                catalogue.begin(List.of(named));
            }
            boolean isRemote = layout.servers().stream().anyMatch(store::isRemote);
            return new Begun(path, before, status, new StageTargetFile(store.stage().open(named), status,
                    Statuses.device(catalogue.stage()), isRemote && !isWhole));
        } catch (StageException e) {
            throw StageStore.failure(e);
        }
    }

    private int copies(@Nullable StagedFile replaced) throws SystemCallException {
        try {
            return store.copies(replaced);
        } catch (StageException e) {
            throw StageStore.failure(e);
        }
    }

    /** Returns an intent that the catalogue has and no file uses yet. */
    private StagedFile reserve() throws StageException {
        if (reserved.isEmpty()) {
            StripeLayout anywhere = new StripeLayout(store.servers(), 1, StageInOptions.DEFAULT_STRIPE);
            List<StagedFile> more = new ArrayList<>();
            for (int i = 0; i < reservedAtOnce; i++) {
                more.add(store.stage().reserved(base, anywhere));
            }
            catalogue.begin(more);
            reserved.addAll(more);
            reservedAtOnce = Math.min(MOST_RESERVED, 2 * reservedAtOnce);
        }
        return reserved.removeFirst();
    }

    /** A file that has no path yet. */
    private final class Begun implements NewFile {
        private final ByteString path;
        private final @Nullable StagedFile before;
        private final FileStatus source;
        private final StageTargetFile data;
        // Not null once its segments are complete.
        private @Nullable StagedFile finished;

        Begun(ByteString path, @Nullable StagedFile before, FileStatus source, StageTargetFile data) {
            this.path = path;
            this.before = before;
            this.source = source;
            this.data = data;
        }

        @Override
        public TargetFile data() {
            return data;
        }

        @Override
        public void commit() throws SystemCallException {
            ParallelFile file = data.file();
            try {
                checkNoDirectory(path, before, "commit");
                data.settle();
                // A copy from a stage is in stages only, as its source may be.
                StagedFile complete = file.finish(mtime(source)).saved(!Statuses.isOfStage(source));
                finished = complete;
                StageTargetTree.this.commit(complete);
                store.tell(complete, notices);
            } catch (StageException e) {
                discard();
                throw StageStore.failure(e);
            } catch (SystemCallException e) {
                discard();
                throw e;
            }
            // After a failure of the catalogue it may have its path: 'treehaul stage check' finds it if it has none.
        }

        @Override
        public void discard() {
            try {
                StagedFile complete = finished;
                if (complete == null) {
                    data.file().abandon();
                } else {
                    catalogue.forget(List.of(complete.id()));
                    store.stage().removeSegments(complete);
                }
            } catch (StageException e) {
                // 'treehaul stage check' finds what is left over.
                return;
            }
        }
    }

    @Override
    public void close() {
        catalogue.forget(reserved.stream().map(StagedFile::id).toList());
        reserved.clear();
    }
}
