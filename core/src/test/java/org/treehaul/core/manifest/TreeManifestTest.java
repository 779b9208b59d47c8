// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.manifest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.event.Event;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.Call;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.Fault;
import org.treehaul.core.fs.FaultInjectingCalls;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.testing.Privilege;
import org.treehaul.core.walk.options.PathList;
import org.treehaul.core.walk.options.Patterns;
import org.treehaul.core.walk.options.Root;
import org.treehaul.core.walk.options.Symlinks;
import org.treehaul.core.walk.options.WalkOptions;

class TreeManifestTest {

    private static final Map<ManifestDifference.Kind, Long> NONE = Map.of();

    @TempDir
    Path directory;
    private Path tree;
    private Path scratch;
    private final List<String> differences = new ArrayList<>();
    private final List<String> events = Collections.synchronizedList(new ArrayList<>());

    @BeforeEach
    void make() throws IOException {
        tree = Files.createDirectory(directory.resolve("tree"));
        scratch = Files.createDirectory(directory.resolve("scratch"));
        Files.createDirectories(tree.resolve("d/e"));
        Files.writeString(tree.resolve("d/one"), "one");
        Files.writeString(tree.resolve("d/e/deep"), "deep");
        Files.writeString(tree.resolve("d-x"), "beside d and before what is in it");
        Files.writeString(tree.resolve("back\\slash\nline"), "odd");
        Files.writeString(tree.resolve("empty"), "");
        Files.write(tree.resolve("large"), new byte[700_001]);
        Files.createSymbolicLink(tree.resolve("link"), Path.of("large"));
    }

    private Root root() {
        return Root.of(ByteString.of(tree.toString()));
    }

    private TreeManifest manifest(FileSystemCalls calls) {
        return TreeManifest.of(calls, WalkOptions.defaults().withThreads(2), scratch);
    }

    private void on(Event event) {
        events.add(switch (event) {
            case Event.Failed failed -> failed.failure().kind() + " " + failed.failure().path();
            case Event.Notice notice -> notice.text();
            default -> throw new IllegalStateException(event.toString());
        });
    }

    private String write(ManifestHash hash) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ManifestResult result = manifest(Linux.calls()).write(root(), hash, lines -> lines.writeTo(out), this::on,
                new Progress(), new Cancellation());
        assertThat(result.hasTrouble()).isFalse();
        assertThat(scratch).isEmptyDirectory();
        return out.toString(StandardCharsets.ISO_8859_1);
    }

    private ManifestResult check(String lines, FileSystemCalls calls) throws IOException {
        return check(lines, manifest(calls), root());
    }

    private ManifestResult check(String lines, TreeManifest manifest, Root part) throws IOException {
        ManifestResult result = manifest.check(new ByteArrayInputStream(lines.getBytes(StandardCharsets.ISO_8859_1)),
                "sums", part, difference -> differences.add(difference.toString()), this::on, new Progress(),
                new Cancellation());
        assertThat(scratch).isEmptyDirectory();
        return result;
    }

    @Test
    void theLinesAreThoseOfSha256sumInTheOrderOfPaths() throws Exception {
        String lines = write(ManifestHash.SHA256);
        assertThat(lines.lines().map(line -> line.replaceFirst("[0-9a-f]{64}", "")))
                .containsExactly("\\  back\\\\slash\\nline", "  d/e/deep", "  d/one", "  d-x", "  empty", "  large");
        Path file = Files.writeString(directory.resolve("sums"), lines, StandardCharsets.ISO_8859_1);
        Process check = new ProcessBuilder("sha256sum", "--check", "--strict", "--quiet", file.toString())
                .directory(tree.toFile())
                .redirectErrorStream(true)
                .start();
        assertThat(new String(check.getInputStream().readAllBytes(), StandardCharsets.UTF_8)).isEmpty();
        assertThat(check.waitFor()).isZero();
        assertThat(write(ManifestHash.SHA256)).isEqualTo(lines);
    }

    @Test
    void aFileNamedLikeStandardInputIsCheckedBySha256sum() throws Exception {
        Files.writeString(tree.resolve("-"), "a file");
        Path file = Files.writeString(directory.resolve("sums"), write(ManifestHash.SHA256),
                StandardCharsets.ISO_8859_1);
        Process check = new ProcessBuilder("sha256sum", "--check", "--strict", "--quiet", file.toString())
                .directory(tree.toFile())
                .redirectErrorStream(true)
                .start();
        assertThat(check.inputReader().readAllAsString()).isEmpty();
        assertThat(check.waitFor()).isZero();
        assertThat(check(write(ManifestHash.SHA256), Linux.calls()).hasTrouble()).isFalse();
        assertThat(differences).isEmpty();
    }

    @Test
    void theDataOfAFileWithSeveralNamesAreReadOnceAndEachNameHasALine() throws Exception {
        Progress before = new Progress();
        manifest(Linux.calls()).write(root(), ManifestHash.SHA256, lines -> {}, this::on, before, new Cancellation());
        Files.createLink(tree.resolve("d/e/again"), tree.resolve("large"));
        Files.createLink(tree.resolve("z"), tree.resolve("large"));
        Files.createLink(directory.resolve("outside"), tree.resolve("large"));
        Progress progress = new Progress();
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ManifestResult result = manifest(Linux.calls()).write(root(), ManifestHash.SHA256, lines -> lines.writeTo(out),
                this::on, progress, new Cancellation());
        assertThat(result.files()).isEqualTo(8);
        assertThat(result.bytes()).isEqualTo(before.snapshot().bytes());
        assertThat(progress.snapshot().bytes()).isEqualTo(before.snapshot().bytes());
        List<String> hashes = out.toString(StandardCharsets.ISO_8859_1)
                .lines()
                .filter(line -> line.endsWith("  large") || line.endsWith("  z") || line.endsWith("again"))
                .map(line -> line.substring(0, 64))
                .toList();
        assertThat(hashes).hasSize(3).containsOnly(hashes.getFirst());
        assertThat(check(out.toString(StandardCharsets.ISO_8859_1), Linux.calls()).differences()).isEqualTo(NONE);
    }

    @Test
    void hashesOfXxh3AreThoseOfXxhsum() throws Exception {
        // xxhsum -H128 of an empty file
        assertThat(write(ManifestHash.XXH3)).contains("\n99aa06d3014798d86001c324468d497f  empty\n");
    }

    @ParameterizedTest
    @EnumSource
    void everyDifferenceIsFound(ManifestHash hash) throws Exception {
        String lines = write(hash);
        assertThat(check(lines, Linux.calls()).differences()).isEqualTo(NONE);

        byte[] large = new byte[700_001];
        large[700_000] = 1;
        Files.write(tree.resolve("large"), large);
        Files.delete(tree.resolve("d/e/deep"));
        Files.delete(tree.resolve("d/e"));
        Files.delete(tree.resolve("d/one"));
        Files.createSymbolicLink(tree.resolve("d/one"), Path.of("../large"));
        Files.writeString(tree.resolve("extra"), "");
        ManifestResult result = check(lines, Linux.calls());
        assertThat(differences).containsExactly("d/e/deep: missing", "d/one: not a regular file",
                "extra: not in the manifest", "large: content differs");
        assertThat(result.differenceCount()).isEqualTo(4);
        assertThat(result.hasTrouble()).isFalse();
    }

    // Windows ends lines so, and BagIt allows it; sha256sum reads them, too.
    @Test
    void linesMayEndWithACarriageReturn() throws Exception {
        Files.writeString(tree.resolve("return\r"), "a file");
        String lines = write(ManifestHash.SHA256).replace("\n", "\r\n") + "\r\n";
        assertThat(lines).contains("return\\r\r\n");
        assertThat(check(lines, Linux.calls()).hasTrouble()).isFalse();
        assertThat(differences).isEmpty();
    }

    @Test
    void aDirectoryInThePlaceOfAFileIsNotMissing() throws Exception {
        String lines = write(ManifestHash.SHA256);
        for (String name : List.of("empty", "d/one")) {
            Files.delete(tree.resolve(name));
            Files.createDirectory(tree.resolve(name));
        }
        Files.writeString(tree.resolve("d/one/new"), "new");
        assertThat(check(lines, Linux.calls()).differenceCount()).isEqualTo(3);
        assertThat(differences).containsExactly("d/one: not a regular file", "d/one/new: not in the manifest",
                "empty: not a regular file");
        differences.clear();
        FaultInjectingCalls calls = FaultInjectingCalls.over(Linux.calls(),
                Fault.on(Call.OPENAT).named("empty").fails(Errno.EACCES));
        assertThat(check(lines, calls).unchecked()).isZero();
        assertThat(differences).contains("empty: not a regular file");
    }

    @Test
    void aFileThatCannotBeReadIsNeitherMissingNorEqual() throws Exception {
        String lines = write(ManifestHash.SHA256);
        ManifestResult result = check(lines,
                FaultInjectingCalls.over(Linux.calls(), Fault.on(Call.READ).named("large").fails(Errno.EIO)));
        assertThat(differences).isEmpty();
        assertThat(events).containsExactly("ERROR large");
        assertThat(result.unchecked()).isEqualTo(1);
        assertThat(result.hasTrouble()).isTrue();
    }

    @Test
    void filesBelowAnUnreadableDirectoryAreNotReportedAsMissing() throws Exception {
        String lines = write(ManifestHash.SHA256);
        Files.delete(tree.resolve("d-x"));
        ManifestResult result = check(lines,
                FaultInjectingCalls.over(Linux.calls(), Fault.on(Call.OPENAT).named("d").fails(Errno.EACCES)));
        assertThat(differences).containsExactly("d-x: missing");
        assertThat(result.unchecked()).isEqualTo(2);
    }

    @Test
    void aListingThatEndsEarlyLeavesFilesUnchecked() throws Exception {
        String lines = write(ManifestHash.SHA256);
        ManifestResult result = check(lines, FaultInjectingCalls.over(Linux.calls(),
                Fault.on(Call.GETDENTS64).named(tree.getFileName().toString()).endsListing(0, Errno.EIO)));
        assertThat(differences).isEmpty();
        assertThat(result.unchecked()).isEqualTo(6);
    }

    @Test
    void linesOfAnotherFileSystemAreLeftOutIfItIs() throws Exception {
        Privilege.requireRoot("mounts a tmpfs");
        Path mounted = tree.resolve("d/e");
        int rc = new ProcessBuilder("mount", "-t", "tmpfs", "none", mounted.toString()).start().waitFor();
        Assumptions.assumeTrue(rc == 0, "cannot mount a tmpfs here");
        try {
            Files.createDirectory(mounted.resolve("below"));
            Files.writeString(mounted.resolve("below/inside"), "x");
            String lines = write(ManifestHash.SHA256);
            TreeManifest ofOne = TreeManifest.of(Linux.calls(),
                    WalkOptions.defaults().withThreads(2).withOneFileSystem(true), scratch);
            ManifestResult result = check(lines, ofOne, root());
            assertThat(differences).isEmpty();
            assertThat(result.hasTrouble()).isFalse();
            String hash = "0".repeat(64);
            check(lines + hash + "  d/e\n" + hash + "  d/e-x\n", ofOne, root());
            assertThat(differences).containsExactly("d/e: not a regular file", "d/e-x: missing");
        } finally {
            new ProcessBuilder("umount", mounted.toString()).start().waitFor();
        }
    }

    @Test
    void aManifestOfAnUnreadableTreeIsNotWritten() throws Exception {
        Files.move(tree, directory.resolve("moved"));
        ManifestResult result = manifest(Linux.calls()).write(root(), ManifestHash.SHA256, lines -> {
            throw new AssertionError("written");
        }, this::on, new Progress(), new Cancellation());
        assertThat(result.failures()).containsEntry(EntryFailure.Kind.ERROR, 1L);
    }

    @Test
    void aCancelledCheckReportsNothing() throws Exception {
        Cancellation cancelled = new Cancellation();
        cancelled.cancel();
        ManifestResult result = manifest(Linux.calls()).check(
                new ByteArrayInputStream(write(ManifestHash.SHA256).getBytes(StandardCharsets.ISO_8859_1)), "sums",
                root(), difference -> differences.add(difference.toString()), this::on, new Progress(), cancelled);
        assertThat(result.isComplete()).isFalse();
        assertThat(differences).isEmpty();
    }

    @Test
    void linesThatAreNoChecksumsAreTrouble() throws Exception {
        String lines = write(ManifestHash.SHA256) + "# a comment\n\nrubbish\n0123456789abcdef0123456789abcdef  large\n";
        ManifestResult result = check(lines, Linux.calls());
        assertThat(result.malformed()).isEqualTo(2);
        assertThat(result.hasTrouble()).isTrue();
        assertThat(events).containsExactly("sums, line 9: not a checksum and a path",
                "sums, line 10: another kind of checksum than the lines before");
        assertThatThrownBy(() -> check("", Linux.calls())).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("no line");
    }

    @Test
    void aPartOfATreeIsComparedWithItsLines() throws Exception {
        String lines = write(ManifestHash.SHA256);
        Root part = Root.of(root().path(), PathList
                .read(new ByteArrayInputStream("d/e\nempty\n".getBytes(StandardCharsets.US_ASCII)), false, "list"));
        assertThat(check(lines, manifest(Linux.calls()), part)).satisfies(result -> {
            assertThat(result.files()).isEqualTo(2);
            assertThat(result.differences()).isEqualTo(NONE);
        });
        Patterns.Builder patterns = Patterns.builder();
        patterns.exclude(ByteString.of("/d"));
        TreeManifest some = TreeManifest.of(Linux.calls(), WalkOptions.defaults().withFilter(patterns.build()),
                scratch);
        assertThat(check(lines, some, root()).differences()).isEqualTo(NONE);
    }

    @Test
    void aManifestFollowsNoLinks() {
        assertThatThrownBy(
                () -> TreeManifest.of(Linux.calls(), WalkOptions.defaults().withSymlinks(Symlinks.ALWAYS), scratch))
                .isInstanceOf(IllegalArgumentException.class);
    }

    /** RFC 8493, 2.1.3 and 2.2.2: paths of the payload begin with data/, and its octets and files are counted. */
    @Test
    void thePayloadOfABagHasAManifest() throws Exception {
        Path bag = Files.createDirectory(directory.resolve("bag"));
        Files.move(tree, bag.resolve("data"));
        Files.writeString(bag.resolve("bagit.txt"), "BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n");
        Root payload = Root.of(ByteString.of(bag.toString()),
                PathList.read(new ByteArrayInputStream("data\n".getBytes(StandardCharsets.US_ASCII)), false, "list"));
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ManifestResult written = manifest(Linux.calls()).write(payload, ManifestHash.SHA256,
                lines -> lines.writeTo(out), this::on, new Progress(), new Cancellation());
        String lines = out.toString(StandardCharsets.ISO_8859_1);
        assertThat(lines.lines()).hasSize(6).allMatch(line -> line.matches("\\\\?[0-9a-f]{64}  data/.+"));
        assertThat(written.bytes() + "." + written.files()).isEqualTo("700044.6");
        assertThat(check(lines, manifest(Linux.calls()), payload).differences()).isEqualTo(NONE);
    }
}
