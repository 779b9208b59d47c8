// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.common.net;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;

import org.treehaul.core.plan.servers.OwnHost;

/** The nodes of the job of PBS in which this process runs, and the programs that start others on them. */
public final class PbsNodes {

    /** The program that starts a command on a node: pbs_tmrsh(8) of OpenPBS, with the arguments of rsh. */
    public static final String TMRSH = "pbs_tmrsh";
    /** The environment variable that names the file with the nodes of a job. */
    public static final String FILE = "PBS_NODEFILE";

    private PbsNodes() {}

    /**
     * Returns whether a program starts commands through the task manager of PBS: they get an empty standard input,
     * write to the outputs of the job, and neither signals nor the end of the program reach them.
     *
     * @param program its name or path
     */
    public static boolean areStartedBy(String program) {
        return program.substring(program.lastIndexOf('/') + 1).matches(TMRSH + "|pbsdsh");
    }

    /**
     * Returns the name that a program takes for a host. pbs_tmrsh knows only the lines of the file of nodes, in which a
     * node may have a domain that its own name lacks, or the other way round.
     *
     * @param program its name or path
     * @param host the name of a host
     */
    public static String name(String program, String host) {
        return name(program, host, Optional.ofNullable(System.getenv(FILE)).map(Path::of));
    }

    static String name(String program, String host, Optional<Path> nodes) {
        if (nodes.isEmpty() || !areStartedBy(program)) {
            return host;
        }
        try (Stream<String> lines = Files.lines(nodes.get())) {
            return lines.filter(line -> OwnHost.isOne(line, host)).findFirst().orElse(host);
        } catch (IOException | UncheckedIOException e) {
            // The program says then that the host is not a node of the job.
            return host;
        }
    }
}
