// SPDX-License-Identifier: Apache-2.0
package org.treehaul.batch;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import javax.tools.ToolProvider;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.treehaul.core.testing.Privilege;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.packaged.Run;
import org.treehaul.programs.Programs;

/** Attacks by another member of the group on a user whose umask is 002. */
class StrangerTest {

    private static final int GROUP = 61010;
    private static final List<Object> USER = as(61001);
    private static final List<Object> STRANGER = as(61002);

    private TestDirectory directory = TestDirectory.make();

    private static List<Object> as(int user) {
        return List.of("setpriv", "--reuid=" + user, "--regid=" + GROUP, "--clear-groups", "--inh-caps=-all", "sh",
                "-c", "umask 002; exec \"$@\"", "sh");
    }

    @BeforeEach
    void make() throws Exception {
        Privilege.requireRoot("to run as two other users");
        Programs.require("setpriv", "util-linux");
        directory.close();
        directory = TestDirectory.make();
        Run.of("chmod", "755", directory.path()).expect(0);
        Run.copyOfJar(directory.path());
        for (String place : List.of("state", "tree", "tree/source")) {
            Run.of("install", "-d", "-m", "755", "-o", "61001", "-g", String.valueOf(GROUP), directory.resolve(place))
                    .expect(0);
        }
        Files.writeString(directory.resolve("tree/source/file"), "data\n");
    }

    @AfterEach
    void remove() {
        directory.close();
    }

    /** Makes a jar whose main class of that name creates a file. */
    private Path foreignJar(Path leaves) throws Exception {
        Path classes = Files.createDirectories(directory.resolve("evil/org/treehaul/cli"));
        Path source = Files.writeString(classes.resolve("Main.java"),
                "package org.treehaul.cli;\npublic class Main { public static void main(String[] a) throws Exception {"
                        + " new java.io.File(\"" + leaves + "\").createNewFile(); } }\n");
        assertThat(ToolProvider.getSystemJavaCompiler().run(null, null, null, source.toString())).isZero();
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (JarOutputStream jar = new JarOutputStream(bytes)) {
            jar.putNextEntry(new JarEntry("org/treehaul/cli/Main.class"));
            jar.write(Files.readAllBytes(classes.resolve("Main.class")));
        }
        return Files.write(directory.resolve("evil.jar"), bytes.toByteArray());
    }

    private Process copy(Object... options) throws IOException {
        List<Object> arguments = new ArrayList<>(
                List.of("cp", "-a", "--scheduler", "local", "--state-dir", directory.resolve("state"), "--wait",
                        directory.resolve("tree/source"), directory.resolve("tree/copy")));
        arguments.addAll(List.of(options));
        return new ProcessBuilder(Run.command(USER, directory.resolve("treehaul.jar"), arguments.toArray()))
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("said").toFile())
                .start();
    }

    @Test
    void theProgramOfAJobThatWaitsCannotBeExchanged() throws Exception {
        Path owned = directory.resolve("tree/owned");
        Path evil = foreignJar(owned);
        Path ready = directory.resolve("tree/ready");
        Path go = directory.resolve("go");
        Process copy = copy("--pre", "touch " + ready + "; until [ -e " + go + " ]; do sleep 0.1; done");
        Awaitility.await().atMost(Duration.ofMinutes(2)).until(() -> Files.exists(ready) || !copy.isAlive());
        String exchange = "cd '" + directory.resolve("state/programs")
                + "' && for jar in *.jar; do mv \"$jar\" gone && cp '" + evil + "' \"$jar\"; done";
        Run attack = Run.of(Stream.concat(STRANGER.stream(), Stream.of("sh", "-c", exchange)).toArray());
        Files.writeString(go, "");
        assertThat(copy.waitFor()).as(Files.readString(directory.resolve("said"))).isZero();
        assertThat(owned).doesNotExist();
        assertThat(attack.code()).isNotZero();
        assertThat(directory.resolve("tree/copy/file")).hasContent("data\n");
    }

    @Test
    void aStateDirectoryThatOthersCanMoveAwayIsRefused() throws Exception {
        Run.of("chmod", "g+w", directory.path()).expect(0);
        Run.of("chgrp", GROUP, directory.path()).expect(0);
        Process copy = copy();
        assertThat(copy.waitFor()).isEqualTo(2);
        assertThat(Files.readString(directory.resolve("said"))).contains(directory.path() + " is writable by others",
                "chmod go-w", "--state-dir");
    }
}
