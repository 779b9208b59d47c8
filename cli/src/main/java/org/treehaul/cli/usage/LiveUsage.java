// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.usage;

import java.util.List;

import org.treehaul.cli.common.ExitCode;
import org.treehaul.cli.common.Session;
import org.treehaul.core.walk.Walker;
import org.treehaul.core.walk.options.Root;
import org.treehaul.core.walk.summary.TreeUsage;

/** Walks trees and prints the space that they use. */
final class LiveUsage {

    private final Session session;
    private final DuOptions options;
    private final Walker walker;
    private final List<Root> roots;

    LiveUsage(Session session, DuOptions options, Walker walker, List<Root> roots) {
        this.session = session;
        this.options = options;
        this.walker = walker;
        this.roots = roots;
    }

    ExitCode print() {
        GroupField field = options.by();
        boolean isComplete = field == null ? printPaths() : printGroups(field);
        session.summarize(session.progress().snapshot(), isComplete);
        return session.end(session.problems().counts(), isComplete && !session.output().isReaderGone())
                .ifAny(session.progress().snapshot().entries());
    }

    private boolean printPaths() {
        UsageReport report = options.report(session);
        TreeUsage sum = TreeUsage.of(walker, roots, options.usage(), report::add, session, session.progress(),
                session.cancellation());
        if (sum.isComplete()) {
            report.end();
            if (options.hasTotal()) {
                report.total(sum.total());
            }
        }
        return sum.isComplete();
    }

    private boolean printGroups(GroupField field) {
        TreeUsage.Groups<GroupField.Key> sums = TreeUsage.ofGroups(walker, roots, options.grouping(field),
                options.countsLinks(), session, session.progress(), session.cancellation());
        if (sums.isComplete()) {
            options.table(session, field).print(sums.groups(), options.most(), options.hasTotal());
        }
        return sums.isComplete();
    }
}
