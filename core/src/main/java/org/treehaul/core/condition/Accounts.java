// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.condition;

import java.util.OptionalLong;

/** The names of users and groups. */
public interface Accounts {

    /**
     * Returns the accounts of this machine: its files first, then its directory service. Each name is looked up once.
     */
    static Accounts system() {
        return new SystemAccounts();
    }

    /** Returns the numeric ID of a user. */
    OptionalLong user(String name);

    /** Returns the numeric ID of the group with which a user logs in. */
    OptionalLong loginGroup(String user);

    /** Returns the numeric ID of a group. */
    OptionalLong group(String name);

    /** Returns the name of a user, or the numeric ID as text if it has none. */
    String userName(long number);

    /** Returns the name of a group, or the numeric ID as text if it has none. */
    String groupName(long number);
}
