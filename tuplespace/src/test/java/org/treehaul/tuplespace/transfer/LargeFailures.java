// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.transfer;

import java.util.List;

import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.transfer.TransferStatus;
import org.treehaul.tuplespace.Lease;
import org.treehaul.tuplespace.TupleOperations;
import org.treehaul.tuplespace.files.FileTuple;

/**
 * Failures of which one answers the question of the guide: a file over 1 GiB, not verified, failed on node {@code n07}.
 * Each of the others lacks one of these.
 */
final class LargeFailures {

    /** The path of the file that is the answer. */
    static final String ANSWER = "/data/large";
    /** The question as a condition of SQL. */
    static final String IN_SQL = "size > 1 << 30 AND NOT verified AND node = 'n07'";
    /** The question as conditions of a query. */
    static final String[] CONDITIONS = {"size>1G", "verified=no", "node=n07"};

    private LargeFailures() {}

    /** Writes the tuples. */
    static void write(TupleOperations space) {
        space.writeAll(List.of(transfer("plain", false), transfer("checked", true), failure("plain", "large", "n07"),
                failure("plain", "elsewhere", "n08"), failure("plain", "small", "n07"),
                failure("plain", "unknown", "n07"), failure("checked", "verified", "n07"), file("large", 5L << 30),
                file("elsewhere", 5L << 30), file("small", 1L << 30), file("verified", 5L << 30)), Lease.FOREVER);
    }

    private static TransferTuple transfer(String id, boolean isChecked) {
        return new TransferTuple(id, "copy", TransferStatus.State.COMPLETE, "ann", "login", "cp", path("/data"), 1,
                path("/archive"), 1, 2L, 1, true, 1, 1, 4, 4, 0, 0, 0, null, isChecked, path("/home/ann/.treehaul"), 3,
                null);
    }

    // All were copied by a later attempt, and what the second transfer copied was read back.
    private static FailureTuple failure(String transfer, String name, String node) {
        return new FailureTuple(transfer, 0, 1, 1, node, path("/data"), path(name), EntryFailure.Kind.ERROR, "read",
                Errno.EIO, Errno.describe(Errno.EIO), ByteString.empty(), 3, true);
    }

    private static FileTuple file(String name, long size) {
        return new FileTuple(path("/data"), path(name), EntryKind.REGULAR, size, 8, 0, 1_500_000_000L, 0, null, 0644, 0,
                0, 1, 7, 8, null, null, false, 1);
    }

    private static ByteString path(String text) {
        return ByteString.of(text);
    }
}
