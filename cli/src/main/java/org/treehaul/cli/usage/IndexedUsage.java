// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.usage;

import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;

import org.treehaul.cli.common.ExitCode;
import org.treehaul.cli.common.Session;
import org.treehaul.cli.space.SpaceOption;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.event.Event;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.PrivateFiles;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.walk.summary.Usage;
import org.treehaul.tuplespace.files.AbsolutePath;
import org.treehaul.tuplespace.files.FileIndex;
import org.treehaul.tuplespace.files.IndexedRoot;
import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.store.SpaceUri;

/** Prints the space that trees used when they were indexed. */
final class IndexedUsage {

    private final Session session;
    private final DuOptions options;
    private final SpaceUri space;
    private final List<ByteString> operands;

    IndexedUsage(Session session, DuOptions options, SpaceUri space, List<ByteString> operands) {
        this.session = session;
        this.options = options;
        this.space = space;
        this.operands = operands;
    }

    ExitCode print() {
        try (FileIndex index = FileIndex.open(space)) {
            List<ByteString> names = new ArrayList<>();
            List<ByteString> roots = roots(index, names);
            UsageReport report = options.report(session);
            Usage total = index.usage(roots, names, options.usage(), report::add, session.progress(),
                    session.cancellation());
            boolean isComplete = !session.cancellation().isCancelled();
            if (isComplete) {
                report.end();
                if (options.hasTotal()) {
                    report.total(total);
                }
            }
            session.summarize(session.progress().snapshot(), isComplete);
            return session.end(session.problems().counts(), isComplete && !session.output().isReaderGone())
                    .ifAny(total.entries());
        } catch (SpaceException e) {
            session.screen().error(SpaceOption.explain(e, space));
        } catch (UncheckedIOException e) {
            session.screen().error(PrivateFiles.describe(e));
        }
        return ExitCode.TROUBLE;
    }

    private List<ByteString> roots(FileIndex index, List<ByteString> names) {
        List<ByteString> all = index.roots().stream().map(IndexedRoot::root).toList();
        if (all.isEmpty()) {
            session.screen().note(SpaceOption.NO_INDEX);
        }
        if (operands.isEmpty()) {
            names.addAll(all);
            return all;
        }
        List<ByteString> roots = new ArrayList<>();
        for (ByteString operand : operands) {
            try {
                ByteString root = AbsolutePath.of(Linux.calls(), operand);
                if (!index.contains(root)) {
                    throw new SystemCallException("find in the index", Errno.ENOENT);
                }
                roots.add(root);
                names.add(operand);
            } catch (SystemCallException e) {
                session.progress().entryFailed();
                session.onEvent(new Event.Failed(EntryFailure.of(operand, TreePath.root(), e)));
            }
        }
        return roots;
    }
}
