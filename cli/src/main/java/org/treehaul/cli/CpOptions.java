// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli;

import java.util.Locale;

import org.jspecify.annotations.Nullable;
import org.treehaul.cli.args.AttachedValue;
import org.treehaul.cli.args.ByteSize;
import org.treehaul.core.copy.CopyOptions;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.walk.Symlinks;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The options of {@code treehaul cp}. Where two of them set the same thing, the later one wins, as with cp. */
final class CpOptions {

    @Spec(Spec.Target.MIXEE)
    CommandSpec command;

    private final PreserveWords preserve = new PreserveWords();
    private boolean recursive;
    private @Nullable Symlinks symlinks;
    private CopyOptions.Existing existing = CopyOptions.Existing.REPLACE;
    private CopyOptions.Verify verify = CopyOptions.Verify.NONE;

    @Option(names = {"-a", "--archive"}, description = "Copy all there is: as -d -r --preserve=all.")
    void archive(boolean value) {
        recursive(value);
        noDereferenceLinks(value);
        preserve.addWherePossible("all");
    }

    @Option(names = {"-r", "-R", "--recursive"}, description = "Copy directories with all that is in them.")
    void recursive(boolean value) {
        recursive = value;
    }

    @Option(names = "-p", description = "As --preserve=" + PreserveWords.USUAL + ".")
    void preserveUsual(boolean value) {
        preserve.addWherePossible(PreserveWords.USUAL);
    }

    @Option(names = "-d", description = "As -P --preserve=links.")
    void noDereferenceLinks(boolean value) {
        symlinks = Symlinks.NEVER;
        preserve.addWherePossible("links");
    }

    @Option(names = {"-L", "--dereference"}, description = "Follow all symbolic links.")
    void followAll(boolean value) {
        symlinks = Symlinks.ALWAYS;
    }

    @Option(names = {"-P", "--no-dereference"}, description = "Follow no symbolic link. The default with -r.")
    void followNone(boolean value) {
        symlinks = Symlinks.NEVER;
    }

    @Option(names = "-H", description = "Follow symbolic links that are sources.")
    void followSources(boolean value) {
        symlinks = Symlinks.ROOTS;
    }

    @Option(
            names = "--preserve",
            paramLabel = "LIST",
            arity = "0..1",
            fallbackValue = PreserveWords.USUAL,
            preprocessor = AttachedValue.class,
            description = "Carry over mode, ownership, timestamps, links, xattr, acl or all. What is named by its own word must "
                    + "succeed. Default: " + PreserveWords.USUAL + ".")
    void preserve(String list) {
        words(() -> preserve.add(list));
    }

    @Option(names = "--no-preserve", paramLabel = "LIST", description = "Do not carry over these.")
    void noPreserve(String list) {
        words(() -> preserve.remove(list));
    }

    @Option(
            names = {"-t", "--target-directory"},
            paramLabel = "DIRECTORY",
            description = "Copy all SOURCEs into DIRECTORY.")
    @Nullable ByteString targetDirectory;

    @Option(
            names = {"-T", "--no-target-directory"},
            description = "DEST is the copy itself, even if it is a directory.")
    boolean noTargetDirectory;

    @Option(names = "--parents", description = "Copy to the whole path of the SOURCE below DIRECTORY.")
    boolean parents;

    @Option(names = "--strip-trailing-slashes", description = "Slashes at the end of a SOURCE mean nothing.")
    boolean stripTrailingSlashes;

    @Option(names = {"-n", "--no-clobber"}, description = "Leave alone what is there.")
    void noClobber(boolean value) {
        existing = CopyOptions.Existing.SKIP;
    }

    @Option(names = "-u", description = "As --update=older.")
    void updateOlder(boolean value) {
        update("older");
    }

    @Option(
            names = "--update",
            paramLabel = "WHICH",
            arity = "0..1",
            fallbackValue = "older",
            preprocessor = AttachedValue.class,
            description = "Replace what is there only if it is older; WHICH is older, all or none.")
    void update(String which) {
        existing = switch (which) {
            case "older" -> CopyOptions.Existing.UPDATE;
            case "all" -> CopyOptions.Existing.REPLACE;
            case "none" -> CopyOptions.Existing.SKIP;
            default -> throw usage("--update takes older, all or none, not '" + which + "'");
        };
    }

    @Option(names = {"-f", "--force"}, description = "Changes nothing: what is in the way is replaced in any case.")
    boolean force;

    @Option(names = "--remove-destination", description = "Unlink what is there first.")
    boolean removeDestination;

    @Option(
            names = "--in-place",
            description = "Overwrite a file that is there and keep its inode and links, as cp does.")
    boolean inPlace;

    @Option(names = "--attributes-only", description = "Copy no data, only what is to be preserved.")
    boolean attributesOnly;

    @Option(
            names = "--verify",
            paramLabel = "HASH",
            arity = "0..1",
            fallbackValue = "xxh3",
            preprocessor = AttachedValue.class,
            description = "Read every file back and compare hashes: xxh3 or sha256. Default: xxh3.")
    void verify(String hash) {
        verify = switch (hash) {
            case "xxh3" -> CopyOptions.Verify.XXH3;
            case "sha256" -> CopyOptions.Verify.SHA256;
            default -> throw usage("--verify takes xxh3 or sha256, not '" + hash + "'");
        };
    }

    @Option(names = "--dry-run", description = "Write nothing and print what would be done.")
    boolean dryRun;

    @Option(names = "--fsync", description = "Return only when all data are on the disk.")
    boolean fsync;

    @Option(
            names = "--reflink",
            paramLabel = "WHEN",
            arity = "0..1",
            fallbackValue = "always",
            preprocessor = AttachedValue.class,
            description = "Share data blocks with the source: auto, always or never. Default: auto.")
    CommonOptions.When reflink = CommonOptions.When.auto;

    @Option(
            names = "--sparse",
            paramLabel = "WHEN",
            description = "Make holes: auto keeps those of the source, always makes them of zeros too, never.")
    CommonOptions.When sparse = CommonOptions.When.auto;

    @Option(
            names = "--bandwidth",
            paramLabel = "LIMIT",
            description = "Move at most LIMIT bytes a second, such as 200M.")
    @Nullable ByteSize bandwidth;

    @Option(
            names = "--chunk-size",
            paramLabel = "SIZE",
            description = "Cut larger files into chunks that several threads copy. Default: 64M.")
    @Nullable ByteSize chunkSize;

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

    /** Returns the word for how data are verified; empty when they are not. */
    String verify() {
        return verify == CopyOptions.Verify.NONE ? "" : verify.name().toLowerCase(Locale.ROOT);
    }

    CopyOptions.Builder toBuilder() {
        Symlinks follow = symlinks != null ? symlinks : recursive ? Symlinks.NEVER : Symlinks.ALWAYS;
        CopyOptions.Builder builder = CopyOptions.builder()
                .recursive(recursive)
                .symlinks(follow)
                .preserve(preserve.preserved())
                .required(preserve.required())
                .existing(existing)
                .removeDestination(removeDestination)
                .inPlace(inPlace)
                .attributesOnly(attributesOnly)
                .verify(verify)
                .dryRun(dryRun)
                .fsync(fsync)
                .reflink(when(reflink))
                .sparse(when(sparse));
        if (bandwidth != null) {
            if (bandwidth.bytes() == 0) {
                throw new IllegalArgumentException("--bandwidth takes 1 or more; leave it out for no limit");
            }
            builder.bandwidth(bandwidth.bytes());
        }
        return chunkSize == null ? builder : builder.chunkBytes(chunkSize.bytes());
    }

    private static CopyOptions.When when(CommonOptions.When when) {
        return switch (when) {
            case auto -> CopyOptions.When.AUTO;
            case always -> CopyOptions.When.ALWAYS;
            case never -> CopyOptions.When.NEVER;
        };
    }
}
