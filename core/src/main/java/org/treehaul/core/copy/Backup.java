// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy;

import org.treehaul.core.entry.ByteString;

/**
 * Says which name a file gets that a copy takes the place of, as {@code cp --backup} does.
 *
 * @param control how the name is made
 * @param suffix what is added to the name for a simple backup
 */
public record Backup(Control control, ByteString suffix) {

    /** How the name of a backup is made. */
    public enum Control {
        /** There is no backup. */
        NONE,
        /** By the suffix. A backup of that name that is there already is replaced. */
        SIMPLE,
        /** By a number where there are numbered backups of the file already, else by the suffix. */
        EXISTING,
        /** By a number: {@code name.~7~}. No backup that is there is replaced. */
        NUMBERED
    }

    private static final ByteString TILDE = ByteString.of("~");
    private static final int LONGEST_SUFFIX = 255;
    private static final Backup NO_BACKUP = new Backup(Control.NONE, TILDE);

    /** Makes the value, and checks that the suffix leaves a name in its directory. */
    public Backup {
        if (suffix.length() == 0 || suffix.length() > LONGEST_SUFFIX || UserPath.names(suffix).size() != 1
                || UserPath.endsWithSlash(suffix) || suffix.at(0) == '/') {
            throw new IllegalArgumentException("no suffix of a name: '" + suffix + "'");
        }
    }

    /** Returns that there is no backup. */
    public static Backup none() {
        return NO_BACKUP;
    }

    /** Returns backups whose suffix, where they have one, is {@code ~}. */
    public static Backup of(Control control) {
        return new Backup(control, TILDE);
    }

    /** Whether there are backups. */
    public boolean isMade() {
        return control != Control.NONE;
    }
}
