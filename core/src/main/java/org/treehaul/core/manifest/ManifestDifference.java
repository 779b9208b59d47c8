// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.manifest;

import org.treehaul.core.entry.TreePath;

/**
 * A difference between a manifest and a tree.
 *
 * @param kind the kind of difference
 * @param path the path below the root of the tree
 */
public record ManifestDifference(Kind kind, TreePath path) {

    /** The kinds of difference. */
    public enum Kind {
        /** The manifest has the file, the tree does not. */
        MISSING("missing"),
        /** The data of the file have another hash. */
        CONTENT("content"),
        /** The manifest has the file; the tree has another kind of entry, such as a directory. */
        KIND("kind"),
        /** The tree has the file, the manifest does not. */
        EXTRA("extra");

        private final String label;

        Kind(String label) {
            this.label = label;
        }

        /** Returns the lower-case word for this kind in output. */
        public String label() {
            return label;
        }
    }

    /** Returns the difference as one line for users, printable. */
    @Override
    public String toString() {
        return path + ": " + switch (kind) {
            case MISSING -> "missing";
            case CONTENT -> "content differs";
            case KIND -> "not a regular file";
            case EXTRA -> "not in the manifest";
        };
    }
}
