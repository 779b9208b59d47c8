// SPDX-License-Identifier: Apache-2.0
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.copy.options.CopyPair;
import org.treehaul.core.copy.outcome.CopyResult;
import org.treehaul.core.copy.TreeCopier;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.Entry;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.event.Event;
import org.treehaul.core.event.EventListener;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.walk.options.Root;
import org.treehaul.core.walk.Step;
import org.treehaul.core.walk.TreeVisitor;
import org.treehaul.core.walk.TreeWalker;
import org.treehaul.core.walk.options.WalkOptions;
import org.treehaul.core.walk.WalkResult;

/**
 * Walks a tree, then copies it with proof, hears what fails, looks at the progress, and gives up when it takes too long.
 *
 * <pre>
 * java --enable-native-access=ALL-UNNAMED -cp treehaul.jar CopyAndWatch.java SOURCE TARGET
 * </pre>
 */
public final class CopyAndWatch {

    /** One for each thread, so it counts without locks. */
    private static final class Sizes implements TreeVisitor {
        private long files;
        private long bytes;

        @Override
        public Step visit(Entry entry) {
            if (entry.kind() == EntryKind.REGULAR) {
                files++;
                bytes += entry.status().orElseThrow().size();
            }
            return Step.CONTINUE;
        }

        @Override
        public void failed(EntryFailure failure) {
            System.out.println("not read: " + failure);
        }
    }

    /** Exits with 0 when every entry was copied. */
    public static void main(String[] args) {
        FileSystemCalls calls = Linux.calls();
        // Names are bytes: a program that has them as Strings says so here, once.
        Root source = Root.of(ByteString.of(args[0]));
        ByteString target = ByteString.of(Path.of(args[1]).toString());
        Cancellation cancellation = new Cancellation();

        WalkResult<Sizes> walk = TreeWalker.of(calls, WalkOptions.defaults())
                .walk(List.of(source), Sizes::new, cancellation);
        long files = walk.workers().stream().mapToLong(sizes -> sizes.files).sum();
        long bytes = walk.workers().stream().mapToLong(sizes -> sizes.bytes).sum();
        System.out.println("found " + files + " files, " + bytes + " bytes");

        CopyOptions options = CopyOptions.archive().verify(CopyOptions.Verify.XXH3).build();
        EventListener listener = event -> {
            switch (event) {
                case Event.Failed failed -> System.out.println("failed: " + failed.failure());
                case Event.Notice notice -> System.out.println("notice: " + notice.text());
                case Event.Ran ran -> {
                }
                case Event.Removed removed -> {
                    // A copy removes nothing of the user.
                }
                case Event.Changed changed -> {
                    // A copy reports no attributes.
                }
                case Event.Done done -> {
                }
            }
        };
        Progress progress = new Progress();
        CopyResult result;
        try (ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor()) {
            clock.schedule(cancellation::cancel, Duration.ofHours(8).toSeconds(), TimeUnit.SECONDS);
            clock.scheduleAtFixedRate(() -> System.out.println(progress.snapshot().bytes() + " of " + bytes), 10, 10,
                    TimeUnit.SECONDS);
            try {
                result = TreeCopier.of(calls, options)
                        .copy(List.of(new CopyPair(source, target)), listener, progress, cancellation);
            } finally {
                // Otherwise its end would wait for the eight hours.
                clock.shutdownNow();
            }
        }
        System.out.println("copied " + result.counts().files() + " files, read back "
                + result.counts().verifiedBytes() + " bytes");
        System.exit(result.isSuccess() ? 0 : 1);
    }
}
