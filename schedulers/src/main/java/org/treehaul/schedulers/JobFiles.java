// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.treehaul.core.fs.PrivateFiles;
import org.treehaul.core.transfer.directory.Listing;

/** The files of jobs in the directory of a transfer. */
public final class JobFiles {

    private static final String LOG = "log";
    // The log that a job's script or its scheduler opens on the node; an array appends the index of the job.
    private static final Pattern OUTPUT = Pattern.compile("th-[^-]+-[^-]+-([0-9]+)(?:_.*)?\\.out");

    private JobFiles() {}

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
        try (Listing logs = Listing.of(transfer.resolve(LOG), "th-*.out")) {
            for (Path log = logs.next(); log != null; log = logs.next()) {
                Matcher name = OUTPUT.matcher(log.getFileName().toString());
                if (name.matches()) {
                    numbers.add(name.group(1));
                }
            }
        }
        // File names hold only the number, also for ids such as 12[].host and 12:34@host.
        return ids.stream().filter(id -> !numbers.contains(id.replaceFirst("[^0-9].*", ""))).toList();
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
