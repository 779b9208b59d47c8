// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.batch;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

import org.treehaul.core.annotation.Internal;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.fs.PrivateFiles;
import org.treehaul.core.state.AtomicFiles;
import org.treehaul.core.transfer.Transfers;
import org.treehaul.core.transfer.directory.Timing;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.directory.TransferException;
import org.treehaul.core.transfer.operation.Operation;
import org.treehaul.core.transfer.request.CopyRequest;
import org.treehaul.core.transfer.request.JobOptions;
import org.treehaul.core.transfer.request.TransferRequest;
import org.treehaul.schedulers.Launch;

/** Creates transfers that copy, with their requests and the lists of paths that these name. */
@Internal
public final class CopyTransfers {

    private static final String LIST = "list";
    // The charset by which Java decoded the bytes of paths; UTF-8 except in odd locales.
    private static final Charset NAMES = Charset.forName(System.getProperty("sun.jnu.encoding", "UTF-8"));

    private CopyTransfers() {}

    /**
     * Creates a transfer that records its request, so that it can be planned and resumed.
     *
     * @param title the text by which lists of transfers show it
     * @param list the content of the list of paths that the request names, read to its end and kept with the transfer;
     *        without it, planning reads the file that the request names
     */
    public static TransferDirectory create(Transfers transfers, CopyRequest copy, JobOptions jobs, String title,
            Optional<InputStream> list) throws IOException {
        return create(transfers, new Operation.Copy(), copy, jobs, title, list);
    }

    /** Creates a transfer that copies, and removes the sources at its end. */
    public static TransferDirectory createMove(Transfers transfers, CopyRequest copy, JobOptions jobs, String title)
            throws IOException {
        return create(transfers, new Operation.Move(), copy, jobs, title, Optional.empty());
    }

    static TransferDirectory create(Transfers transfers, Operation.Copying operation, CopyRequest copy, JobOptions jobs,
            String title, Optional<InputStream> list) throws IOException {
        TransferDirectory transfer = transfers.create(operation, title, Timing.defaults());
        Launch.writeCaller(transfer.path(), copy.directory(), copy.umask());
        TransferRequest.of(list.isPresent() ? withKeptList(copy, transfer) : copy, jobs).write(transfer);
        if (list.isPresent()) {
            keep(list.get(), transfer.launch());
        }
        return transfer;
    }

    private static void keep(InputStream list, Path directory) throws IOException {
        Path part = directory.resolve(LIST + ".part");
        try (OutputStream out = PrivateFiles.rewrite(part)) {
            list.transferTo(out);
        }
        AtomicFiles.rename(part, directory.resolve(LIST));
    }

    // Returns a request that reads the list kept with a transfer.
    private static CopyRequest withKeptList(CopyRequest copy, TransferDirectory transfer) {
        return new CopyRequest(copy.arguments(),
                copy.list()
                        .map(list -> new CopyRequest.ListFile(list(transfer), list.isNulSeparated(), list.isMarked())),
                copy.options(), copy.batching(), copy.workers(), copy.checksSpace(), copy.plan(), copy.directory(),
                copy.umask(), copy.isDestinationFree());
    }

    /**
     * Checks that a list kept with the transfer was read to its end.
     *
     * @throws TransferException if it was not
     */
    public static void requireList(CopyRequest copy, TransferDirectory transfer) throws TransferException {
        if (copy.list().filter(named -> isKept(named, transfer)).isPresent()
                && !Files.exists(transfer.launch().resolve(LIST))) {
            throw new TransferException("the list of files that " + transfer.id()
                    + " read from standard input is incomplete: forget the transfer and copy again");
        }
    }

    /** Returns the list of paths that a request names; a list that is kept with the transfer is where this is now. */
    static Optional<CopyRequest.ListFile> list(CopyRequest copy, TransferDirectory transfer) {
        return copy.list()
                .map(named -> isKept(named, transfer)
                        ? new CopyRequest.ListFile(list(transfer), named.isNulSeparated(), named.isMarked())
                        : named);
    }

    // The request has the path at which the list was written. The state directory may have been moved since.
    private static boolean isKept(CopyRequest.ListFile named, TransferDirectory transfer) {
        return named.path().toPath().endsWith(transfer.stateDirectory().relativize(transfer.launch().resolve(LIST)));
    }

    private static ByteString list(TransferDirectory transfer) {
        return ByteString.of(transfer.launch().resolve(LIST).toString().getBytes(NAMES));
    }
}
