// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.space;

import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;

import org.treehaul.cli.args.Options;
import org.treehaul.cli.common.CommonOptions;
import org.treehaul.cli.common.Session;
import org.treehaul.cli.report.Text;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.tuplespace.TupleSpaces;
import org.treehaul.tuplespace.files.FileGroup;
import org.treehaul.tuplespace.files.FileIndex;
import org.treehaul.tuplespace.files.IndexedRoot;
import org.treehaul.tuplespace.files.index.ForgottenTree;
import org.treehaul.tuplespace.files.index.IndexOptions;
import org.treehaul.tuplespace.files.index.Indexer;
import org.treehaul.tuplespace.store.SpaceUri;
import picocli.CommandLine.Model.CommandSpec;

/** Uses of {@code index} that read no tree: to describe the index, and to remove trees from it. */
final class IndexUpkeep {

    private final CommonOptions common;
    private final SpaceOption space;
    private final List<ByteString> missing = new CopyOnWriteArrayList<>();
    private boolean describes;
    private boolean forgets;

    /** Adds the options to a command. */
    IndexUpkeep(CommandSpec command, CommonOptions common, SpaceOption space) {
        this.common = common;
        this.space = space;
        Options.add(command, Options.flag(value -> describes = value, "--info"),
                "Print the indexed trees with their entries, bytes and the time at which they were read, and the size of "
                        + "the index. Reads no tree.");
        Options.add(command, Options.flag(value -> forgets = value, "--forget"),
                "Remove each ROOT and the entries below it from the index. The trees themselves are not touched and "
                        + "need not exist.");
    }

    /** Returns whether no tree is to be read. */
    boolean isWanted() {
        return describes || forgets;
    }

    /** Checks the operands. */
    void check(List<ByteString> roots) {
        if (describes && (forgets || !roots.isEmpty())) {
            throw common.usage("--info takes no ROOT and no --forget");
        }
        if (forgets && roots.isEmpty()) {
            throw common.usage("--forget needs a ROOT; 'treehaul index --info' lists those of the index");
        }
    }

    /** Describes the index, or removes trees from it. */
    void run(Session session, List<ByteString> roots) throws IOException {
        if (describes) {
            describe(session);
            return;
        }
        for (ForgottenTree tree : Indexer.of(Linux.calls(), IndexOptions.defaults()).forget(space.space(), roots)) {
            session.json()
                    .ifPresentOrElse(json -> json.begin("forgotten")
                            .path("root", tree.root())
                            .number("entries", tree.entries())
                            .end(), () -> {
                                if (!common.isQuiet()) {
                                    session.screen()
                                            .note("removed " + tree.root() + " with "
                                                    + Text.count(tree.entries(), "entry", "entries")
                                                    + " from the index");
                                }
                            });
        }
    }

    private void describe(Session session) throws IOException {
        SpaceUri named = space.space();
        List<IndexedRoot> roots;
        List<FileGroup> trees = new ArrayList<>();
        Optional<String> condition;
        try (FileIndex index = FileIndex.open(named)) {
            roots = index.roots();
            condition = index.condition();
            roots.forEach(root -> trees.add(index.tree(root.root())));
        }
        long size = TupleSpaces.bytes(named);
        String name = SpaceOption.name(named);
        session.json().ifPresentOrElse(json -> {
            for (int i = 0; i < trees.size(); i++) {
                json.begin("root")
                        .path("root", roots.get(i).root())
                        .number("entries", trees.get(i).count())
                        .number("size", trees.get(i).size())
                        .number("blocks", trees.get(i).blocks())
                        .number("generation", roots.get(i).generation())
                        .number("failures", roots.get(i).failures())
                        .text("finished", time(roots.get(i)).toString())
                        .end();
            }
            json.begin("space").text("space", name).number("roots", trees.size()).number("size", size);
            condition.ifPresent(text -> json.text("where", text));
            json.end();
        }, () -> {
            for (int i = 0; i < trees.size(); i++) {
                FileGroup tree = trees.get(i);
                long failures = roots.get(i).failures();
                session.output()
                        .line(tree.value() + ": " + Text.count(tree.count(), "entry", "entries") + ", "
                                + Text.bytes(tree.size()) + ", read " + Text.dateTime(time(roots.get(i)))
                                + (failures == 0 ? "" : ", " + Text.count(failures) + " not readable"));
            }
            session.output()
                    .line(name + ": " + Text.count(trees.size(), "tree", "trees") + ", " + Text.bytes(size)
                            + condition.map(text -> ", entries that meet '" + text + "'").orElse(""));
        });
    }

    /** Returns when a tree was read. */
    static Instant time(IndexedRoot root) {
        return Instant.EPOCH.plusNanos(root.finished());
    }

    /** Takes a failure of an index run, on any thread. */
    void onFailure(EntryFailure failure) {
        if (failure.errno() == Errno.ENOENT && failure.path().isRoot()) {
            missing.add(failure.root());
        }
    }

    /** Explains how to remove trees that a run did not find from the index. */
    void explain(Session session) {
        if (missing.isEmpty() || !TupleSpaces.exists(space.space())) {
            return;
        }
        try (FileIndex index = FileIndex.open(space.space())) {
            for (IndexedRoot root : index.roots()) {
                if (missing.contains(root.root())) {
                    session.screen()
                            .note("the index keeps the entries of " + root.root() + "; 'treehaul index --space "
                                    + SpaceOption.name(space.space()) + " --forget " + root.root() + "' removes them");
                }
            }
        }
    }
}
