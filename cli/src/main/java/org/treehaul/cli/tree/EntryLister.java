// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.tree;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;

import org.jspecify.annotations.Nullable;
import org.treehaul.cli.common.Session;
import org.treehaul.cli.report.EntryJson;
import org.treehaul.cli.report.JsonLines;
import org.treehaul.cli.report.Output;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.event.Event;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.walk.FoundEntry;
import org.treehaul.core.walk.Step;
import org.treehaul.core.walk.WalkDirectory;
import org.treehaul.core.walk.WalkHandler;
import org.treehaul.core.walk.WalkResult;
import org.treehaul.core.walk.WalkWorker;
import org.treehaul.core.walk.Walker;
import org.treehaul.core.walk.options.Root;

/** Prints each entry of a walk. Each thread collects its own lines and writes many at once. */
final class EntryLister implements WalkHandler<byte[]> {

    private static final int FULL = 32 * 1024;

    private final Session session;
    private final List<Root> roots;
    private final Output output;
    private final byte end;
    private final boolean escapes;
    private final @Nullable JsonLines json;
    private byte[] lines = new byte[FULL + 8192];
    private int used;

    private EntryLister(Session session, List<Root> roots, boolean endsWithNul) {
        this.session = session;
        this.roots = roots;
        this.output = session.output();
        this.end = (byte) (endsWithNul ? 0 : '\n');
        this.escapes = session.escapes() && !endsWithNul;
        this.json = session.json().isPresent() ? new JsonLines(output) : null;
    }

    /** Prints all entries, and returns whether the walk ran to its end. */
    static boolean list(Session session, Walker walking, List<Root> roots, boolean endsWithNul) {
        WalkResult<EntryLister> result = walking.walkWith(roots, worker -> new EntryLister(session, roots, endsWithNul),
                session.cancellation(), workers -> session.progress()
                        .setBusy(() -> workers.stream().map(WalkWorker::current).flatMap(Optional::stream).toList()));
        result.workers().forEach(EntryLister::flush);
        return result.isComplete();
    }

    @Override
    public Step entry(FoundEntry<byte[]> found) throws SystemCallException {
        WalkDirectory<byte[]> parent = found.parent();
        byte[] prefix = parent == null ? new byte[0] : parent.attachment();
        byte[] name = found.nameBytes();
        if (json == null) {
            append(prefix, name);
        } else {
            byte[] path = Arrays.copyOf(prefix, prefix.length + name.length);
            System.arraycopy(name, 0, path, prefix.length, name.length);
            EntryJson.write(json, ByteString.of(path), found.toEntry(true));
        }
        session.progress().entryDone();
        if (found.kind() == EntryKind.REGULAR) {
            session.progress().fileDone();
        } else if (found.kind() == EntryKind.DIRECTORY) {
            session.progress().directoryDone();
        }
        return output.isUsable() ? Step.CONTINUE : Step.QUIT;
    }

    private void append(byte[] prefix, byte[] name) {
        if (escapes) {
            byte[] path = Arrays.copyOf(prefix, prefix.length + name.length);
            System.arraycopy(name, 0, path, prefix.length, name.length);
            output.line(ByteString.escape(path));
            return;
        }
        int length = prefix.length + name.length + 1;
        if (length > lines.length - used) {
            flush();
            if (length > lines.length) {
                lines = new byte[length * 2];
            }
        }
        System.arraycopy(prefix, 0, lines, used, prefix.length);
        System.arraycopy(name, 0, lines, used + prefix.length, name.length);
        used += length;
        lines[used - 1] = end;
        if (used >= FULL) {
            flush();
        }
    }

    private void flush() {
        output.write(lines, used);
        used = 0;
        if (json != null) {
            json.flush();
        }
    }

    @Override
    public byte[] enter(WalkDirectory<byte[]> directory, WalkWorker<byte[]> worker) {
        WalkDirectory<byte[]> parent = directory.parent();
        byte[] head = parent == null ? new byte[0] : parent.attachment();
        byte[] name = parent == null ? roots.get(directory.rootIndex()).path().toBytes() : directory.path().nameBytes();
        boolean needsSlash = name[name.length - 1] != '/';
        byte[] prefix = Arrays.copyOf(head, head.length + name.length + (needsSlash ? 1 : 0));
        System.arraycopy(name, 0, prefix, head.length, name.length);
        prefix[prefix.length - 1] = '/';
        return prefix;
    }

    @Override
    public void failed(EntryFailure failure) {
        session.progress().entryFailed();
        session.onEvent(new Event.Failed(failure));
    }
}
