// SPDX-License-Identifier: Apache-2.0
import java.nio.file.Path;
import java.util.List;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.Progress;
import org.treehaul.core.transfer.TransferStatus;
import org.treehaul.core.transfer.request.CopyRequest;
import org.treehaul.core.transfer.request.JobOptions;
import org.treehaul.schedulers.batch.BatchTransfer;

/** Copies a tree by two jobs. Arguments: treehaul.jar STATE SCHEDULER SOURCE TARGET; all paths are absolute. */
public final class TransferTree {

    public static void main(String[] args) throws Exception {
        List<ByteString> paths = List.of(ByteString.of(args[3]), ByteString.of(args[4]));
        CopyRequest copy = CopyRequest.of(paths, CopyOptions.archive().build(), 2);
        JobOptions jobs = JobOptions.of(args[2]).withJobs(2);
        // The jobs run the program in the jar, on any node.
        BatchTransfer transfer = BatchTransfer.create(Path.of(args[1]), Path.of(args[0]), copy, jobs, "nightly copy");
        int start = transfer.submit(System.out::println, new Progress(), new Cancellation()).orElseThrow();
        transfer.await(start, status -> System.out.println(status.state()), new Cancellation());
        TransferStatus status = transfer.status();
        System.out.println(status.state() + ", " + status.failed() + " failures");
        System.exit(status.state() == TransferStatus.State.COMPLETE ? 0 : 1);
    }
}
