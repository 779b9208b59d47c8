// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.files;

import java.util.List;
import java.util.Objects;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.annotation.Internal;
import org.treehaul.core.entry.Amounts;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.walk.summary.Usage;
import org.treehaul.tuplespace.tuple.Template;

/**
 * The space of an indexed directory with everything below it: stored as a tuple beside those of the entries, so that
 * {@code du} reads one tuple instead of all below. Files with several names are only counted: which of their names
 * counts depends on the question.
 *
 * @param directory absolute path of the directory that contains this one; empty for the root of the file system
 * @param name name in that directory; a slash for the root of the file system
 * @param entries number of entries with this one, without files with several names
 * @param files number of regular files among them
 * @param directories number of directories among them
 * @param fileBytes sizes of these regular files
 * @param apparentBytes sizes of these regular files and of symbolic links
 * @param blocks number of 512-byte blocks allocated to these entries
 * @param linked number of names, at any depth, of files with several names
 * @param linkedHere number of those in the directory itself
 * @param listing sum of the {@link EntrySum} of the entries in the directory itself, by which a run recognizes that
 *        none of them has changed; null if unknown
 */
@Internal
public record DirectoryTotals(ByteString directory, ByteString name, long entries, long files, long directories,
        long fileBytes, long apparentBytes, long blocks, long linked, long linkedHere, @Nullable Long listing) {

    /** The number of sums, in the order of the components. */
    public static final int SUMS = 8;

    /** The component that contains the path of the parent directory. */
    public static final String DIRECTORY = "directory";

    /** The component that contains the name. */
    public static final String NAME = "name";

    static final String LINKED_HERE = "linkedHere";

    public DirectoryTotals {
        Objects.requireNonNull(directory);
        Objects.requireNonNull(name);
    }

    /** Returns the totals of a directory from its sums; the listing is unknown. */
    public static DirectoryTotals of(ByteString path, long... sums) {
        return new DirectoryTotals(FileTuple.directoryOf(path), FileTuple.nameOf(path), sums[0], sums[1], sums[2],
                sums[3], sums[4], sums[5], sums[6], sums[7], null);
    }

    /** Returns a copy with these sums added. */
    public DirectoryTotals plus(long... sums) {
        return new DirectoryTotals(directory, name, entries + sums[0], files + sums[1], directories + sums[2],
                fileBytes + sums[3], apparentBytes + sums[4], blocks + sums[5], linked + sums[6], linkedHere + sums[7],
                listing);
    }

    /** Returns a copy with the sum of the listing. */
    public DirectoryTotals withListing(@Nullable Long sum) {
        return new DirectoryTotals(directory, name, entries, files, directories, fileBytes, apparentBytes, blocks,
                linked, linkedHere, sum);
    }

    /** Returns a copy without the entries of a directory below. */
    DirectoryTotals minus(DirectoryTotals below) {
        long[] own = sums();
        long[] sums = below.sums();
        for (int i = 0; i < sums.length; i++) {
            // An index run that ends between two reads may have removed more than the other one shows.
            boolean isTooMuch = own[i] >= 0 && (sums[i] < 0 || sums[i] > own[i]);
            sums[i] = isTooMuch ? -own[i] : -sums[i];
        }
        return plus(sums);
    }

    /** Returns the sums as those of one entry of the directory above. */
    public long[] sums() {
        return new long[]{entries, files, directories, fileBytes, apparentBytes, blocks, linked, 0};
    }

    /** Returns the absolute path. */
    public ByteString path() {
        return FileTuple.join(directory, name);
    }

    /** Returns the space without files with several names. */
    Usage usage() {
        return new Usage(Math.max(0, entries), whole(apparentBytes), Amounts.bytesOfBlocks(Math.max(0, blocks)));
    }

    /** Returns a sum of sizes as a positive number: one that no long holds, which is negative here, is the largest. */
    static long whole(long sum) {
        return sum < 0 ? Long.MAX_VALUE : sum;
    }

    /** Returns a template that matches the totals of the directory with a path. */
    public static Template<DirectoryTotals> entry(ByteString path) {
        return Template.of(DirectoryTotals.class)
                .equal(DIRECTORY, FileTuple.directoryOf(path))
                .equal(NAME, FileTuple.nameOf(path));
    }

    /** Returns a template that matches the totals of directories without entries. */
    static Template<DirectoryTotals> ofEmpty() {
        return Template.of(DirectoryTotals.class).equal("entries", 1L).equal("linked", 0L);
    }

    /** Returns templates that together match the totals of all directories below one, each once. */
    public static List<Template<DirectoryTotals>> below(ByteString path) {
        Template<DirectoryTotals> all = Template.of(DirectoryTotals.class);
        Template<DirectoryTotals> deeper = all.prefix(DIRECTORY, FileTuple.join(path, ByteString.empty()));
        return path.length() > 1 ? List.of(all.equal(DIRECTORY, path), deeper) : List.of(deeper);
    }
}
