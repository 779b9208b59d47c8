// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.pool.submitter;

/**
 * The user of this node for whom transfers are carried out.
 *
 * @param role the user as the server of the space recorded it
 * @param name the login name
 * @param uid the number, not 0
 * @param gid the number of the login group
 */
public record Submitter(String role, String name, long uid, long gid) {

    // With the number above, a process keeps those of root.
    private static final long HIGHEST = 0xFFFF_FFFEL;

    /** Checks the values. */
    public Submitter {
        if (uid <= 0 || uid > HIGHEST || gid < 0 || gid > HIGHEST || name.isEmpty() || name.startsWith(".")
                || name.indexOf('/') >= 0) {
            throw new IllegalArgumentException(
                    "not a user for whom a worker acts: " + name + ", " + uid + ", group " + gid);
        }
    }

    @Override
    public String toString() {
        return "user " + name + " (uid " + uid + ")";
    }
}
