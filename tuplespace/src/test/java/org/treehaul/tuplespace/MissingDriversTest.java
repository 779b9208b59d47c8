// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.File;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.treehaul.tuplespace.Shapes.Job;
import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.store.SpaceUri;

/** Programs without the libraries for one kind of space use the others. */
class MissingDriversTest {

    /** A program that tries to use each kind of space. */
    static final class Program {
        private Program() {}

        public static void main(String[] args) {
            say(() -> use(TupleSpaces.memory()));
            say(() -> use(TupleSpaces.open(Path.of(args[0]), SpaceOptions.defaults())));
            // No server listens there.
            SpaceUri uri = SpaceUri.parse("postgresql://alice@127.0.0.1:1/jobs");
            List<Runnable> uses = List.of(() -> TupleSpaces.open(uri, SpaceOptions.defaults()),
                    () -> TupleSpaces.openToRead(uri, SpaceOptions.defaults()), () -> TupleSpaces.exists(uri),
                    () -> TupleSpaces.bytes(uri), () -> TupleSpaces.check(uri),
                    () -> TupleSpaces.bulkLoad(uri, SpaceOptions.defaults()), () -> TupleSpaces.members(uri).list());
            uses.forEach(Program::say);
        }

        private static void use(TupleSpace opened) {
            try (TupleSpace space = opened) {
                space.write(new Job(1, "new", null));
                System.out.println(space.count(SpaceFixture.JOBS));
            }
        }

        private static void say(Runnable use) {
            try {
                use.run();
            } catch (SpaceException e) {
                System.out.println(e.reason() + ": " + e.getMessage());
            } catch (RuntimeException | LinkageError e) {
                System.out.println(e);
            }
        }
    }

    @TempDir
    Path directory;

    private Process without(String... libraries) throws Exception {
        String path = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
        String rest = Arrays.stream(path.split(File.pathSeparator))
                .filter(entry -> Arrays.stream(libraries)
                        .noneMatch(library -> Path.of(entry).getFileName().toString().startsWith(library)))
                .collect(Collectors.joining(File.pathSeparator));
        return new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin/java").toString(),
                "--enable-native-access=ALL-UNNAMED", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xmx64m", "-cp",
                rest, Program.class.getName(), directory.resolve(String.join("+", libraries)).toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    private static List<String> said(Process program) throws Exception {
        try (BufferedReader said = program.inputReader()) {
            List<String> lines = said.readAllLines();
            assertThat(program.waitFor()).isZero();
            return lines;
        }
    }

    @Test
    void aProgramUsesTheSpacesWhoseLibrariesItHasAndGetsAnErrorThatNamesThoseOfOthers() throws Exception {
        Process withoutSqlite = without("sqlite-jdbc-");
        List<Process> programs = List.of(without("postgresql-"), without("HikariCP-"),
                without("postgresql-", "HikariCP-"));
        for (Process program : programs) {
            List<String> lines = said(program);
            assertThat(lines).hasSize(9).startsWith("1", "1");
            assertThat(lines.subList(2, 9)).allMatch(line -> line.startsWith("DRIVER: ")
                    && line.contains("org.postgresql:postgresql") && line.contains("com.zaxxer:HikariCP"));
        }
        List<String> lines = said(withoutSqlite);
        assertThat(lines).hasSize(9)
                .startsWith("1", "DRIVER: SQLite cannot start: the library sqlite-jdbc"
                        + " (org.xerial) is not on the class path");
        assertThat(lines.subList(2, 9)).allMatch(line -> line.startsWith("IO: "));
    }
}
