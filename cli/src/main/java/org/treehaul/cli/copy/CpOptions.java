// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.copy;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import org.treehaul.cli.args.Abbreviations;
import org.treehaul.cli.args.ByteSize;
import org.treehaul.cli.args.Options;
import org.treehaul.cli.common.CommonOptions;
import org.treehaul.cli.common.Conditions;
import org.treehaul.cli.common.SelectOptions;
import org.treehaul.cli.common.UsageException;
import org.treehaul.core.copy.CopyArguments;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.copy.options.CopyOptionsBuilder;
import org.treehaul.core.copy.options.Preserve;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.plan.PlanRequest;
import org.treehaul.core.walk.options.Symlinks;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/** The options of {@code treehaul cp}. If two of them set the same thing, the later one wins, as with cp. */
public final class CpOptions {

    /**
     * The long options of GNU cp: their abbreviations have precedence over options of TreeHaul with the same
     * abbreviation.
     */
    public static final Set<String> OF_GNU_CP = Set.of("--archive", "--attributes-only", "--backup", "--copy-contents",
            "--dereference", "--force", "--interactive", "--link", "--no-clobber", "--no-dereference", "--no-preserve",
            "--no-target-directory", "--one-file-system", "--parents", "--preserve", "--recursive",
            "--remove-destination", "--sparse", "--reflink", "--strip-trailing-slashes", "--suffix", "--symbolic-link",
            "--target-directory", "--update", "--verbose", "--help", "--version");

    private final CommandSpec command;
    private final PreserveWords preserve = new PreserveWords();
    private boolean recursive;
    private @Nullable Symlinks symlinks;
    private final Conditions conditions;
    private final ReplaceOptions replace;
    private boolean hardLinks;
    private boolean symbolicLinks;
    private boolean copyContents;
    private CopyOptions.Verify verify = CopyOptions.Verify.NONE;
    @Nullable ByteString targetDirectory;
    boolean noTargetDirectory;
    boolean parents;
    boolean stripTrailingSlashes;
    private boolean inPlace;
    private boolean attributesOnly;
    boolean dryRun;
    private boolean fsync;
    private boolean direct;
    private CommonOptions.When reflink = CommonOptions.When.auto;
    private CommonOptions.When sparse = CommonOptions.When.auto;
    private @Nullable ByteSize bandwidth;
    private @Nullable ByteSize chunkSize;
    @Nullable ByteString secretFile;
    boolean tls;
    int copies;

    /** Adds the options to a command. */
    CpOptions(CommandSpec command) {
        this.command = command;
        conditions = new Conditions(command);
        BiConsumer<String, Object> set = this::set;
        Options.add(command, Options.named(Boolean.class, set, "-a", "--archive"),
                "Copy trees with all attributes, like -d -r --preserve=all.");
        Options.add(command, Options.named(Boolean.class, set, "-r", "-R", "--recursive"),
                "Copy directories with their contents.");
        Options.add(command, Options.named(Boolean.class, set, "-p"), "Like --preserve=" + PreserveWords.USUAL + ".");
        Options.add(command, Options.named(Boolean.class, set, "-d"), "Like -P --preserve=links.");
        Options.add(command, Options.named(Boolean.class, set, "-L", "--dereference"),
                "Follow all symbolic links in sources.");
        Options.add(command, Options.named(Boolean.class, set, "-P", "--no-dereference"),
                "Copy symbolic links as links. The default with -r.");
        Options.add(command, Options.named(Boolean.class, set, "-H"),
                "Follow symbolic links that are given as SOURCE.");
        Options.add(command, Options.namedAttached(String.class, PreserveWords.USUAL, set, "--preserve"), "LIST",
                "Preserve mode, ownership, timestamps, links, xattr, acl or all. Failing to preserve one that is named by its own "
                        + "word is an error. Default: " + PreserveWords.USUAL + ".");
        Options.add(command, Options.named(String.class, set, "--no-preserve"), "LIST", "Do not preserve these.");
        Options.add(command, Options.named(ByteString.class, set, "-t", "--target-directory"), "DIRECTORY",
                "Copy all SOURCEs into DIRECTORY.");
        Options.add(command, Options.named(Boolean.class, set, "-T", "--no-target-directory"),
                "Treat DEST as the name of the copy, even if it is a directory.");
        Options.add(command, Options.named(Boolean.class, set, "--parents"),
                "Recreate the whole path of each SOURCE below DIRECTORY.");
        Options.add(command, Options.named(Boolean.class, set, "--strip-trailing-slashes"),
                "Remove trailing slashes from each SOURCE.");
        replace = new ReplaceOptions(command, System.getenv());
        Options.add(command, Options.named(Boolean.class, set, "-l", "--link"), "Make hard links instead of copies.");
        Options.add(command, Options.named(Boolean.class, set, "-s", "--symbolic-link"),
                "Make symbolic links instead of copies.");
        Options.add(command, Options.named(Boolean.class, set, "--copy-contents"),
                "With -r, copy the data read from FIFOs and devices instead of making such nodes.");
        Options.add(command, Options.named(Boolean.class, set, "--in-place"),
                "Overwrite existing files in place, keeping their inodes and links, as GNU cp does.");
        Options.add(command, Options.named(Boolean.class, set, "--attributes-only"),
                "Copy attributes only, without data.");
        Options.add(command, Options.namedAttached(String.class, "xxh3", set, "--verify"), "HASH",
                "Read every file back and compare hashes, also of files that -u or -n leaves alone: xxh3, "
                        + "sha256, or none, which overrides a setting. Default: xxh3.");
        Options.add(command, Options.named(Boolean.class, set, "--dry-run"),
                "Print what would be copied, in any order, and write nothing.");
        Options.add(command, Options.named(Boolean.class, set, "--fsync"),
                "Flush all data to the disk before returning.");
        Options.add(command, Options.named(Boolean.class, set, "--direct"),
                "Read and write files of 1 MiB or more past the page cache, which keeps what others have there.");
        Options.add(command,
                Options.namedAttached(CommonOptions.When.class, "always", set, "--reflink")
                        .converters(Abbreviations.of(CommonOptions.When.class)),
                "WHEN", "Share data blocks with the source: auto, always or never. Default: auto.");
        Options.add(command,
                Options.named(CommonOptions.When.class, set, "--sparse")
                        .converters(Abbreviations.of(CommonOptions.When.class)),
                "WHEN",
                "Create holes: auto keeps those of the source, always turns zeros into holes too, never. Default: auto.");
        Options.add(command, Options.named(ByteSize.class, set, "--bandwidth"), "LIMIT",
                "Limit the whole copy (all threads, jobs and ranks together) to LIMIT bytes per second, for example 200M.");
        Options.add(command, Options.named(ByteSize.class, set, "--chunk-size"), "SIZE",
                "Copy files larger than SIZE in chunks, by several threads. Default: 64M; with jobs and in plans 1G.");
        Options.add(command, Options.named(ByteString.class, set, "--secret-file"), "FILE",
                "The secret of the servers of a stage, in a file that only you may read.");
        Options.add(command, Options.named(Boolean.class, set, "--tls"),
                "Encrypt the connections to the servers of a stage, which have certificates.");
        Options.add(command, Options.named(Integer.class, set, "--copies"), "N",
                "In a stage, keep N copies of each segment on different servers, 1 to 3. Default: as many as the file that is replaced, or 1.");
    }

    private void set(String option, Object value) {
        switch (option) {
            case "--archive" -> {
                recursive = (Boolean) value;
                keepLinks();
                preserve.addWherePossible("all");
            }
            case "--recursive" -> recursive = (Boolean) value;
            case "-p" -> preserve.addWherePossible(PreserveWords.USUAL);
            case "-d" -> keepLinks();
            case "--dereference" -> symlinks = Symlinks.ALWAYS;
            case "--no-dereference" -> symlinks = Symlinks.NEVER;
            case "-H" -> symlinks = Symlinks.ROOTS;
            case "--preserve" -> preserve((String) value);
            case "--no-preserve" -> noPreserve((String) value);
            case "--target-directory" -> targetDirectory = (ByteString) value;
            case "--no-target-directory" -> noTargetDirectory = (Boolean) value;
            case "--parents" -> parents = (Boolean) value;
            case "--strip-trailing-slashes" -> stripTrailingSlashes = (Boolean) value;
            case "--link" -> hardLinks = (Boolean) value;
            case "--symbolic-link" -> symbolicLinks = (Boolean) value;
            case "--copy-contents" -> copyContents = (Boolean) value;
            case "--in-place" -> inPlace = (Boolean) value;
            case "--attributes-only" -> attributesOnly = (Boolean) value;
            case "--verify" -> verify((String) value);
            case "--dry-run" -> dryRun = (Boolean) value;
            case "--fsync" -> fsync = (Boolean) value;
            case "--direct" -> direct = (Boolean) value;
            case "--reflink" -> reflink = (CommonOptions.When) value;
            case "--sparse" -> sparse = (CommonOptions.When) value;
            case "--bandwidth" -> bandwidth = (ByteSize) value;
            case "--chunk-size" -> chunkSize = (ByteSize) value;
            case "--secret-file" -> secretFile = (ByteString) value;
            case "--tls" -> tls = (Boolean) value;
            case "--copies" -> copies = (Integer) value;
            default -> throw new IllegalArgumentException(option);
        }
    }

    private void keepLinks() {
        symlinks = Symlinks.NEVER;
        preserve.addWherePossible("links");
    }

    private void preserve(String list) {
        words(() -> preserve.add(list));
    }

    private void noPreserve(String list) {
        words(() -> preserve.remove(list));
    }

    private void verify(String hash) {
        verify = switch (word("--verify", hash, List.of("xxh3", "sha256", "none"))) {
            case "none" -> CopyOptions.Verify.NONE;
            case "xxh3" -> CopyOptions.Verify.XXH3;
            case "sha256" -> CopyOptions.Verify.SHA256;
            default -> throw new IllegalStateException(hash);
        };
    }

    private String word(String option, String given, List<String> words) {
        try {
            return Abbreviations.word(option, given, words, words);
        } catch (IllegalArgumentException e) {
            throw usage(String.valueOf(e.getMessage()));
        }
    }

    private void words(Runnable action) {
        try {
            action.run();
        } catch (IllegalArgumentException e) {
            throw usage(String.valueOf(e.getMessage()));
        }
    }

    private UsageException usage(String message) {
        return new UsageException(command.commandLine(), message);
    }

    /** Returns the word for the kind of verification; empty if data are not verified. */
    String verify() {
        return verify == CopyOptions.Verify.NONE ? "" : verify.name().toLowerCase(Locale.ROOT);
    }

    /** Returns an attribute that was requested by its own word, but that stages do not keep. */
    Optional<Preserve> preservedBeyondStages() {
        return preserve.beyondStages();
    }

    CopyOptionsBuilder toBuilder() {
        if (hardLinks && symbolicLinks) {
            throw new IllegalArgumentException("-l and -s cannot be combined: choose hard or symbolic links");
        }
        // As in cp: hard links are made to the targets of symbolic links.
        Symlinks usual = recursive && !hardLinks ? Symlinks.NEVER : Symlinks.ALWAYS;
        CopyOptionsBuilder builder = CopyOptions.builder()
                .recursive(recursive)
                .symlinks(symlinks != null ? symlinks : usual)
                .preserve(preserve.preserved())
                .required(preserve.required())
                .newModes(preserve.newModes())
                .form(hardLinks
                        ? CopyOptions.Form.HARD_LINK
                        : symbolicLinks ? CopyOptions.Form.SYMBOLIC_LINK : CopyOptions.Form.COPY)
                .copyContents(copyContents)
                .inPlace(inPlace)
                .attributesOnly(attributesOnly)
                .verify(verify)
                .dryRun(dryRun)
                .fsync(fsync)
                .direct(direct)
                .reflink(when(reflink))
                .sparse(when(sparse));
        replace.set(builder);
        if (bandwidth != null) {
            if (bandwidth.bytes() == 0) {
                throw new IllegalArgumentException("--bandwidth must be 1 or more; leave it out for no limit");
            }
            builder.bandwidth(bandwidth.bytes());
        }
        return chunkSize == null ? builder : builder.chunkBytes(chunkSize.bytes());
    }

    /** Returns whether the user is asked before anything is replaced. */
    boolean asks() {
        return replace.asks() && !dryRun;
    }

    /**
     * Checks that jobs support the given options.
     *
     * @throws UsageException if they do not; the message gives the reason
     */
    void checkForJobs() {
        String problem = replace.problemOfJobs();
        if (symbolicLinks) {
            problem = "-s cannot be combined with jobs or ranks";
        } else if (copyContents) {
            problem = "--copy-contents cannot be combined with jobs or ranks, because the data of a FIFO can be read only once";
        }
        if (!problem.isEmpty()) {
            throw usage(problem);
        }
    }

    /** Removes options from the help of {@code plan} that only a copy has. */
    void hideForPlan() {
        Options.hide(command, "--interactive", "--dry-run", "--secret-file", "--tls", "--copies");
    }

    /**
     * Checks that a plan supports the given options.
     *
     * @throws UsageException if it does not; the message gives the reason
     */
    void checkForPlan() {
        if (dryRun) {
            throw usage("--dry-run is for cp; 'plan' copies nothing, and 'treehaul show' prints the plan");
        }
        checkForJobs();
    }

    /** Defines the operands, which are not options: the sources, then the destination. */
    static PositionalParamSpec operands(Supplier<List<ByteString>> getter, Consumer<List<ByteString>> setter) {
        return Options.operands(ByteString.class, getter, setter)
                .paramLabel("PATH")
                .description("Sources, then the destination.")
                .hidden(true)
                .build();
    }

    /** Returns the sources and the destination, according to the arguments. */
    public CopyArguments arguments(List<ByteString> operands, SelectOptions select) {
        CopyArguments paths = paths(operands, select);
        return select.filesFrom == null ? paths : paths.withSelection(select.selection());
    }

    /** Returns the sources and the destination without reading a list of paths. */
    CopyArguments paths(List<ByteString> operands, SelectOptions select) {
        if (select.filesFrom != null && (parents || operands.size() != (targetDirectory == null ? 2 : 1))) {
            throw usage(
                    "--files-from needs exactly one source, above the listed paths, and cannot be combined with --parents");
        }
        CopyArguments arguments = CopyArguments.of(operands)
                .withNoTargetDirectory(noTargetDirectory)
                .withParents(parents)
                .withStripTrailingSlashes(stripTrailingSlashes);
        return targetDirectory == null ? arguments : arguments.withTargetDirectory(targetDirectory);
    }

    /** Returns the options of the copy, from these and other groups of options. */
    CopyOptions options(SelectOptions select, CommonOptions common, boolean reportDone) {
        if (replace.asks() && select.filesFrom != null && select.filesFrom.toString().equals("-")) {
            throw usage("-i and --files-from - cannot both read standard input");
        }
        try {
            return toBuilder().oneFileSystem(select.oneFileSystem)
                    .filter(select.filter())
                    .where(conditions.where())
                    .threads(asks() && common.threads == 0 ? 1 : common.threads)
                    .reportDone(reportDone)
                    .build();
        } catch (IllegalArgumentException e) {
            throw usage(String.valueOf(e.getMessage()));
        }
    }

    /** Returns the size above which files are divided among batches. */
    long batchChunkBytes() {
        return chunkSize == null ? PlanRequest.CHUNK_BYTES : chunkSize.bytes();
    }

    private static CopyOptions.When when(CommonOptions.When when) {
        return switch (when) {
            case auto -> CopyOptions.When.AUTO;
            case always -> CopyOptions.When.ALWAYS;
            case never -> CopyOptions.When.NEVER;
        };
    }
}
