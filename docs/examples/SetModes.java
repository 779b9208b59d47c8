// SPDX-License-Identifier: Apache-2.0
import java.lang.foreign.Arena;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.SortedMap;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.LinuxConstants;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.operation.EntryOperation;
import org.treehaul.core.operation.OperationProvider;
import org.treehaul.core.operation.OperationTarget;
import org.treehaul.core.operation.Repetition;
import org.treehaul.core.transfer.TransferStatus;
import org.treehaul.core.transfer.operation.Operation;
import org.treehaul.core.transfer.request.JobOptions;
import org.treehaul.schedulers.batch.BatchTransfer;
import org.treehaul.schedulers.batch.OperationRequest;

/**
 * An operation that TreeHaul does not have: sets the modes of all files and directories of a tree, by jobs. The jar has
 * these classes and the file META-INF/services/org.treehaul.core.operation.OperationProvider with the line SetModes.
 *
 * <pre>
 * java --enable-native-access=ALL-UNNAMED -cp treehaul.jar:modes.jar SetModes treehaul.jar modes.jar STATE SCHEDULER TREE 640 750
 * </pre>
 */
public final class SetModes implements OperationProvider {

    @Override
    public String name() {
        return "set-modes";
    }

    @Override
    public int version() {
        return 1;
    }

    // A mode that is set twice is the same.
    @Override
    public Repetition repetition() {
        return Repetition.IDEMPOTENT;
    }

    @Override
    public EntryOperation create(SortedMap<String, String> parameters) {
        return new Work(mode(parameters, "files"), mode(parameters, "directories"));
    }

    private static int mode(Map<String, String> parameters, String key) {
        String text = parameters.getOrDefault(key, "");
        if (!text.matches("[0-7]{3,4}")) {
            throw new IllegalArgumentException("parameter '" + key + "' is not a mode: '" + text + "'");
        }
        return Integer.parseInt(text, 8);
    }

    private record Work(int files, int directories) implements EntryOperation {

        @Override
        public void entry(OperationTarget target) throws SystemCallException {
            if (target.status().kind() != EntryKind.SYMLINK) {
                set(target, files);
            }
        }

        @Override
        public void directory(OperationTarget target) throws SystemCallException {
            set(target, directories);
        }

        // chmod(2) follows symbolic links, and another user may exchange the entry for one. A descriptor of O_PATH needs
        // no permission to read, and is changed by its name in /proc.
        private static void set(OperationTarget target, int mode) throws SystemCallException {
            int opened = check("open", target.calls().openat(target.directory(), target.name(),
                    LinuxConstants.O_PATH | LinuxConstants.O_NOFOLLOW, 0));
            try (Arena arena = Arena.ofConfined()) {
                String path = "/proc/self/fd/" + opened;
                check("chmod", target.calls().fchmodat(LinuxConstants.AT_FDCWD,
                        arena.allocateFrom(path, StandardCharsets.US_ASCII), mode));
            } finally {
                target.calls().close(opened);
            }
        }

        private static int check(String call, int result) throws SystemCallException {
            if (result < 0) {
                throw new SystemCallException(call, -result);
            }
            return result;
        }
    }

    /** Submits the jobs, waits, and resumes once. Exits with 0 when all modes are set. All paths are absolute. */
    public static void main(String[] args) throws Exception {
        Path treehaul = Path.of(args[0]);
        Path jar = Path.of(args[1]);
        Path state = Path.of(args[2]);
        Map<String, String> modes = Map.of("files", args[5], "directories", args[6]);
        OperationRequest request = OperationRequest.of(Operation.Custom.of(new SetModes(), modes), List.of(jar),
                List.of(ByteString.of(args[4])), 2);
        BatchTransfer transfer = BatchTransfer.create(state, treehaul, request, JobOptions.of(args[3]).withJobs(2),
                "set modes in " + args[4]);
        Cancellation cancellation = new Cancellation();
        int generation = transfer.submit(event -> System.err.println(event), new Progress(), cancellation).orElseThrow();
        System.out.println(transfer.id());
        transfer.await(generation, SetModes::print, cancellation);
        OptionalInt resumed = transfer.resume();
        if (resumed.isPresent()) {
            transfer.await(resumed.getAsInt(), SetModes::print, cancellation);
        }
        print(transfer.status());
        System.exit(transfer.status().state() == TransferStatus.State.COMPLETE ? 0 : 1);
    }

    private static void print(TransferStatus status) {
        System.out.println(status.operation().name() + ": " + status.state() + status.result()
                .map(result -> ", " + result.done() + " of " + result.entries() + " entries")
                .orElse(""));
    }
}
