// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.store;

import java.util.List;

/**
 * The users of a space that an administrator shares. The server checks their rights at each operation. Any thread may
 * call the methods; each connects for itself and is one atomic step.
 */
public interface SpaceMembers {

    /** The tuples that a member sees and may take. */
    enum Visibility {
        /** Those of all members. */
        ALL,
        /** Those that the member has written, as the server recorded it. */
        OWN
    }

    /**
     * Makes an empty space, which has no member yet.
     *
     * @throws SpaceException when that fails; nothing is made. DENIED when the role may not make roles and schemas, IO
     *         when the space exists
     */
    void create(Visibility visibility);

    /**
     * Admits a user who exists on the server, or changes the rights of a member.
     *
     * @throws SpaceException when that fails; nothing has changed. ABSENT when the space or the user does not exist,
     *         DENIED when the role does not administer the space, UNSUPPORTED when the space was not made by
     *         {@link #create}
     */
    void grant(Member member);

    /**
     * Takes all rights from a user, also those of processes that have the space open. Tuples of the user stay.
     *
     * @return whether the user was a member
     * @throws SpaceException as {@link #grant} does
     */
    boolean revoke(String user);

    /**
     * Returns the members, in order of their names. Members may call it.
     *
     * @throws SpaceException as {@link #grant} does
     */
    List<Member> list();

    /** Returns which tuples a member sees who is not {@linkplain Member#isOfAll of all}. Members may call it. */
    Visibility visibility();
}
