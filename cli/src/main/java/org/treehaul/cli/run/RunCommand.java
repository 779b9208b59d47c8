// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.run;

import java.util.concurrent.Callable;

import picocli.CommandLine.Model.CommandSpec;

/** {@code treehaul run}: runs a command for each file of trees, with many processes or by jobs. */
public final class RunCommand implements Callable<Integer> {

    public final CommandSpec spec = CommandSpec.wrapWithoutInspection(this).name("run");
    private final RunInput input;

    /** Defines the command for Picocli. */
    public RunCommand() {
        spec.usageMessage()
                .header("Run a command for each file of trees, like xargs and GNU parallel.")
                .customSynopsis("treehaul run [OPTION]... SOURCE... -- COMMAND [ARGUMENT]...",
                        "       treehaul run [OPTION]... --task TASK SOURCE...",
                        "       treehaul run --at NAME [OPTION]... [SOURCE]... -- COMMAND [ARGUMENT]...",
                        "       treehaul run --outputs ID [--tag]")
                .description(
                        "%nRuns COMMAND for each regular file at and below each SOURCE, several at a time. {} in a word is the "
                                + "path, {/} its last name, {//} its directory, {.} the path without the extension, {/.} the last "
                                + "name without it; without any of them the path follows the last word. {@} is a file that lists "
                                + "many paths, each ended by NUL, and COMMAND runs once for each list. With --segments, {offset} and {length} are the range of a "
                                + "large file in bytes, and {segment} is its number. No shell reads the words, "
                                + "unless COMMAND is one. The output of each run is printed when it ends. With --at, the files are those of a stage, "
                                + "and COMMAND runs on the node that has them.%n")
                .footer("%nExamples:", "  treehaul run /data --where 'name=*.csv' -- gzip -9 {}",
                        "  treehaul run /data --where 'size>1G' --dry-run -- md5sum {}",
                        "  treehaul run --threads 8 --join photos -- convert {} -resize 50%% {.}.small.jpg",
                        "  treehaul run /data -- sh -c 'wc -l < \"$1\"' sh {}",
                        "  treehaul run --scheduler slurm --jobs 8 --wait --output-dir out /data -- ./analyse {}",
                        "  treehaul run --segments 1G /data -- ./parse --from {offset} --bytes {length} {}",
                        "  treehaul run /data -- tar -cf part.tar --null -T {@}",
                        "%nExit codes: 0 all succeeded, 2 nothing could be done, 20 interrupted, 23 the command failed for some "
                                + "files, 24 some vanished.");
        input = new RunInput(spec);
    }

    @Override
    public Integer call() throws InterruptedException {
        if (input.printsOutputs()) {
            return input.printOutputs().code();
        }
        try (ClassOptions.Opened _ = input.open()) {
            return input.entries.run(input.task());
        }
    }
}
