// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.store;

import java.util.Objects;
import java.util.OptionalLong;

/**
 * A user of a shared space.
 *
 * @param user name of the user, as the server knows it
 * @param right the rights of the user
 * @param isOfAll whether that concerns the tuples of all users, even if the space keeps users apart
 * @param uid the number by which nodes know the user; empty if none was given
 */
public record Member(String user, Right right, boolean isOfAll, OptionalLong uid) {
    /** The highest number of a user: 4294967295 means none. */
    private static final long LAST_UID = 4_294_967_294L;

    /** The rights of a user. */
    public enum Right {
        /** Read tuples and watch them. */
        READ,
        /** Also write and take tuples. */
        WRITE
    }

    /** @throws IllegalArgumentException when the name is empty, or the number is not that of a user */
    public Member {
        Objects.requireNonNull(right);
        if (user.isEmpty() || user.indexOf('\0') >= 0) {
            throw new IllegalArgumentException("a user has a name");
        }
        if (uid.isPresent() && (uid.getAsLong() < 0 || uid.getAsLong() > LAST_UID)) {
            throw new IllegalArgumentException("a uid is a number from 0 to " + LAST_UID);
        }
    }
}
