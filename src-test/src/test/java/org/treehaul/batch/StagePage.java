// SPDX-License-Identifier: Apache-2.0
package org.treehaul.batch;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

import org.treehaul.core.testing.TestDirectory;
import org.treehaul.packaged.Examples;
import org.treehaul.packaged.Run;

/** The scripts of the page about a stage on four nodes, and a directory in which a job can run them. */
final class StagePage {

    private final String page;

    StagePage() throws IOException {
        page = Files.readString(
                Path.of(System.getProperty("treehaul.root")).toRealPath().resolve("docs/guide/stage-on-nodes.md"));
    }

    /** Returns the script of a section. */
    String script(String heading) {
        return block(heading, "sh");
    }

    /** Returns the output of the script for Slurm. */
    String printed() {
        return block("It prints:", "");
    }

    private String block(String after, String fence) {
        String start = "\n```" + fence + "\n";
        int from = page.indexOf(start, page.indexOf(after)) + start.length();
        return page.substring(from, page.indexOf("\n```\n", from) + 1);
    }

    /** Makes the large file, the classes of the example, and the programs treehaul and java in bin. */
    static void prepare(TestDirectory directory) throws Exception {
        Path programs = directory.directory("bin");
        String java = Run.JAVA + " -XX:+UseSerialGC -XX:TieredStopAtLevel=1";
        program(programs.resolve("treehaul"), java + " -jar " + Run.JAR.toRealPath());
        program(programs.resolve("java"), java);
        Examples.provide(directory.directory("classes"), "UpdateStaged", "org.treehaul.schedulers.tasks.TaskProvider");
        Run.of("sh", "-c", "mkdir \"$0\"/run7 && yes 'a line of the large file' | head -c 6000000 > \"$0\"/run7/large",
                directory.path()).expect(0);
    }

    private static void program(Path file, String command) throws IOException {
        Files.writeString(file, "#!/bin/sh\nexec " + command + " \"$@\"\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    /** Fails if the collected file is not the one that the tasks have changed. */
    static void assertCollected(TestDirectory directory) throws Exception {
        Run.of("sh", "-c", "tr a-z A-Z < \"$0\"/run7/large | cmp - \"$0\"/back/large", directory.path()).expect(0);
    }
}
