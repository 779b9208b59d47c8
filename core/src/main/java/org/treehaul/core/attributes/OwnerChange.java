// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.attributes;

import static org.treehaul.core.fs.LinuxConstants.AT_EMPTY_PATH;

import java.util.OptionalLong;

import org.treehaul.core.annotation.Internal;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.SystemCallException;

/**
 * A change of the owner, of the group, or of both. Symbolic links are changed themselves. Immutable.
 *
 * <p>
 * The kernel clears the set-id bits of a file whose owner or group changes, see chown(2); they stay cleared. A file
 * that has the owner and the group already keeps them, because no call is made.
 *
 * @param user the new owner, 0 to 2^32-2; empty to keep it
 * @param group the new group, 0 to 2^32-2; empty to keep it
 * @param fromUser the owner that an entry must have to be changed; empty for any
 * @param fromGroup the group that an entry must have to be changed; empty for any
 */
public record OwnerChange(OptionalLong user, OptionalLong group, OptionalLong fromUser,
        OptionalLong fromGroup) implements AttributeChange {

    /** The largest number of a user or group: (uid_t) -1 means none in chown(2). */
    public static final long LARGEST = 0xFFFF_FFFEL;

    private static final int UNCHANGED = -1;

    /**
     * Checks the values.
     *
     * @throws IllegalArgumentException if a number is out of its range
     */
    public OwnerChange {
        check(user);
        check(group);
        check(fromUser);
        check(fromGroup);
    }

    private static void check(OptionalLong number) {
        if (number.isPresent() && (number.getAsLong() < 0 || number.getAsLong() > LARGEST)) {
            throw new IllegalArgumentException("not the number of a user or group: " + number.getAsLong());
        }
    }

    /** Returns the change of entries of any owner and group. */
    public static OwnerChange to(OptionalLong user, OptionalLong group) {
        return new OwnerChange(user, group, OptionalLong.empty(), OptionalLong.empty());
    }

    @Override
    public String attribute() {
        return "owner";
    }

    @Override
    public boolean isNeeded(FileStatus status) {
        boolean isChosen = fromUser.orElse(status.uid()) == status.uid()
                && fromGroup.orElse(status.gid()) == status.gid();
        return isChosen && (user.orElse(status.uid()) != status.uid() || group.orElse(status.gid()) != status.gid());
    }

    @Override
    public String before(FileStatus status) {
        return status.uid() + ":" + status.gid();
    }

    @Override
    public String after(FileStatus status) {
        return isNeeded(status) ? user.orElse(status.uid()) + ":" + group.orElse(status.gid()) : before(status);
    }

    // Until then, the new owner cannot exchange what is below.
    @Override
    public boolean isBeforeContent(FileStatus directory) {
        return false;
    }

    @Override
    public boolean isRepeatable() {
        return true;
    }

    @Override
    @Internal
    public void make(OpenNode node, FileStatus status) throws SystemCallException {
        FileAccess.check("chown",
                node.calls()
                        .fchownat(node.descriptor(), FileAccess.emptyName(), id(user, status.uid()),
                                id(group, status.gid()), AT_EMPTY_PATH));
    }

    private static int id(OptionalLong wanted, long found) {
        return wanted.isEmpty() || wanted.getAsLong() == found ? UNCHANGED : (int) wanted.getAsLong();
    }
}
