// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.space;

import java.io.UncheckedIOException;
import java.util.concurrent.Callable;

import org.treehaul.cli.common.CommonOptions;
import org.treehaul.cli.common.ExitCode;
import org.treehaul.cli.common.Session;
import org.treehaul.core.condition.FileField;
import org.treehaul.core.condition.FileQuery;
import org.treehaul.core.fs.PrivateFiles;
import org.treehaul.tuplespace.files.FileIndex;
import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.store.SpaceUri;
import picocli.CommandLine.Model.CommandSpec;

/** {@code treehaul query}: searches the index that {@code index} has made. */
public final class QueryCommand implements Callable<Integer> {

    public final CommandSpec spec = CommandSpec.wrapWithoutInspection(this);
    private final QueryOptions which = new QueryOptions(spec);
    private final CommonOptions common = CommonOptions.ofOneThread(spec);
    private final SpaceOption space = new SpaceOption(spec);
    private final QueryAnswer answer = new QueryAnswer(spec, which, common);

    /** Defines the command for Picocli. */
    public QueryCommand() {
        spec.name("query");
        spec.usageMessage()
                .header("Query an index.")
                .customSynopsis("treehaul query [OPTION]... --space DIR [CONDITION]...")
                .description(
                        "%nPrints the paths of the entries that meet every CONDITION: a field, an operator and values. Fields: "
                                + FileField.names()
                                + ". Operators: = != < <= > >=, ^= for a prefix, ~= and !~= in any case. The words or, not, ( and ) combine "
                                + "conditions. Quote conditions, because the shell interprets <, > and *.%n")
                .footer("%nExamples:", "  treehaul query --space ~/scratch.space kind=regular owner=alice 'size>1G'",
                        "  treehaul query --space ~/scratch.space --group-by owner 'mtime<-1y'",
                        "  treehaul query --space ~/scratch.space -0 --below /scratch kind=regular 'name=*.h5' |",
                        "    treehaul cp -aT -0 --files-from - /scratch /archive",
                        "%nExit codes: 0 done, whether or not entries were found; 2 wrong usage, or the index cannot be used; 20 interrupted.");
    }

    @Override
    public Integer call() {
        answer.check();
        SpaceUri where = space.space();
        FileQuery query = answer.isAboutWork() ? FileQuery.all() : which.query();
        // A query ends before a bar would be useful, and a bar would break up the results.
        common.progress = CommonOptions.When.never;
        try (Session session = Session.begin(common, true)) {
            try {
                if (answer.isAboutWork()) {
                    answer.printWork(session, where);
                } else {
                    printFiles(session, where, query);
                }
                QueryOptions.explainMoment(session, where, common.verbosity() > 0);
            } catch (SpaceException e) {
                session.screen().error(space.explain(e));
                return ExitCode.TROUBLE.code();
            } catch (UncheckedIOException e) {
                session.screen().error(PrivateFiles.describe(e));
                return ExitCode.TROUBLE.code();
            } catch (ArithmeticException e) {
                session.screen().error("the sum is more than 8 EiB; query parts of it");
                return ExitCode.TROUBLE.code();
            }
            boolean isComplete = !session.cancellation().isCancelled() && !session.output().isReaderGone();
            return session.end(session.problems().counts(), isComplete).code();
        }
    }

    private void printFiles(Session session, SpaceUri where, FileQuery query) {
        try (FileIndex index = FileIndex.open(where)) {
            which.checkBelow(session, index);
            answer.print(session, index, query);
            which.explainBelow(session, index);
            which.printAge(session, index, common.verbosity() > 0);
        }
    }
}
