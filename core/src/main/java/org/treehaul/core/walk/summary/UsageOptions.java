// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.walk.summary;

/**
 * Selects the paths that {@link TreeUsage} reports, and the entries that it counts for them. Immutable; each
 * {@code with} method returns a changed copy.
 *
 * @param maxDepth the deepest level that is reported, 0 or more: 0 reports roots only
 * @param files whether entries that are not directories are reported too, down to that depth; roots always are
 * @param separate whether the space of a directory leaves out that of its subdirectories
 * @param countLinks whether a file with several names counts once for each name
 */
public record UsageOptions(int maxDepth, boolean files, boolean separate, boolean countLinks) {

    /**
     * Validates the options.
     *
     * @throws IllegalArgumentException if the depth is negative
     */
    public UsageOptions {
        if (maxDepth < 0) {
            throw new IllegalArgumentException("depth below 0: " + maxDepth);
        }
    }

    /** Returns the default options: all directories with everything below them, and each file once. */
    public static UsageOptions defaults() {
        return new UsageOptions(Integer.MAX_VALUE, false, false, false);
    }

    /** Returns a copy that reports paths down to another depth. */
    public UsageOptions withMaxDepth(int deepest) {
        return new UsageOptions(deepest, files, separate, countLinks);
    }

    /** Returns a copy that reports, or does not report, entries that are not directories. */
    public UsageOptions withFiles(boolean report) {
        return new UsageOptions(maxDepth, report, separate, countLinks);
    }

    /** Returns a copy that leaves out, or counts, the subdirectories of a directory. */
    public UsageOptions withSeparate(boolean leaveOut) {
        return new UsageOptions(maxDepth, files, leaveOut, countLinks);
    }

    /** Returns a copy that counts a file with several names once for each name, or once. */
    public UsageOptions withCountLinks(boolean each) {
        return new UsageOptions(maxDepth, files, separate, each);
    }
}
