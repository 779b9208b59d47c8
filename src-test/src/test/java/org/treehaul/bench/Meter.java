// SPDX-License-Identifier: Apache-2.0
package org.treehaul.bench;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import org.treehaul.programs.Programs;

/**
 * Runs a command and measures the whole process with all its children.
 *
 * @param name the name of the measuring program
 * @param prefix the words before the command; {@code {result}} is the file for wall, user and system time and peak
 *        memory
 * @param work the directory for the results
 */
public record Meter(String name, List<String> prefix, Path work) {

    /**
     * The measurement of one run.
     *
     * @param wall seconds from start to end
     * @param user seconds of CPU time in the program
     * @param system seconds of CPU time in the kernel
     * @param peakKib peak memory of the largest process; 0 if the meter cannot measure it
     * @param code exit code
     * @param error the standard error
     */
    public record Measurement(double wall, double user, double system, long peakKib, int code, String error) {
        /** Returns the seconds of CPU time. */
        public double cpu() {
            return user + system;
        }
    }

    /** Returns the best available meter: our own in C, else GNU time (hundredths of seconds), else the shell's. */
    public static Meter choose(Path work) throws IOException {
        Optional<Path> own = compile("measure", work);
        if (own.isPresent()) {
            return new Meter("wait4", List.of(own.get().toString(), "{result}"), work);
        }
        if (Files.isExecutable(Path.of("/usr/bin/time"))) {
            return new Meter("GNU time", List.of("/usr/bin/time", "-q", "-o", "{result}", "-f", "%e %U %S %M"), work);
        }
        return new Meter("bash",
                List.of("bash", "-c", "TIMEFORMAT='%3R %3U %3S 0'; { time \"$@\" 2>&3; } 3>&2 2>\"$0\"", "{result}"),
                work);
    }

    /** Compiles one of our C programs, if there is a compiler. */
    static Optional<Path> compile(String program, Path work) throws IOException {
        if (Programs.find("gcc").isEmpty()) {
            return Optional.empty();
        }
        Path source = work.resolve(program + ".c");
        try (InputStream in = Meter.class.getResourceAsStream("/bench/" + program + ".c")) {
            if (in == null) {
                throw new IOException("no resource bench/" + program + ".c");
            }
            Files.write(source, in.readAllBytes());
        }
        Path binary = work.resolve(program);
        Programs.run("gcc", "-O2", "-Wall", "-Wextra", "-Werror", "-pthread", "-o", binary, source);
        return Optional.of(binary);
    }

    /** Runs a command to its end. */
    public Measurement measure(List<String> command) throws IOException, InterruptedException {
        Path result = work.resolve("result");
        Path error = work.resolve("error");
        Files.deleteIfExists(result);
        List<String> all = new ArrayList<>(
                prefix.stream().map(part -> part.replace("{result}", result.toString())).toList());
        all.addAll(command);
        ProcessBuilder builder = new ProcessBuilder(all).redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(error.toFile())
                .redirectInput(Path.of("/dev/null").toFile());
        builder.environment().put("LC_ALL", "C");
        // Open MPI runs as root only with both variables set.
        builder.environment().put("OMPI_ALLOW_RUN_AS_ROOT", "1");
        builder.environment().put("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
        int code = builder.start().waitFor();
        String said = new String(Files.readAllBytes(error), StandardCharsets.UTF_8).strip();
        String[] numbers = Files.readString(result).lines().reduce("", (first, last) -> last).strip().split(" ", -1);
        if (numbers.length != 4) {
            throw new IOException(name + " measured nothing for " + String.join(" ", command) + ": " + said);
        }
        return new Measurement(Double.parseDouble(numbers[0]), Double.parseDouble(numbers[1]),
                Double.parseDouble(numbers[2]), Long.parseLong(numbers[3]), code, said);
    }
}
