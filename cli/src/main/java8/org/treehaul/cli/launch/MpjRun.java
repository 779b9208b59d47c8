// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.launch;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A start by {@code mpjrun} of MPJ Express, which calls {@code main} in each rank. Before the user's arguments it
 * passes the number of the rank, then either the number of ranks and {@code smpdev}, or a configuration and {@code
 * niodev}.
 *
 * <p>
 * With smpdev the ranks are threads of one JVM. TreeHaul creates such ranks itself, in a JVM with the right options, so
 * the first rank does that for all.
 */
final class MpjRun {
    private static final List<String> DEVICES = Arrays.asList("smpdev", "niodev", "hybdev", "mxdev");
    private static final List<String> COMMANDS = Arrays.asList("walk", "cp", "cmp");
    private static final int OWN = 3;

    private final int rank;
    private final String ranks;
    private final String device;
    private final List<String> arguments;

    private MpjRun(int rank, String ranks, String device, List<String> arguments) {
        this.rank = rank;
        this.ranks = ranks;
        this.device = device;
        this.arguments = arguments;
    }

    /** Returns whether the arguments come from mpjrun. No TreeHaul command is a number. */
    static boolean isBehind(String[] args) {
        return args.length >= OWN && args[0].matches("[0-9]{1,9}") && DEVICES.contains(args[2]);
    }

    /** Parses the arguments from mpjrun. */
    static MpjRun of(String[] args) {
        return new MpjRun(Integer.parseInt(args[0]), args[1], args[2], Arrays.asList(args).subList(OWN, args.length));
    }

    /** Returns whether this is the rank that does all the work and output. */
    boolean isFirst() {
        return rank == 0;
    }

    /** Returns the reason why these arguments are rejected; empty if they are valid. */
    String refusal() {
        if (!device.equals("smpdev")) {
            return "mpjrun can start ranks in one JVM only, without -dev: with " + device
                    + " it waits forever if a rank ends early. Start one rank on each node by srun, pbs_tmrsh or ssh"
                    + " and let them meet: --ranks N --transport mpj --meet FILE --rank R";
        }
        if (arguments.isEmpty() || !COMMANDS.contains(arguments.get(0))) {
            return "mpjrun can start only commands that ranks share: " + String.join(", ", COMMANDS);
        }
        for (String argument : arguments) {
            if (argument.equals("--ranks") || argument.startsWith("--ranks=") || argument.equals("--meet")
                    || argument.startsWith("--meet=")) {
                return "mpjrun -np sets the number of ranks: omit --ranks and --meet";
            }
        }
        return "";
    }

    /** Returns the arguments that make TreeHaul create the same ranks. */
    String[] arguments() {
        List<String> all = new ArrayList<String>(arguments);
        all.addAll(1, Arrays.asList("--ranks=" + ranks, "--transport=mpj"));
        return all.toArray(new String[0]);
    }
}
