// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.tree;

import java.io.IOException;
import java.util.concurrent.Callable;

import org.jspecify.annotations.Nullable;
import org.treehaul.cli.args.Options;
import org.treehaul.cli.common.CommonOptions;
import org.treehaul.cli.common.SelectOptions;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.manifest.ManifestHash;
import org.treehaul.core.walk.options.Symlinks;
import org.treehaul.core.walk.options.WalkOptions;
import picocli.CommandLine.Model.CommandSpec;

/** {@code treehaul manifest}: writes the checksums of a tree, or compares a tree with them. */
public final class ManifestCommand implements Callable<Integer> {

    private enum Kind {
        sha256,
        xxh3
    }

    public final CommandSpec spec = CommandSpec.wrapWithoutInspection(this);
    private final SelectOptions select = new SelectOptions(spec);
    private final CommonOptions common = new CommonOptions(spec);
    private @Nullable ByteString tree;
    private ByteString output = ManifestFiles.STANDARD;
    private @Nullable ByteString checked;
    private Kind hash = Kind.sha256;
    private boolean follow;

    /** Defines the command for Picocli. */
    public ManifestCommand() {
        spec.name("manifest");
        common.addQuiet();
        spec.usageMessage()
                .header("Write the checksums of a tree, or check a tree against them.")
                .customSynopsis("treehaul manifest [OPTION]... [TREE]",
                        "       treehaul manifest [OPTION]... --check FILE TREE")
                .description(
                        "%nReads each regular file below TREE, by default the working directory, and prints a line that 'sha256sum "
                                + "-c' reads, with the path below TREE. With --check, compares TREE, which must be given, with such lines "
                                + "and prints one line for each file that differs, is missing, or is not in the manifest.%n")
                .footer("%nExamples:", "  treehaul manifest -o run7.sha256 /data/run7",
                        "  treehaul manifest --check run7.sha256 /archive/run7",
                        "%nExit codes: 0 done, with --check no difference; 1 differences; 2 something could not be read or "
                                + "compared; 20 interrupted; without --check 23 some entries could not be read, 24 some changed or vanished.");
        Options.add(spec, Options.optionalOperand(ByteString.class, value -> tree = value), "TREE", "The tree.");
        Options.add(spec, Options.value(ByteString.class, value -> output = value, "-o", "--output"), "FILE",
                "Write to FILE, which is replaced when the manifest is complete. Default: standard output.");
        Options.add(spec, Options.value(ByteString.class, value -> checked = value, "--check"), "FILE",
                "Compare TREE with the manifest in FILE (- is standard input).");
        Options.add(spec, Options.attached(Kind.class, "sha256", value -> hash = value, "--hash"), "KIND",
                "Write sha256 or xxh3 (128 bits, faster). Default: sha256.");
        Options.add(spec, Options.flag(value -> follow = value, "-H"), "Follow a symbolic link that is TREE itself.");
    }

    @Override
    public Integer call() throws IOException {
        if (checked != null && (common.isGiven("--output") || common.isGiven("--hash"))) {
            throw common
                    .usage("--check reads a manifest, whose lines show their hash; -o and --hash are for writing one");
        }
        if (checked != null && tree == null) {
            throw common
                    .usage("--check " + checked + " needs the TREE to compare with it; '.' is the working directory");
        }
        ByteString standardInput = ByteString.of("-");
        if (checked != null && checked.equals(standardInput) && select.filesFrom != null
                && select.filesFrom.equals(standardInput)) {
            throw common
                    .usage("--check - and --files-from - cannot both read standard input; put one of them in a file");
        }
        WalkOptions walk = WalkOptions.defaults()
                .withSymlinks(follow ? Symlinks.ROOTS : Symlinks.NEVER)
                .withOneFileSystem(select.oneFileSystem)
                .withFilter(select.filter())
                .withThreads(common.threads);
        ManifestFiles files = new ManifestFiles(Linux.calls(), common, walk,
                select.root(tree == null ? ByteString.of(".") : tree));
        return (checked != null
                ? files.check(checked)
                : files.write("-o", output, hash == Kind.sha256 ? ManifestHash.SHA256 : ManifestHash.XXH3)).code();
    }
}
