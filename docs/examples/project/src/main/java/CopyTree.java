// SPDX-License-Identifier: Apache-2.0
import java.nio.file.Path;
import java.util.List;
import org.treehaul.core.copy.TreeCopier;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.copy.options.CopyPair;
import org.treehaul.core.copy.outcome.CopyResult;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.Event;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.linux.Linux;

/** Copies a tree with its metadata and reads the copy back. Arguments: SOURCE TARGET. */
public final class CopyTree {

    public static void main(String[] args) {
        CopyOptions options = CopyOptions.archive().verify(CopyOptions.Verify.XXH3).build();
        List<CopyPair> pairs = List.of(CopyPair.of(Path.of(args[0]), Path.of(args[1])));
        CopyResult result = TreeCopier.of(Linux.calls(), options).copy(pairs, event -> {
            if (event instanceof Event.Failed failed) {
                System.err.println(failed.failure());
            }
        }, new Progress(), new Cancellation());
        System.out.println("copied " + result.counts().entries() + " entries");
        System.exit(result.isSuccess() ? 0 : 1);
    }
}
