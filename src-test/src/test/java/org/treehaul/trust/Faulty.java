// SPDX-License-Identifier: Apache-2.0
package org.treehaul.trust;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import org.treehaul.packaged.Run;

/** Runs the packaged program under strace(1), which makes system calls fail. */
final class Faulty {

    private Faulty() {}

    /**
     * Runs treehaul.
     *
     * @param path calls on this path, and on its descriptors, fail
     * @param calls the names of the calls, separated by commas
     * @param fault how they fail, in the syntax of strace: {@code error=EIO:when=2+}
     */
    static Run treehaul(Path path, String calls, String fault, Object... arguments)
            throws IOException, InterruptedException {
        return run(List.of("-P", path), calls, fault, arguments);
    }

    /** Runs treehaul with calls that fail for any path; strace counts them separately for each thread. */
    static Run treehaulAnywhere(String calls, String fault, Object... arguments)
            throws IOException, InterruptedException {
        return run(List.of(), calls, fault, arguments);
    }

    private static Run run(List<?> path, String calls, String fault, Object... arguments)
            throws IOException, InterruptedException {
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/strace")), "strace is not installed");
        assumeTrue(Run.of("strace", "-o", "/dev/null", "true").code() == 0, "strace may not trace here (ptrace)");
        List<Object> strace = new ArrayList<>(List.of("strace", "-f", "--seccomp-bpf", "-qq", "-o", "/dev/null"));
        strace.addAll(path);
        strace.addAll(List.of("-e", "trace=" + calls, "-e", "inject=" + calls + ":" + fault));
        return Run.treehaulBy(strace, arguments);
    }
}
