// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.walk.summary;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;

import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.event.Event;
import org.treehaul.core.event.EventListener;
import org.treehaul.core.event.Progress;
import org.treehaul.core.walk.WalkHandler;
import org.treehaul.core.walk.WalkResult;
import org.treehaul.core.walk.WalkWorker;
import org.treehaul.core.walk.Walker;
import org.treehaul.core.walk.options.Root;

/**
 * Sums up the space of each directory of trees, or of groups of their entries, as du(1) does. It walks the roots one
 * after another, each with all threads, and counts each entry once: a file with several names, a root inside another
 * root, and an entry that several followed links lead to. Entries on another file system do not count at all if the
 * walker stays on one.
 *
 * <p>
 * A file with several names belongs to the directory, or the group, of the name that was found first. If several
 * threads walk, that may be another one in the next run; the sum of a directory that contains all names is the same.
 *
 * <p>
 * It keeps the sums of the directories that are not done, 11 to 22 bytes for each file with several names, and the sums
 * of the groups. If all links are followed, it keeps as much for each entry of any kind.
 *
 * @param total the space of all entries
 * @param isComplete whether all walks ran to their ends; entries that could not be read do not make it incomplete
 */
public record TreeUsage(Usage total, boolean isComplete) {

    /** The most groups that a thread sums up; entries of all others are in one more. */
    public static final int MOST_GROUPS = 100_000;

    /**
     * The space of groups of entries.
     *
     * @param groups the space of each group by its key
     * @param isComplete whether all walks ran to their ends
     */
    public record Groups<K>(Map<K, Usage> groups, boolean isComplete) {

        public Groups {
            groups = Map.copyOf(groups);
        }
    }

    /**
     * Sums up the space of each directory.
     *
     * @param walker must not be a part of a walk; without the status of each entry
     *        ({@link org.treehaul.core.walk.options.WalkOptions#withStatus}) it makes one system call less for each
     *        directory
     * @param receiver receives the paths that the options ask for, on any thread, several at once; a directory comes
     *        after everything below it, and a root after all roots before it
     * @param listener receives the entries that could not be read, on any thread
     * @param progress counts the entries while the walk runs
     * @throws IllegalArgumentException if other processes do a part of the walk
     */
    public static TreeUsage of(Walker walker, List<Root> roots, UsageOptions options, Consumer<PathUsage> receiver,
            EventListener listener, Progress progress, Cancellation cancellation) {
        Walks walks = new Walks(walker, roots, options.countLinks(), listener, progress, cancellation);
        UsageSums total = new UsageSums();
        boolean isComplete = walks.run(root -> new UsageHandler(root.path(), options, walks.once,
                !walker.options().status(), progress, walks::failed, receiver), handler -> total.add(handler.total()));
        return new TreeUsage(total.toUsage(), isComplete);
    }

    /**
     * Sums up the space of groups of entries.
     *
     * @param walker must not be a part of a walk
     * @param countLinks whether a file with several names counts once for each name
     * @param listener receives the entries that could not be read, on any thread
     * @param progress counts the entries while the walk runs
     * @throws IllegalArgumentException if other processes do a part of the walk
     */
    public static <K> Groups<K> ofGroups(Walker walker, List<Root> roots, UsageGrouping<K> grouping, boolean countLinks,
            EventListener listener, Progress progress, Cancellation cancellation) {
        Walks walks = new Walks(walker, roots, countLinks, listener, progress, cancellation);
        Map<K, UsageSums> sums = new HashMap<>();
        boolean isComplete = walks.run(root -> new GroupHandler<>(grouping, walks.once, progress, walks::failed),
                handler -> handler.groups()
                        .forEach((key, part) -> sums.computeIfAbsent(key, k -> new UsageSums()).add(part)));
        Map<K, Usage> groups = new HashMap<>();
        sums.forEach((key, sum) -> groups.put(key, sum.toUsage()));
        return new Groups<>(groups, isComplete);
    }

    /** The walks of the roots, one after another. */
    private static final class Walks {
        private final Walker walker;
        private final List<Root> roots;
        private final EventListener listener;
        private final Progress progress;
        private final Cancellation cancellation;
        final CountedOnce once;

        Walks(Walker walker, List<Root> roots, boolean countLinks, EventListener listener, Progress progress,
                Cancellation cancellation) {
            if (walker.isPart()) {
                throw new IllegalArgumentException("a directory can be summed up only by a process that walks it all");
            }
            this.walker = walker;
            this.roots = List.copyOf(roots);
            this.listener = listener;
            this.progress = progress;
            this.cancellation = cancellation;
            this.once = new CountedOnce(walker.options(), countLinks);
        }

        void failed(EntryFailure failure) {
            progress.entryFailed();
            listener.onEvent(new Event.Failed(failure));
        }

        <D, H extends WalkHandler<D>> boolean run(Function<Root, H> handlers, Consumer<H> ended) {
            for (Root root : roots) {
                WalkResult<H> result = walker.walkWith(List.of(root), (WalkWorker<D> worker) -> {
                    once.expect(worker.access(), roots);
                    return handlers.apply(root);
                }, cancellation, progress);
                result.workers().forEach(ended);
                if (!result.isComplete()) {
                    return false;
                }
            }
            return true;
        }
    }
}
