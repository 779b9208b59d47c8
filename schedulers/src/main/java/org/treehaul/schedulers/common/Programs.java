// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.common;

import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

import org.treehaul.core.fs.PrivateFiles;
import org.treehaul.schedulers.SchedulerException;

/**
 * Runs the programs of a scheduler: without a shell, in the C locale, each with a timeout, and captures their output.
 */
public final class Programs {

    /** Timeout of a submission: sbatch retries for two minutes while the controller has too many jobs. */
    public static final Duration SUBMIT = Duration.ofMinutes(4);
    /** Timeout of a query: the programs have timeouts of their own for their server, of up to some ten seconds. */
    public static final Duration ASK = Duration.ofMinutes(1);

    /** Working directory of programs that need no particular one. */
    public static final Path ROOT = Path.of("/");

    // Variables that override options in a script, or change the output or its meaning.
    private static final Set<String> OVERRIDING = Set.of("SBATCH_ARRAY_INX", "SBATCH_DEPENDENCY", "SBATCH_ERROR",
            "SBATCH_HOLD", "SBATCH_INPUT", "SBATCH_JOB_NAME", "SBATCH_NO_REQUEUE", "SBATCH_OPEN_MODE", "SBATCH_OUTPUT",
            "SBATCH_REQUEUE", "SBATCH_SIGNAL", "SBATCH_TEST_ONLY", "SBATCH_WAIT", "SLURM_TIME_FORMAT", "PBS_DPREFIX");
    /** These programs read variables with such a prefix as options, some of which omit jobs or print other columns. */
    private static final Set<String> OPTIONS = Set.of("SQUEUE_", "SACCT_", "SCANCEL_");

    private final Map<String, String> environment;

    public Programs(Map<String, String> environment) {
        this.environment = Map.copyOf(environment);
    }

    /**
     * The result of a program.
     *
     * @param command the command with its arguments
     * @param code the exit code, or 128 plus the number of the signal that killed it
     */
    public record Ran(List<String> command, int code, String out, String err) {
        /** Returns the unchanged output of the program, errors first. */
        public String output() {
            String output = (err.strip() + "\n" + out.strip()).strip();
            return output.isEmpty() ? "it printed nothing" : output;
        }

        /** Returns a failure whose message contains the program's output. */
        public SchedulerException failure(String what) {
            // A program may print its usage after the reason.
            String reason = output().lines()
                    .takeWhile(line -> !line.toLowerCase(Locale.ROOT).startsWith("usage"))
                    .collect(Collectors.joining("\n"));
            return new SchedulerException(
                    what + ": " + command.getFirst() + " returned " + code + ": "
                            + (reason.isBlank() ? output().lines().findFirst().orElse("") : reason.strip()),
                    command, code, List.of());
        }
    }

    /** Returns the path of a program on the PATH of the environment. */
    public Optional<Path> find(String program) {
        for (String directory : environment.getOrDefault("PATH", "/usr/local/bin:/usr/bin:/bin").split(":", -1)) {
            try {
                Path file = Path.of(directory.isEmpty() ? "." : directory, program).toAbsolutePath();
                if (Files.isRegularFile(file) && Files.isExecutable(file)) {
                    return Optional.of(file);
                }
            } catch (InvalidPathException e) {
                // The name of the directory cannot be decoded in the locale of this process. The other directories count.
            }
        }
        return Optional.empty();
    }

    /** Runs a program in {@link #ROOT}. */
    public Ran run(Duration wait, String... command) throws SchedulerException {
        return run(wait, ROOT, List.of(command));
    }

    /**
     * Runs a program.
     *
     * @throws SchedulerException if it is not on the PATH, cannot be started, or did not end in time and was killed
     */
    public Ran run(Duration wait, Path directory, List<String> command) throws SchedulerException {
        Path program = find(command.getFirst())
                .orElseThrow(() -> failure(command, command.getFirst() + " is not on the PATH"));
        try (CapturedOutput out = CapturedOutput.make(); CapturedOutput err = CapturedOutput.make()) {
            List<String> words = new ArrayList<>(command);
            words.set(0, program.toString());
            Process process = prepare(words, directory).redirectInput(Redirect.from(Path.of("/dev/null").toFile()))
                    .redirectOutput(out.file())
                    .redirectError(err.file())
                    .start();
            out.unname();
            err.unname();
            if (!waitFor(process, wait, command)) {
                throw failure(command, command.getFirst() + " did not end within " + wait.toSeconds()
                        + " s and was killed: " + err.text().strip());
            }
            return new Ran(command, process.exitValue(), out.text(), err.text());
        } catch (IOException failure) {
            throw failure(command, command.getFirst() + ": " + PrivateFiles.describe(failure));
        }
    }

    /** Returns a process builder with the environment of these programs and a working directory. */
    public ProcessBuilder prepare(List<String> command, Path directory) {
        ProcessBuilder builder = new ProcessBuilder(command).directory(directory.toFile());
        // Unchanged variables are not set again, because their bytes might not survive the conversion to a String.
        Map<String, String> mine = builder.environment();
        mine.keySet().removeIf(name -> !environment.containsKey(name) || misleads(name));
        environment.forEach((name, value) -> {
            if (!misleads(name) && !value.equals(mine.get(name))) {
                mine.put(name, value);
            }
        });
        mine.put("LC_ALL", "C");
        // PBS takes the working directory of a job from PWD.
        mine.put("PWD", directory.toString());
        return builder;
    }

    private static boolean misleads(String name) {
        return OVERRIDING.contains(name) || OPTIONS.stream().anyMatch(name::startsWith);
    }

    private static boolean waitFor(Process process, Duration wait, List<String> command) throws SchedulerException {
        boolean ended = false;
        try {
            ended = process.waitFor(wait.toMillis(), TimeUnit.MILLISECONDS);
            return ended;
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw failure(command, command.getFirst() + " was interrupted");
        } finally {
            if (!ended) {
                process.destroyForcibly();
            }
        }
    }

    private static SchedulerException failure(List<String> command, String message) {
        return new SchedulerException(message, command, SchedulerException.NO_CODE, List.of());
    }

    /** Waits between two queries. */
    static void pause(Duration time) throws SchedulerException {
        try {
            Thread.sleep(time);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new SchedulerException("interrupted");
        }
    }

    /** Returns whether a program gives the command that it starts on another host to a shell there, as ssh(1) does. */
    public static boolean isRemoteShell(String program) {
        return program.substring(program.lastIndexOf('/') + 1).matches("[rs]sh");
    }
}
