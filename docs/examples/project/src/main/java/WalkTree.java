// SPDX-License-Identifier: Apache-2.0
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.walk.Step;
import org.treehaul.core.walk.TreeVisitor;
import org.treehaul.core.walk.TreeWalker;
import org.treehaul.core.walk.options.Root;
import org.treehaul.core.walk.options.WalkOptions;

/** Counts the entries of a tree and sums their sizes, with many threads. Argument: TREE. */
public final class WalkTree {

    public static void main(String[] args) {
        LongAdder entries = new LongAdder();
        LongAdder bytes = new LongAdder();
        TreeVisitor visitor = entry -> {
            entries.increment();
            entry.status().ifPresent(status -> bytes.add(status.size()));
            return Step.CONTINUE;
        };
        // Each thread calls the supplier for a visitor of its own; this one may serve all of them.
        TreeWalker.of(Linux.calls(), WalkOptions.defaults())
                .walk(List.of(Root.of(Path.of(args[0]))), () -> visitor, new Cancellation());
        System.out.println(entries + " entries, " + bytes + " bytes");
    }
}
