// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.tree;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

import org.jspecify.annotations.Nullable;
import org.treehaul.cli.args.Options;
import org.treehaul.cli.common.ByteFiles;
import org.treehaul.cli.common.CommonOptions;
import org.treehaul.cli.common.ExitCode;
import org.treehaul.cli.common.Session;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.event.Event;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.walk.options.Root;
import org.treehaul.core.walk.options.WalkOptions;
import org.treehaul.strategies.ranks.simulation.ShapeRecorder;
import org.treehaul.strategies.ranks.simulation.TreeShape;
import picocli.CommandLine.Model.CommandSpec;

/** The option {@code --record-shape}: records the shape of a tree in place of listing or summarising it. */
final class ShapeOption {

    private final CommonOptions common;
    private @Nullable ByteString file;

    /** Adds the option to a command. */
    ShapeOption(CommandSpec command, CommonOptions common) {
        this.common = common;
        Options.add(command, Options.value(ByteString.class, value -> file = value, "--record-shape"), "FILE",
                "Record the shape of the tree and the time of calls in FILE, for simulate, and print nothing else.");
    }

    boolean isGiven() {
        return file != null;
    }

    /**
     * Checks the combination with other options.
     *
     * @param printsMore whether entries or a summary are to be printed too
     */
    void check(boolean printsMore) {
        if (printsMore || common.isGiven("--ranks")) {
            throw common.usage("--record-shape cannot be combined with --print, --json, --summary and --ranks");
        }
    }

    /** Walks the trees, writes the file, and returns the exit code. */
    ExitCode record(WalkOptions options, List<Root> roots) {
        ByteString path = Objects.requireNonNull(file);
        common.progress = CommonOptions.When.never;
        try (Session session = Session.begin(common, false)) {
            Optional<TreeShape> shape = ShapeRecorder.record(Linux.calls(), options, roots, session.cancellation(),
                    failure -> session.onEvent(new Event.Failed(failure)));
            if (shape.isPresent() && !session.cancellation().isCancelled()) {
                ByteFiles.write(path, shape.get().text().getBytes(StandardCharsets.US_ASCII));
            }
            return session.end(session.problems().counts(), !session.cancellation().isCancelled());
        } catch (IOException e) {
            throw common.usage("--record-shape " + path + ": " + e.getMessage());
        }
    }
}
