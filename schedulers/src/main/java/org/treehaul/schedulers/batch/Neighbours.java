// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.batch;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.LongPath;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.plan.format.Plan;
import org.treehaul.core.plan.format.PlanException;
import org.treehaul.core.plan.format.PlanHeader;
import org.treehaul.core.plan.format.PlannedRoot;
import org.treehaul.core.transfer.Transfers;
import org.treehaul.core.transfer.directory.StateDirectory;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.directory.TransferId;

/** Finds unfinished transfers of the user that write to the same place as a new one. */
final class Neighbours {

    private Neighbours() {}

    /**
     * Returns a warning for each of them. Two transfers that write to the same place damage no file, but either may
     * write last.
     */
    static List<String> of(FileSystemCalls calls, TransferDirectory transfer) {
        List<String> notices = new ArrayList<>();
        try (FileAccess access = FileAccess.open(calls)) {
            Places own = new Places(access, Plan.open(transfer.plan()).header().roots());
            for (TransferId id : Transfers.in(transfer.stateDirectory()).list()) {
                Path plan = transfer.path().resolveSibling(id.text()).resolve(transfer.plan().getFileName());
                if (!id.equals(transfer.id())) {
                    shared(access, own, plan)
                            .ifPresent(place -> notices.add("transfer " + id + " is not finished and writes to " + place
                                    + " too: if both copy the same file, either may be the last"));
                }
            }
        } catch (PlanException e) {
            // Without a plan of its own it does not write anywhere.
        } catch (IOException e) {
            notices.add("cannot read other transfers: " + StateDirectory.reason(e));
        }
        return notices;
    }

    // Returns the place that a transfer with this plan writes to as well, if it is not finished.
    private static Optional<ByteString> shared(FileAccess access, Places own, Path plan) {
        try {
            if (!Plan.exists(plan)) {
                return Optional.empty();
            }
            PlanHeader other = Plan.header(plan);
            // Nearly all are finished: their tokens are gone, and nothing else is read of them.
            return other.tokenDirectories().stream().anyMatch(directory -> exists(access, directory, other.token()))
                    ? shared(own, new Places(access, other.roots()))
                    : Optional.empty();
        } catch (PlanException e) {
            // A damaged plan does not write anywhere.
            return Optional.empty();
        }
    }

    /**
     * A place identified by the existing directory: paths that lead to it through different symbolic links are equal.
     *
     * @param rest the names below the deepest directory that exists
     */
    private record Place(long device, long inode, ByteString rest) {

        static Place of(FileAccess access, ByteString path) {
            byte[] bytes = path.toBytes();
            for (int length = bytes.length; length > 0; length = parentLength(bytes, length)) {
                try {
                    FileStatus found = LongPath.status(access, ByteString.of(bytes, 0, length), true);
                    return new Place(found.device(), found.inode(),
                            ByteString.of(Arrays.copyOfRange(bytes, length, bytes.length)));
                } catch (SystemCallException missing) {
                    // The directory above it may exist.
                }
            }
            return new Place(0, 0, path);
        }
    }

    // Returns the length of the parent directory's path, 0 for none.
    private static int parentLength(byte[] path, int length) {
        int end = length;
        while (end > 0 && path[end - 1] != '/') {
            end--;
        }
        return end > 1 ? end - 1 : end == 1 && length > 1 ? 1 : 0;
    }

    /** The places of the roots of a transfer, and of all directories above them. */
    private static final class Places {
        private final FileAccess access;
        private final Map<ByteString, Place> known = new HashMap<>();
        private final Map<Place, ByteString> roots = new LinkedHashMap<>();
        private final Map<Place, ByteString> above = new HashMap<>();

        Places(FileAccess access, List<PlannedRoot> planned) {
            this.access = access;
            for (PlannedRoot root : planned) {
                byte[] path = root.place().toBytes();
                roots.put(place(root.place()), root.place());
                for (int length = path.length; length > 0; length = parentLength(path, length)) {
                    above.putIfAbsent(place(ByteString.of(Arrays.copyOf(path, length))), root.place());
                }
            }
        }

        private Place place(ByteString path) {
            return known.computeIfAbsent(path, any -> Place.of(access, path));
        }

        /** Returns a root that equals, or is below, a root of the others. */
        Optional<ByteString> in(Places others) {
            return others.roots.keySet().stream().map(above::get).filter(Objects::nonNull).findFirst();
        }
    }

    // Returns the place itself, or the inner one if one target contains the other. Separate targets do not conflict.
    private static Optional<ByteString> shared(Places own, Places others) {
        return own.in(others).or(() -> others.in(own));
    }

    private static boolean exists(FileAccess access, ByteString directory, String token) {
        byte[] name = token.getBytes(StandardCharsets.US_ASCII);
        try {
            LongPath.status(access, TreePath.of(name).below(directory), false);
            return true;
        } catch (SystemCallException e) {
            return false;
        }
    }
}
