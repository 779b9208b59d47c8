// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.stage;

import java.util.concurrent.Callable;

import picocli.CommandLine.Model.CommandSpec;

/**
 * {@code treehaul stage}: copies trees into parallel files over several disks or nodes, for the time of a job, and
 * back.
 */
public final class StageCommand implements Callable<Integer> {

    public final CommandSpec spec = CommandSpec.wrapWithoutInspection(this).name("stage");
    private final StageInput input;

    /** Defines the command for Picocli. */
    public StageCommand() {
        spec.usageMessage()
                .header("Spread trees over the disks of a job, and copy them back.")
                .customSynopsis("treehaul stage in [OPTION]... SOURCE NAME:[PATH]",
                        "       treehaul stage out [OPTION]... NAME:[PATH] DEST",
                        "       treehaul stage ls [OPTION]... NAME:[PATH]",
                        "       treehaul stage rm [OPTION]... NAME:[PATH]...",
                        "       treehaul stage verify [OPTION]... NAME:[PATH]",
                        "       treehaul stage check [OPTION]... NAME:",
                        "       treehaul stage repair [OPTION]... NAME:[PATH]",
                        "       treehaul stage servers [OPTION]... NAME:",
                        "       treehaul stage drain [OPTION]... NAME: SERVER",
                        "       treehaul stage unsaved [OPTION]... NAME:[PATH]")
                .description(
                        "%nThe stage NAME keeps files in segments over several directories, for the time of a job: it is scratch "
                                + "space, not a place to keep data. in copies SOURCE, which becomes PATH: a file above a "
                                + "stripe is cut, stripe by stripe over all servers, and a smaller one goes whole to the "
                                + "server with the fewest bytes. A repeated run leaves out what is there. out copies PATH "
                                + "back, which becomes DEST, and compares each stripe with its checksum. ls lists, rm "
                                + "removes. verify reads all data and compares the checksums. check compares the catalogue "
                                + "with the servers: segments that are missing, and those that no file has. repair builds copies that "
                                + "are stale, missing or damaged. servers lists the servers, drain takes one out, and unsaved lists "
                                + "files that are in the stage only.%n")
                .footer("%nExamples:",
                        "  treehaul stage in --directories /disk0,/disk1 --space ~/job.space /data/run7 job:run7",
                        "  treehaul stage ls -l --space ~/job.space job:",
                        "  treehaul stage out --space ~/job.space job:results /archive/run7",
                        "  treehaul stage rm -r --space ~/job.space job:",
                        "%nExit codes: 0 done, 1 differences, lost or unsaved files, 2 wrong usage, or nothing could be done, 20 "
                                + "interrupted, 23 some entries failed, 24 some changed or vanished.");
        input = new StageInput(spec);
    }

    @Override
    public Integer call() {
        return input.run().code();
    }
}
