// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.page;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.transfer.directory.TransferId;

/** Groups failures by their cause, with some paths of each group and a remedy. Memory does not grow with failures. */
final class FailureGroups {

    private static final int SHOWN = 10;

    private record Cause(EntryFailure.Kind kind, String operation, int errno) {}

    /** Failures with the same cause. */
    static final class Group {
        private final Cause cause;
        private final List<String> paths = new ArrayList<>();
        private long count;

        private Group(Cause cause) {
            this.cause = cause;
        }

        long count() {
            return count;
        }

        List<String> paths() {
            return paths;
        }

        String title() {
            String call = cause.errno == 0 ? cause.operation : cause.operation + ": " + Errno.describe(cause.errno);
            return switch (cause.kind) {
                case ERROR -> call;
                case VANISHED -> "vanished: " + call;
                case CHANGED -> "changed: " + call;
                case CORRUPT -> "reads back differently: " + call;
            };
        }

        /** Returns what the user can do. */
        String remedy(TransferId id) {
            String again = ", then 'treehaul resume " + id + "'.";
            return switch (cause.kind) {
                case VANISHED -> "The source was removed during the transfer. If it should exist, restore it" + again;
                case CHANGED -> "The source was written during the transfer. Stop the writers" + again;
                case CORRUPT ->
                    "The copy differs from its source. Check memory, disks and network of the hosts, then copy "
                            + "these entries again: 'treehaul errors -0 --relative " + id
                            + "' lists them for 'treehaul cp -0 --files-from -'.";
                case ERROR -> switch (cause.errno) {
                    case Errno.EACCES, Errno.EPERM ->
                        "Ask the owner for access, or run the transfer as a user who has it" + again;
                    case Errno.ENOSPC -> "The file system is full. Make room" + again;
                    case Errno.EDQUOT -> "A quota is used up. Make room or raise the quota" + again;
                    case Errno.EROFS -> "The file system is mounted read-only. Mount it for writing" + again;
                    case Errno.EIO -> "The storage reports a hardware error. Read the log of the kernel and of the "
                            + "storage server, repair it" + again;
                    case Errno.ESTALE, Errno.ENOTCONN, Errno.ETIMEDOUT ->
                        "The server was not reachable. When the mount answers again, run 'treehaul resume " + id + "'.";
                    case Errno.ENAMETOOLONG -> "The destination allows only shorter names. Rename the source" + again;
                    case Errno.EFBIG -> "The destination, or a limit (ulimit -f), allows only smaller files.";
                    case Errno.EOPNOTSUPP ->
                        "The destination cannot store this. Leave it out with --no-preserve in a new transfer.";
                    default -> "Remove the cause" + again;
                };
            };
        }
    }

    private final Map<Cause, Group> groups = new HashMap<>();

    void add(EntryFailure failure) {
        Group group = groups.computeIfAbsent(new Cause(failure.kind(), failure.operation(), failure.errno()),
                Group::new);
        group.count++;
        if (group.paths.size() < SHOWN) {
            group.paths.add(failure.fullPath().toString());
        }
    }

    /** Returns the groups, the largest first. */
    List<Group> largestFirst() {
        return groups.values()
                .stream()
                .sorted(Comparator.comparingLong(Group::count).reversed().thenComparing(Group::title))
                .toList();
    }
}
