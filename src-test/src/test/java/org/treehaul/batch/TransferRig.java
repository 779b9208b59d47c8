// SPDX-License-Identifier: Apache-2.0
package org.treehaul.batch;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

import org.treehaul.core.testing.Privilege;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.schedulers.JobPhase;
import org.treehaul.schedulers.JobRequest;
import org.treehaul.schedulers.JobState;
import org.treehaul.schedulers.Launch;
import org.treehaul.schedulers.Scheduler;

/**
 * The directory of a transfer whose jobs run {@code stand-in-java}: each records in {@code ran} how it was started and
 * then runs the commands that a test wrote into {@code behave}. It belongs to an ordinary user; {@link #asUser} runs
 * programs as that user.
 */
final class TransferRig implements AutoCloseable {
    static final String ID = "20261121-120000-abcd";
    /** The user id of nobody. */
    static final int USER = 65534;

    private static final Duration PATIENCE = Duration.ofMinutes(3);

    private final TestDirectory directory = TestDirectory.make();
    private final Path transfer;

    TransferRig() throws IOException {
        allow("rwxr-xr-x", directory.path());
        // Characters with a meaning in a shell must not matter.
        Path states = Files.createDirectory(directory.resolve("a state; $(touch oops) 'dir'"));
        allow("rwxr-xr-x", states);
        Path programs = Files.createDirectory(directory.resolve("a jar;"));
        allow("rwxr-xr-x", programs);
        allow("rw-r--r--", Files.createFile(jar()));
        transfer = Files.createDirectory(states.resolve(ID));
        for (String name : List.of("launch", "log", "ran", "behave", "generations")) {
            allow("rwx------", Files.createDirectory(transfer.resolve(name)));
        }
        Files.writeString(transfer.resolve("generations/1"), "");
        allow("rwx------", transfer);
        install("stand-in-java", java());
        launch(List.of(), List.of(), Optional.of(java()));
    }

    static void allow(String mode, Path path) throws IOException {
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(mode));
    }

    /** Copies a program from the test resources. */
    static void install(String resource, Path file) throws IOException {
        try (InputStream in = Objects.requireNonNull(TransferRig.class.getResourceAsStream(resource), resource)) {
            Files.copy(in, file);
        }
        allow("rwxr-xr-x", file);
    }

    void launch(List<String> pre, List<String> post, Optional<Path> java) throws IOException {
        new Launch(java, jar(), List.of("-Da=b c", "-Dd=$e"), pre, post,
                List.of("echo \"$TREEHAUL_TRANSFER $TREEHAUL_CODE\" > completed")).write(transfer);
        try (Stream<Path> files = Files.list(transfer.resolve("launch"))) {
            for (Path file : files.toList()) {
                allow("rwxr-xr-x", file);
            }
        }
    }

    /** Returns the jar that Java receives: an empty file. */
    Path jar() {
        return directory.resolve("a jar;/treehaul.jar");
    }

    /** Adds an empty jar to the class path of jobs, and returns it. */
    Path furtherJar(String name) throws IOException {
        Path jar = Files.createFile(jar().resolveSibling(name));
        allow("rw-r--r--", jar);
        Files.writeString(path("launch/jars"), jar + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        return jar;
    }

    /** Returns the stand-in for Java. */
    Path java() {
        return directory.resolve("java");
    }

    Path transfer() {
        return transfer;
    }

    Path path(String name) {
        return transfer.resolve(name);
    }

    JobRequest workers(int jobs) {
        return JobRequest.of(ID, 1, JobPhase.WORKER, transfer).jobs(jobs);
    }

    JobRequest finish(List<String> after) {
        return JobRequest.of(ID, 1, JobPhase.FINISH, transfer).after(after);
    }

    /** Sets a line of shell for the jobs of a phase ({@code worker}) or one of its jobs ({@code worker.3}). */
    void behave(String job, String line) throws IOException {
        Files.writeString(path("behave/" + job), line + "\n");
    }

    /** Returns an environment in which programs run as an ordinary user. */
    Map<String, String> asUser(Map<String, String> environment, String... programs) throws IOException {
        Privilege.requireRoot("to run as another user");
        Path wrappers = Files.createDirectory(directory.resolve("as-user"));
        String path = environment.getOrDefault("PATH", "/usr/bin:/bin");
        for (String program : programs) {
            Path real = Stream.of(path.split(":"))
                    .map(place -> Path.of(place, program))
                    .filter(Files::isExecutable)
                    .findFirst()
                    .orElseThrow();
            Path wrapper = wrappers.resolve(program);
            // A job may call the wrapper too, already as that user. The wrapper gives the user the files that the test
            // made as root.
            Files.writeString(wrapper,
                    "#!/bin/sh\n[ \"$(id -u)\" != 0 ] && exec '" + real + "' \"$@\"\nchown -R " + USER + " '"
                            + transfer.toString().replace("'", "'\\''") + "'\n" + "exec /usr/bin/setpriv --reuid="
                            + USER + " --regid=" + USER + " --clear-groups --inh-caps=-all '" + real + "' \"$@\"\n");
            allow("rwxr-xr-x", wrapper);
        }
        Map<String, String> changed = new TreeMap<>(environment);
        changed.put("PATH", wrappers + ":" + path);
        return changed;
    }

    /** Returns the records of the jobs that began, by {@code phase.index}; for a job that ran twice, one of them. */
    Map<String, String> ran() {
        Map<String, String> notes = new TreeMap<>();
        try (Stream<Path> files = Files.list(path("ran"))) {
            for (Path file : files.filter(file -> !file.toString().endsWith(".new")).toList()) {
                String name = String.valueOf(file.getFileName());
                notes.put(name.substring(0, name.lastIndexOf('.')),
                        Files.readString(file, StandardCharsets.ISO_8859_1));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return notes;
    }

    /** Returns how often jobs with this name began. */
    long times(String job) {
        try (Stream<Path> files = Files.list(path("ran"))) {
            return files.filter(file -> String.valueOf(file.getFileName()).startsWith(job + ".")).count();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Waits until jobs with these names have begun. */
    void awaitRan(String... jobs) {
        await().atMost(PATIENCE).until(() -> ran().keySet().containsAll(List.of(jobs)));
    }

    /** Waits until none of the jobs may run any more, and returns their states. */
    static Map<String, JobState> awaitEnd(Scheduler scheduler, Collection<String> ids) {
        return await().atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(200))
                .until(() -> scheduler.states(ids), states -> states.values().stream().noneMatch(JobState::mayRun));
    }

    /** Returns the text of the only log whose name has this prefix. */
    String log(String prefix) throws IOException {
        try (Stream<Path> files = Files.list(path("log"))) {
            List<Path> found = files.filter(file -> String.valueOf(file.getFileName()).startsWith(prefix)).toList();
            return found.size() == 1
                    ? Files.readString(found.getFirst(), StandardCharsets.ISO_8859_1)
                    : "not one log " + prefix + ": " + found;
        }
    }

    @Override
    public void close() {
        directory.close();
    }
}
