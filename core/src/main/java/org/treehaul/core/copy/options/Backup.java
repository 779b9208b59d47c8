// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy.options;

import org.treehaul.core.entry.ByteString;

/**
 * Defines the name under which a file is kept when a copy replaces it, as {@code cp --backup} does.
 *
 * @param control how the name is formed
 * @param suffix the suffix appended to the name for a simple backup
 */
public record Backup(Control control, ByteString suffix) {

    /** How the name of a backup is formed. */
    public enum Control {
        /** No backups are made. */
        NONE,
        /** With the suffix. An existing backup of that name is replaced. */
        SIMPLE,
        /** With a number if there are numbered backups of the file already, else with the suffix. */
        EXISTING,
        /** With a number: {@code name.~7~}. Existing backups are not replaced. */
        NUMBERED
    }

    private static final ByteString TILDE = ByteString.of("~");
    private static final int LONGEST_SUFFIX = 255;
    private static final Backup NO_BACKUP = new Backup(Control.NONE, TILDE);

    /** Validates the suffix: a name with it must stay in its directory. */
    public Backup {
        if (suffix.length() == 0 || suffix.length() > LONGEST_SUFFIX || UserPath.names(suffix).size() != 1
                || UserPath.endsWithSlash(suffix) || suffix.at(0) == '/') {
            throw new IllegalArgumentException("not a suffix of a name: '" + suffix + "'");
        }
    }

    /** Returns the value for no backups. */
    public static Backup none() {
        return NO_BACKUP;
    }

    /** Returns backups with the suffix {@code ~} where a suffix is used. */
    public static Backup of(Control control) {
        return new Backup(control, TILDE);
    }

    /** Returns whether backups are made. */
    public boolean isMade() {
        return control != Control.NONE;
    }
}
