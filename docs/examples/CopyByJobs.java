// SPDX-License-Identifier: Apache-2.0
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalInt;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.event.Progress;
import org.treehaul.core.transfer.TransferStatus;
import org.treehaul.core.transfer.request.CopyRequest;
import org.treehaul.core.transfer.request.JobOptions;
import org.treehaul.core.event.Cancellation;
import org.treehaul.schedulers.batch.BatchTransfer;

/**
 * Submits a copy to a scheduler, such as {@code slurm} or {@code local}, watches it, and resumes it once if something
 * failed.
 *
 * <pre>
 * java --enable-native-access=ALL-UNNAMED -cp treehaul.jar CopyByJobs.java treehaul.jar STATE SCHEDULER SOURCE TARGET
 * </pre>
 */
public final class CopyByJobs {

    /** Exits with 0 when every entry was copied. All paths are absolute; STATE is visible on every node. */
    public static void main(String[] args) throws Exception {
        Cancellation cancellation = new Cancellation();
        JobOptions jobs = JobOptions.of(args[2]).withJobs(2);
        CopyOptions options = CopyOptions.archive().verify(CopyOptions.Verify.XXH3).build();
        CopyRequest copy = CopyRequest.of(List.of(ByteString.of(args[3]), ByteString.of(args[4])), options, 2);

        BatchTransfer transfer = BatchTransfer.create(Path.of(args[1]), Path.of(args[0]), copy, jobs, "CopyByJobs");
        int generation = transfer.submit(event -> System.out.println(event), new Progress(), cancellation).orElseThrow();
        transfer.await(generation, CopyByJobs::print, cancellation);
        OptionalInt resumed = transfer.resume();
        if (resumed.isPresent()) {
            transfer.await(resumed.getAsInt(), CopyByJobs::print, cancellation);
        }
        TransferStatus status = transfer.status();
        status.result().ifPresent(result -> System.out.println(result.done() + " of " + result.entries() + " entries"));
        System.exit(status.state() == TransferStatus.State.COMPLETE ? 0 : 1);
    }

    private static void print(TransferStatus status) {
        System.out.println(status.id() + ": " + status.state() + ", " + (int) status.percent() + "%");
    }
}
