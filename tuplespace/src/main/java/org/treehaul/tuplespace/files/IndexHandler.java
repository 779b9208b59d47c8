// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.files;

import java.util.List;
import java.util.Set;

import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.walk.FoundEntry;
import org.treehaul.core.walk.Step;
import org.treehaul.core.walk.WalkDirectory;
import org.treehaul.core.walk.WalkHandler;
import org.treehaul.core.walk.WalkWorker;

/** Makes tuples of what one thread of a walk finds, and hands them on directory by directory. */
final class IndexHandler implements WalkHandler<GatheredDirectory> {

    private final IndexRun run;

    IndexHandler(IndexRun run) {
        this.run = run;
    }

    @Override
    public Step entry(FoundEntry<GatheredDirectory> found) throws SystemCallException {
        FileStatus status = found.status();
        EntryKind kind = status.kind();
        ByteString target = kind == EntryKind.SYMLINK
                ? found.access().linkTarget(found.parentDescriptor(), found.name())
                : null;
        WalkDirectory<GatheredDirectory> parent = found.parent();
        if (parent == null) {
            ByteString path = run.root(found.rootIndex());
            run.foundRoot(found.rootIndex(), FileTuple.of(FileTuple.directoryOf(path), FileTuple.nameOf(path), status,
                    target, run.generation()));
        } else {
            GatheredDirectory directory = parent.attachment();
            FileTuple tuple = FileTuple.of(directory.path(), ByteString.of(found.nameBytes()), status, target,
                    run.generation());
            run.found(tuple);
            List<FileTuple> part = directory
                    .add(run.isHashing() && kind == EntryKind.REGULAR ? run.hashed(tuple, directory, found) : tuple);
            if (!part.isEmpty()) {
                run.put(new Listing(directory.path(), part, Set.of(), false));
            }
        }
        run.count(found.rootIndex(), kind, status.size());
        return run.isUsable() ? Step.CONTINUE : Step.QUIT;
    }

    @Override
    public GatheredDirectory enter(WalkDirectory<GatheredDirectory> directory, WalkWorker<GatheredDirectory> worker) {
        WalkDirectory<GatheredDirectory> parent = directory.parent();
        ByteString path = parent == null
                ? run.root(directory.rootIndex())
                : FileTuple.join(parent.attachment().path(), ByteString.of(directory.path().nameBytes()));
        return run.enter(directory.rootIndex(), path, parent == null, directory.status());
    }

    @Override
    public void leave(WalkDirectory<GatheredDirectory> directory, WalkWorker<GatheredDirectory> worker) {
        if (directory.isAttached() && !directory.attachment().isElsewhere()) {
            // It was removed while it was listed. The tuples of what was listed before need their directory, until the next
            // run finds all of that gone.
            run.failures().replace(directory.attachment().path(), EntryFailure.Kind.VANISHED, EntryFailure.Kind.ERROR);
            run.put(directory.attachment().end(run.failures(), !directory.isIncomplete(), run.generation()));
        }
    }

    @Override
    public void failed(EntryFailure failure) {
        run.failed(failure);
    }
}
