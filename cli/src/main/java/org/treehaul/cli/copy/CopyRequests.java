// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.copy;

import static org.treehaul.core.fs.LinuxConstants.AT_FDCWD;

import java.io.IOException;
import java.io.InputStream;
import java.net.JarURLConnection;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

import org.treehaul.cli.args.ExactArguments;
import org.treehaul.cli.args.FreeText;
import org.treehaul.core.copy.options.ShellWord;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.LongPath;
import org.treehaul.core.fs.ProcessStatus;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.transfer.Transfers;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.directory.TransferException;
import org.treehaul.core.transfer.request.CopyRequest;
import org.treehaul.core.transfer.request.JobOptions;
import org.treehaul.core.transfer.request.TransferRequest;
import org.treehaul.schedulers.batch.CopyTransfers;

/** Converts the options and operands of {@code cp} into the request of a transfer. */
public final class CopyRequests {

    private CopyRequests() {}

    /** Returns the request of a command. */
    static CopyRequest of(CpInput input) throws IOException {
        int workers = input.workers();
        boolean isDestinationFree = input.operands.size() == 2 && input.cp.targetDirectory == null
                && !isDirectory(input.operands.getLast());
        Optional<CopyRequest.ListFile> list = Optional.ofNullable(input.select.filesFrom)
                .map(path -> new CopyRequest.ListFile(path, input.select.nul));
        return new CopyRequest(input.cp.paths(input.operands, input.select), list, input.options(),
                new CopyRequest.Batches(input.batches.batching().name(), input.batches.limits(workers),
                        input.cp.batchChunkBytes(), input.batches.byServers()),
                workers, input.batches.checksSpace(), input.planAhead().map(Path::toAbsolutePath), workingDirectory(),
                ProcessStatus.read().umask(), isDestinationFree);
    }

    /** Returns the working directory of this process, byte for byte. */
    public static ByteString workingDirectory() throws IOException {
        try (FileAccess access = FileAccess.open(Linux.calls())) {
            return access.linkTarget(AT_FDCWD, access.name("/proc/self/cwd".getBytes(StandardCharsets.US_ASCII)));
        }
    }

    /** Returns whether a path leads to a directory. */
    public static boolean isDirectory(ByteString path) {
        try (FileAccess access = FileAccess.open(Linux.calls())) {
            return LongPath.status(access, path, true).kind() == EntryKind.DIRECTORY;
        } catch (SystemCallException e) {
            return false;
        }
    }

    /**
     * Creates a transfer that records the request, so that it can be planned and resumed. Reads a list of files from
     * standard input, which jobs do not have, and keeps it.
     */
    static TransferDirectory create(CpInput input, Transfers transfers, JobOptions jobs) throws IOException {
        return CopyTransfers.create(transfers, of(input), jobs, title(input), list(input));
    }

    /** Returns the command, by which lists of transfers show it. */
    static String title(CpInput input) {
        return "cp " + display(FreeText.unshield(input.common.line()));
    }

    /** Returns the stream with the list of paths, if the command reads it from standard input. */
    static Optional<InputStream> list(CpInput input) {
        return input.select.listsByStandardInput() ? Optional.of(System.in) : Optional.empty();
    }

    /**
     * Returns the request of a copy that {@link #create} made.
     *
     * @throws TransferException if the program that made the transfer ended before it saved one
     */
    public static CopyRequest read(TransferDirectory transfer) throws IOException {
        return TransferRequest.find(transfer)
                .flatMap(TransferRequest::copy)
                .orElseThrow(() -> new TransferException(
                        transfer.id() + " ended before its request was saved: forget it and copy again"));
    }

    /** Returns the options of the last jobs of a transfer; the defaults if a program made it without a request. */
    static JobOptions lastJobs(TransferDirectory transfer) throws IOException {
        return TransferRequest.find(transfer).map(TransferRequest::jobs).orElse(JobOptions.of("auto"));
    }

    /**
     * Does the same for a transfer to resume, and gives it a request if it has none.
     *
     * @throws TransferException if it has to be planned and has no request of a copy
     */
    static JobOptions adopt(TransferDirectory transfer, boolean needsPlan) throws IOException {
        if (transfer.operation().isPlanned() && needsPlan) {
            read(transfer);
        }
        JobOptions last = lastJobs(transfer);
        if (TransferRequest.find(transfer).isEmpty()) {
            TransferRequest.of(last).write(transfer);
        }
        return last;
    }

    /** Returns the jar of this program. In an installation it is beside the runtime, which contains the program. */
    public static Path jar() throws TransferException {
        URI location = location();
        Path jar = location.getScheme().equals("jrt")
                ? Path.of(System.getProperty("java.home")).resolveSibling("treehaul.jar")
                : Path.of(location);
        if (jar.getFileName().toString().endsWith(".jar")) {
            return jar;
        }
        throw new TransferException("jobs need the jar of TreeHaul, but this program runs from " + jar);
    }

    private static URI location() throws TransferException {
        try {
            URL known = CopyRequests.class.getProtectionDomain().getCodeSource().getLocation();
            if (known != null) {
                return known.toURI();
            }
            // Java 25 does not know it for classes of a cache (-XX:AOTCache) that was recorded with the jar at another
            // path, if more jars follow on the class path.
            URL own = CopyRequests.class.getResource(CopyRequests.class.getSimpleName() + ".class");
            if (own != null && own.openConnection() instanceof JarURLConnection inJar) {
                return inJar.getJarFileURL().toURI();
            }
        } catch (URISyntaxException | IOException e) {
            throw new TransferException("cannot find the jar of TreeHaul: " + e.getMessage(), e);
        }
        throw new TransferException(
                "cannot find the jar of TreeHaul: this JVM does not know where its classes are from");
    }

    /** Returns arguments in the quoting of a shell, printable. */
    public static String display(List<String> arguments) {
        return arguments.stream()
                .map(word -> ShellWord.of(ByteString.of(ExactArguments.bytes(word))))
                .collect(Collectors.joining(" "));
    }
}
