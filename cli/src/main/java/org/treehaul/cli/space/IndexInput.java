// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.space;

import java.util.Locale;

import org.treehaul.cli.args.Options;
import org.treehaul.cli.common.CommonOptions;
import org.treehaul.cli.common.Conditions;
import org.treehaul.cli.common.SelectOptions;
import org.treehaul.core.walk.options.WalkOptions;
import org.treehaul.tuplespace.files.index.IndexOptions;
import picocli.CommandLine.Model.CommandSpec;

/** The options that define what an index run reads and stores. */
final class IndexInput {

    /** The hashes that can be recorded. */
    enum Hash {
        none,
        xxh3,
        sha256
    }

    private final SelectOptions select;
    private final Conditions conditions;
    private final CommonOptions common;
    private Hash hash = Hash.none;
    private boolean isLocalityStored;
    private boolean isLossAccepted;

    /** Adds the options to a command. */
    IndexInput(CommandSpec command, CommonOptions common) {
        this.common = common;
        select = new SelectOptions(command, false);
        conditions = new Conditions(command);
        Options.add(command, Options.attached(Hash.class, "xxh3", value -> hash = value, "--hash"), "KIND",
                "Store a hash of the data of each regular file too: xxh3 or sha256. Reads every file that is new "
                        + "or changed.");
        Options.add(command, Options.flag(value -> isLocalityStored = value, "--locality"),
                "Store the servers that have the data of each regular file too, on file systems that name them "
                        + "(GlusterFS, MooseFS, Lustre).");
        Options.add(command, Options.flag(value -> isLossAccepted = value, "--accept-loss"),
                "Remove entries that are no longer listed from the index, even if they are more than a tenth of a "
                        + "tree of 1,000 or more entries. Without this option the index stays unchanged in this case.");
    }

    boolean isLossAccepted() {
        return isLossAccepted;
    }

    IndexOptions options() {
        return IndexOptions.defaults()
                .withWalk(WalkOptions.defaults()
                        .withOneFileSystem(select.oneFileSystem)
                        .withFilter(select.filter())
                        .withThreads(common.threads))
                .withHash(IndexOptions.Hash.valueOf(hash.name().toUpperCase(Locale.ROOT)))
                .withLocality(isLocalityStored)
                .withLossAccepted(isLossAccepted)
                .withWhere(conditions.words());
    }
}
