// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.pool;

import java.time.Instant;

/**
 * A transfer that workers of the pool may carry out; in the space until it is finished or withdrawn. Only a hint: a
 * worker opens the transfer in its own state directory, and believes nothing but what it finds there.
 *
 * @param transfer the id of the transfer
 * @param generation its generation
 * @param format the version of the offers, see {@link #FORMAT}
 * @param directory the absolute path of the directory of the transfer; for display
 * @param destination the absolute path of the destination, or of the first tree if there is none; for bounds
 * @param uid the user of the transfer, so that workers of other users need not look
 * @param priority transfers of one user with a higher number come first
 * @param most the number of workers that may work on it at the same time; 0 for any number
 * @param offered the number of batches that were offered so far; others follow if the plan still grows
 * @param since when it was offered, by the clock of the submitting host; for display
 */
public record TransferOffer(String transfer, int generation, int format, String directory, String destination, long uid,
        int priority, int most, int offered, Instant since) {

    /** The version of the offers that this program writes and accepts. Workers leave other offers alone. */
    public static final int FORMAT = 1;

    /** Returns the same offer after more batches were offered. */
    TransferOffer withOffered(int batches) {
        return new TransferOffer(transfer, generation, format, directory, destination, uid, priority, most, batches,
                since);
    }

    /** Returns the name of the slots that bound the number of its workers. */
    public String place() {
        return transfer + "." + generation;
    }
}
