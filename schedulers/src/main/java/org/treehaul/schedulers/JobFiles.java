// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import org.treehaul.core.annotation.Internal;
import org.treehaul.core.fs.PrivateFiles;
import org.treehaul.core.transfer.directory.Listing;

/** The files of jobs in the directory of a transfer. */
public final class JobFiles {

    private static final String LOG = "log";
    // The log that a job's script or its scheduler opens on the node; an array appends the index of the job.
    private static final Pattern OUTPUT = Pattern.compile("th-[^-]+-[^-]+-([0-9]+)(?:_.*)?\\.out");

    // A job that began its work may have written more.
    private static final int MOST_READ = 1 << 20;

    // The message of the job script if the commands before the work fail.
    private static final Pattern NOT_STARTED = Pattern
            .compile("(?m)^treehaul: not started: launch/pre returned ([0-9]{1,3})$");

    private JobFiles() {}

    /**
     * A job that did not begin its work, because the user's commands before it failed.
     *
     * @param log its output
     * @param code the exit code of the commands
     */
    @Internal
    public record FailedPre(Path log, int code) {}

    /** Returns the file name of the script of a request with this number. */
    public static String name(JobRequest request, int number) {
        return request.generation() + "-" + request.phase().word() + "-" + number + ".sh";
    }

    /** Returns the path of a script below the directory of the transfer. */
    public static String relative(Script script) {
        return Launch.DIRECTORY + "/" + script.name();
    }

    /**
     * Checks that jobs can start and write in the transfer's directory, and creates the log directory: a job whose
     * scheduler cannot write its log fails without a message.
     */
    public static void check(JobRequest request) throws SchedulerException {
        Path directory = request.directory();
        if (!Files.isDirectory(directory)) {
            throw new SchedulerException(directory + " is not a directory");
        }
        if (!Files.isReadable(directory.resolve(Launch.DIRECTORY).resolve("jar"))) {
            throw new SchedulerException(directory.resolve(Launch.DIRECTORY) + " does not contain what jobs start");
        }
        Path log = directory.resolve(LOG);
        try {
            PrivateFiles.makeDirectories(log);
            Files.delete(PrivateFiles.makeTemporaryFile(log, "probe", ""));
        } catch (IOException failure) {
            throw new SchedulerException("jobs cannot write to " + log + ": " + failure);
        }
    }

    /** Returns the jobs, by the scheduler's ids, that have left no output in the directory of a transfer. */
    static List<String> withoutOutput(Path transfer, List<String> ids) throws IOException {
        Set<String> numbers = new HashSet<>();
        forEachLog(transfer, (log, number) -> numbers.add(number));
        return ids.stream().filter(id -> !numbers.contains(number(id))).toList();
    }

    // File names hold only the number, also for ids such as 12[].host and 12:34@host.
    private static String number(String id) {
        return id.replaceFirst("[^0-9].*", "");
    }

    private interface LogAction {
        void accept(Path log, String number) throws IOException;
    }

    private static void forEachLog(Path transfer, LogAction action) throws IOException {
        try (Listing logs = Listing.of(transfer.resolve(LOG), "th-*.out")) {
            for (Path log = logs.next(); log != null; log = logs.next()) {
                Matcher name = OUTPUT.matcher(log.getFileName().toString());
                if (name.matches()) {
                    action.accept(log, name.group(1));
                }
            }
        }
    }

    /** Returns the first of some jobs, by the names of their logs, whose commands before the work failed. */
    static Optional<FailedPre> failedPre(Path transfer, List<String> ids) throws IOException {
        Set<String> numbers = ids.stream().map(JobFiles::number).collect(Collectors.toSet());
        List<FailedPre> failed = new ArrayList<>();
        forEachLog(transfer, (log, number) -> {
            boolean isFirst = failed.isEmpty() || log.compareTo(failed.getFirst().log()) < 0;
            if (numbers.contains(number) && isFirst && Files.size(log) <= MOST_READ) {
                Matcher message = NOT_STARTED.matcher(Files.readString(log, StandardCharsets.ISO_8859_1));
                if (message.find()) {
                    failed.clear();
                    failed.add(new FailedPre(log, Integer.parseInt(message.group(1))));
                }
            }
        });
        return failed.stream().findFirst();
    }

    /** Makes the scripts of one request. */
    public interface Renderer {
        /** Returns the script with this name. */
        Script render(String name);
    }

    /** Writes a script under the next free name. */
    public static Script write(JobRequest request, Renderer renderer) throws SchedulerException {
        Path launch = request.directory().resolve(Launch.DIRECTORY);
        try {
            for (int number = 1;; number++) {
                Script script = renderer.render(name(request, number));
                try {
                    Path file = launch.resolve(script.name());
                    PrivateFiles.makeFile(file);
                    Files.writeString(file, script.text(), StandardCharsets.UTF_8);
                    return script;
                } catch (FileAlreadyExistsException taken) {
                    // An earlier request of this generation took the name, or another request takes it now.
                }
            }
        } catch (IOException failure) {
            throw new SchedulerException("cannot write the job script: " + failure);
        }
    }
}
