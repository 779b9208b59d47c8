// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.find;

import java.util.List;
import java.util.concurrent.Callable;

import org.treehaul.cli.common.CommonOptions;
import org.treehaul.cli.common.ExitCode;
import org.treehaul.cli.common.SelectOptions;
import org.treehaul.cli.common.Session;
import org.treehaul.cli.space.SpaceOption;
import org.treehaul.core.condition.FileQuery;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.walk.TreeWalker;
import org.treehaul.core.walk.Walker;
import org.treehaul.core.walk.options.Root;
import org.treehaul.core.walk.options.WalkOptions;
import org.treehaul.tuplespace.files.FileIndex;
import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.store.SpaceUri;
import picocli.CommandLine.Model.CommandSpec;

/** {@code treehaul find}: lists the entries of live trees that meet conditions. */
public final class FindCommand implements Callable<Integer> {

    public final CommandSpec spec = CommandSpec.wrapWithoutInspection(this);
    private final SelectOptions select = new SelectOptions(spec);
    private final CommonOptions common = new CommonOptions(spec);
    private final FindOptions find = new FindOptions(spec, common);

    /** Defines the command for Picocli. */
    public FindCommand() {
        spec.name("find");
        spec.usageMessage()
                .header("Find entries of trees by conditions.")
                .customSynopsis("treehaul find [OPTION]... [ROOT]... [CONDITION]...")
                .description(
                        "%nPrints the paths of the entries at and below each ROOT, by default the working directory, that meet every "
                                + "CONDITION: a field, an operator and values. The words or, not, ( and ) combine conditions. Quote "
                                + "conditions, because the shell interprets <, >, ( and *.%n")
                .footer("%nExamples:", "  treehaul find /data kind=regular 'size>1G' 'age>30d'",
                        "  treehaul find /data '(' extension=h5 or 'name~=*.hdf*' ')' not owner=alice",
                        "  treehaul find /data kind=directory empty=yes --exec-batch rmdir",
                        "  treehaul find /data --printf '%%s %%p\\n' 'size>1G'",
                        "  treehaul find --index ~/data.space --long /data 'size>1G'",
                        "%nExit codes: 0 all read, whether or not entries were found, 2 nothing could be read, 20 interrupted, "
                                + "23 some entries could not be read or the command of --exec failed, 24 some vanished.");
    }

    @Override
    public Integer call() {
        boolean endsWithNul = select.nul && select.filesFrom == null;
        find.check(endsWithNul);
        SpaceUri index = find.index(select.isSelective() || select.filesFrom != null);
        if (index != null) {
            return inIndex(index, endsWithNul);
        }
        WalkOptions options = WalkOptions.defaults()
                .withSymlinks(find.symlinks)
                .withOneFileSystem(select.oneFileSystem)
                .withFilter(select.filter())
                .withThreads(common.threads)
                .withWhere(find.where())
                .withStatus(false);
        List<Root> roots = select.roots(find.roots());
        try (Session session = Session.begin(common, true)) {
            Walker walker = TreeWalker.of(Linux.calls(), options);
            return new FindRun(session, new EntryLister.OfTrees(session, walker, roots), find, endsWithNul).code();
        }
    }

    private int inIndex(SpaceUri space, boolean endsWithNul) {
        FileQuery where = find.where();
        try (Session session = Session.begin(common, true)) {
            try (FileIndex index = FileIndex.open(space)) {
                FindRun.Source entries = new IndexedLister(session, index, find.roots(), where);
                return new FindRun(session, entries, find, endsWithNul).code();
            } catch (SpaceException e) {
                session.screen().error(SpaceOption.explain(e, space));
                return ExitCode.TROUBLE.code();
            }
        }
    }
}
