// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.files;

import java.util.OptionalLong;

/** The names of users and groups. */
public interface Accounts {

    /** Returns those of this machine: of its files, else of its directory service. Each is looked up once. */
    static Accounts system() {
        return new SystemAccounts();
    }

    /** Returns the number of a user. */
    OptionalLong user(String name);

    /** Returns the number of a group. */
    OptionalLong group(String name);

    /** Returns the name of a user, or the number as text where it has none. */
    String userName(long number);

    /** Returns the name of a group, or the number as text where it has none. */
    String groupName(long number);
}
