// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.copy;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Properties;
import java.util.TreeMap;

import org.treehaul.cli.common.CommonOptions;
import org.treehaul.cli.common.RankOptions;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.directory.TransferException;
import org.treehaul.core.transfer.request.CopyRequest;
import org.treehaul.core.transfer.request.JobOptions;
import org.treehaul.core.transfer.request.TransferRequest;
import org.treehaul.schedulers.batch.CopyTransfers;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

/**
 * The request of a transfer made before requests had a file of their own: a command line, the options for jobs, and a
 * mark, as three files in the directory {@code launch}. Read only.
 */
final class OlderRequest {

    private static final String ARGUMENTS = "arguments";
    private static final String JOBS = "said";
    private static final String MARK = "place";

    private OlderRequest() {}

    /** Returns whether a transfer has such a request; the options for jobs were written last. */
    static boolean exists(TransferDirectory transfer) {
        return Files.exists(transfer.launch().resolve(JOBS));
    }

    /**
     * Returns the copy to plan. This process must run in the working directory, and with the umask, of the user.
     *
     * @param model the model of all commands, which parses the command line
     */
    static CopyRequest copy(TransferDirectory transfer, CommandLine model) throws IOException {
        // Each argument ends with a NUL, and each byte is one character.
        String text = Files.readString(transfer.launch().resolve(ARGUMENTS), StandardCharsets.ISO_8859_1);
        model.parseArgs(text.substring(0, text.length() - 1).split("\0", -1));
        CpCommand cp = Objects.requireNonNull(model.getSubcommands().get("cp")).getCommand();
        CopyRequest copy = CopyRequests.of(cp.input);
        boolean isFree = Files.exists(transfer.launch().resolve(MARK));
        CopyRequest marked = new CopyRequest(copy.arguments(), copy.list(), copy.options(), copy.batching(),
                copy.workers(), copy.checksSpace(), copy.plan(), copy.directory(), copy.umask(), isFree);
        return cp.input.select.listsByStandardInput() ? CopyTransfers.withKeptList(marked, transfer) : marked;
    }

    /**
     * Returns the options of the last jobs of a transfer, from its request if it has one.
     *
     * @throws TransferException if they are damaged
     */
    static JobOptions lastJobs(TransferDirectory transfer) throws IOException {
        Optional<TransferRequest> request = TransferRequest.find(transfer);
        return request.isPresent() ? request.get().jobs() : jobs(transfer);
    }

    /**
     * Does the same for a transfer to resume, and gives it a request if it has none.
     *
     * @throws TransferException if it has to be planned, and ended before its copy was saved
     */
    static JobOptions adopt(TransferDirectory transfer, boolean needsPlan) throws IOException {
        Optional<TransferRequest> request = TransferRequest.find(transfer);
        if (transfer.operation().isPlanned() && needsPlan && request.flatMap(TransferRequest::copy).isEmpty()
                && !exists(transfer)) {
            throw new TransferException(
                    transfer.id() + " ended before its request was saved: forget it and copy again");
        }
        JobOptions last = lastJobs(transfer);
        if (request.isEmpty()) {
            TransferRequest.of(last).write(transfer);
        }
        return last;
    }

    private static JobOptions jobs(TransferDirectory transfer) throws IOException {
        CommandSpec command = CommandSpec.create();
        TransferOptions options = new TransferOptions(command);
        RankOptions ranks = new RankOptions(command, new CommonOptions(command));
        List<String> line = new ArrayList<>();
        read(transfer).forEach((name, values) -> {
            if (command.findOption("--" + name) != null) {
                values.forEach(value -> line.add(argument(name, value)));
            }
        });
        try {
            new CommandLine(command).setOverwrittenOptionsAllowed(true).parseArgs(line.toArray(String[]::new));
            return options.jobOptions(ranks);
        } catch (CommandLine.ParameterException | IllegalArgumentException e) {
            throw new TransferException(transfer.launch().resolve(JOBS) + " is damaged: " + e.getMessage(), e);
        }
    }

    private static String argument(String name, String value) {
        return name.equals("requeue")
                ? Boolean.parseBoolean(value) ? "--requeue" : "--no-requeue"
                : "--" + name + "=" + value;
    }

    private static Map<String, List<String>> read(TransferDirectory transfer) throws IOException {
        Properties file = new Properties();
        try (InputStream in = Files.newInputStream(transfer.launch().resolve(JOBS))) {
            file.load(in);
        } catch (NoSuchFileException | IllegalArgumentException e) {
            // Then all options must be given again.
        }
        Map<String, List<String>> jobs = new TreeMap<>();
        for (String key : file.stringPropertyNames()) {
            String name = key.substring(0, Math.max(0, key.lastIndexOf('.')));
            jobs.computeIfAbsent(name, n -> values(file, n));
        }
        return jobs;
    }

    // In the order in which they were given: the tenth follows the ninth.
    private static List<String> values(Properties file, String name) {
        List<String> values = new ArrayList<>();
        String value = file.getProperty(name + ".0");
        while (value != null) {
            values.add(value);
            value = file.getProperty(name + "." + values.size());
        }
        return values;
    }
}
