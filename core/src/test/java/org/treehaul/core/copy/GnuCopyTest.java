// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.FileVisitOption;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.treehaul.core.copy.options.Backup;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.copy.options.CopyOptionsBuilder;
import org.treehaul.core.copy.options.Preserve;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.testing.Campaign;
import org.treehaul.core.testing.Installed;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.core.walk.options.Symlinks;

/**
 * Compares copies of random small trees, with random options, with the copies that GNU cp makes. Options and trees that
 * lead to differences described in the guide are left out, and files are overwritten in place as in cp.
 */
class GnuCopyTest {

    private static final long SEED = 20_241_122;
    private static final List<String> NAMES = List.of("a", "b");

    /** A line of options for cp, and the equivalent options of a copy. */
    private record Line(List<String> words, CopyOptions options) {}

    @Test
    void copiesAreThoseOfGnuCp() throws Exception {
        compare(SEED, 60);
    }

    @Test
    @Tag("campaign")
    void manyCopiesAreThoseOfGnuCp() throws Exception {
        int hundreds = Math.ceilDiv(Campaign.cases(4000), 100);
        long first = Campaign.seed(1);
        for (long seed = first; seed < first + hundreds; seed++) {
            compare(seed, 100);
        }
    }

    private static void compare(long seed, int count) throws Exception {
        Installed.require("cp");
        Process version = new ProcessBuilder("cp", "--version").start();
        Assumptions.assumeTrue(version.inputReader().readAllAsString().contains("GNU coreutils"), "cp is not GNU cp");
        Random random = new Random(seed);
        try (TestDirectory directory = TestDirectory.onTmpfs()) {
            for (int i = 0; i < count; i++) {
                compareOne(directory.path().resolve("w" + i), random);
            }
        }
    }

    private static void compareOne(Path world, Random random) throws Exception {
        boolean isTree = random.nextBoolean();
        Line line = line(random, isTree);
        long seed = random.nextLong();
        // One after the other under the same name, because absolute links contain it.
        make(world, new Random(seed), line, isTree);
        String before = state(world);
        Path source = world.resolve(isTree ? "S" : "S/a");
        Path target = world.resolve(isTree ? "T" : "T/a");
        List<String> command = new ArrayList<>(List.of("cp"));
        command.addAll(line.words());
        // Copying into a directory with backups fails with cp 9.1: cannot backup, Invalid cross-device link.
        command.addAll(List.of(isTree ? "-rT" : "-T", source.toString(), target.toString()));
        Process gnu = new ProcessBuilder(command).redirectErrorStream(true).start();
        String said = gnu.inputReader().readAllAsString();
        boolean gnuFails = gnu.waitFor() != 0;
        String expected = state(world);
        delete(world);
        make(world, new Random(seed), line, isTree);
        List<String> failures = copy(line.options(), source, target);
        String what = String.join(" ", command) + "\n" + before + "GNU cp says: " + said + "copy says: " + failures
                + "\n";
        assertThat(state(world)).as(what).isEqualTo(expected);
        assertThat(!failures.isEmpty()).as(what + "fails").isEqualTo(gnuFails);
        delete(world);
    }

    private static List<String> copy(CopyOptions options, Path source, Path target) {
        CopyArguments arguments = CopyArguments
                .of(List.of(ByteString.of(source.toString()), ByteString.of(target.toString())))
                .withNoTargetDirectory(true);
        try {
            CopyLayout layout = CopyLayout.of(Linux.calls(), arguments, options);
            List<String> failures = new ArrayList<>();
            layout.failures().forEach(failure -> failures.add(failure.toString()));
            if (!layout.pairs().isEmpty()) {
                failures.addAll(Copies.run(layout.adapt(options), layout.pairs(), new Cancellation()).failed());
            }
            return failures;
        } catch (CopyRefusedException e) {
            return List.of(String.valueOf(e.getMessage()));
        }
    }

    private static Line line(Random random, boolean isTree) {
        List<String> words = new ArrayList<>();
        CopyOptionsBuilder options = CopyOptions.builder().threads(1).inPlace(true).recursive(isTree);
        CopyOptions.Form form = switch (random.nextInt(5)) {
            case 0 -> CopyOptions.Form.HARD_LINK;
            case 1 -> CopyOptions.Form.SYMBOLIC_LINK;
            default -> CopyOptions.Form.COPY;
        };
        options.form(form);
        if (form != CopyOptions.Form.COPY) {
            words.add(form == CopyOptions.Form.HARD_LINK ? "-l" : "-s");
        }
        Symlinks links = isTree && form != CopyOptions.Form.HARD_LINK ? Symlinks.NEVER : Symlinks.ALWAYS;
        switch (random.nextInt(4)) {
            case 0 -> {
                words.add("-P");
                links = Symlinks.NEVER;
            }
            case 1 -> {
                words.add("-L");
                links = Symlinks.ALWAYS;
            }
            default -> {
            }
        }
        options.symlinks(links);
        if (links == Symlinks.NEVER && random.nextInt(3) == 0) {
            words.add("-d");
            options.preserve(EnumSet.of(Preserve.LINKS));
        }
        if (random.nextInt(3) == 0) {
            words.add("-f");
            options.force(true);
        }
        // Even if links are not preserved, cp -u makes links of names that it left alone.
        boolean isGrouped = words.contains("-d") && form == CopyOptions.Form.COPY;
        if (random.nextInt(4) == 0 && (!isTree || isGrouped)) {
            words.add("-u");
            options.existing(CopyOptions.Existing.UPDATE);
        }
        if (random.nextInt(5) == 0) {
            words.add("--remove-destination");
            options.removeDestination(true).inPlace(false);
        }
        List<Backup.Control> controls = List.of(Backup.Control.values());
        Backup.Control control = controls.get(random.nextInt(controls.size()));
        // For a newer name that it replaces by a link, cp -u makes no backup.
        boolean isLost = isTree && words.contains("-u");
        if (random.nextBoolean() && control != Backup.Control.NONE && !isLost) {
            words.add("--backup=" + control.name().toLowerCase(Locale.ROOT));
            options.backup(Backup.of(control));
        }
        return new Line(words, options.build());
    }

    // Symbolic links in the target are not written through below the roots, as the guide explains.
    private static void make(Path world, Random random, Line line, boolean isTree) throws IOException {
        Files.createDirectories(world.resolve("S"));
        Files.createDirectories(world.resolve("T"));
        CopyOptions options = line.options();
        boolean mayHaveLinks = !isTree || options.backup().isMade() || options.removeDestination();
        for (String name : NAMES) {
            entry(world.resolve("S").resolve(name), random, true, false);
        }
        for (String name : NAMES) {
            entry(world.resolve("T").resolve(name), random, mayHaveLinks, true);
        }
        for (String name : List.of("a~", "a.~1~", "b.~3~")) {
            if (random.nextInt(4) == 0) {
                file(world.resolve("T").resolve(name), random);
            }
        }
    }

    private static void entry(Path path, Random random, boolean mayBeLink, boolean mayBeMissing) throws IOException {
        Path world = parent(parent(path));
        String other = NAMES.get(random.nextInt(NAMES.size()));
        int kind = random.nextInt(8);
        if (kind == 0 && mayBeLink) {
            Files.createSymbolicLink(path, Path.of(other));
        } else if (kind == 1 && mayBeLink) {
            Files.createSymbolicLink(path, Path.of("../S").resolve(other));
        } else if (kind == 2) {
            // The copy of one name would be written to the source of another: the result depends on which is read
            // first.
            Path existing = world.resolve("S").resolve(mayBeMissing ? path.getFileName().toString() : other);
            if (Files.isRegularFile(existing, LinkOption.NOFOLLOW_LINKS)) {
                Files.createLink(path, existing);
            } else {
                file(path, random);
            }
        } else if (kind == 3 && mayBeMissing) {
            return;
        } else {
            file(path, random);
        }
    }

    private static Path parent(Path path) {
        return Objects.requireNonNull(path.getParent());
    }

    private static void file(Path path, Random random) throws IOException {
        Files.writeString(path, parent(path).getFileName() + "/" + path.getFileName());
        Files.setLastModifiedTime(path, FileTime.fromMillis(1_000_000_000L * (1 + random.nextInt(3))));
    }

    // Returns path, kind, content or target of each entry, and which names are one file.
    private static String state(Path world) throws IOException {
        Map<Object, String> first = new HashMap<>();
        Map<String, String> found = new TreeMap<>();
        try (Stream<Path> all = Files.walk(world, new FileVisitOption[0])) {
            for (Path path : all.sorted().toList()) {
                String name = world.relativize(path).toString();
                if (Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
                    found.put(name, "directory");
                    continue;
                }
                Object inode = Files.getAttribute(path, "unix:ino", LinkOption.NOFOLLOW_LINKS);
                String same = first.computeIfAbsent(inode, key -> name);
                found.put(name,
                        (Files.isSymbolicLink(path)
                                ? "-> " + Files.readSymbolicLink(path)
                                : "'" + Files.readString(path) + "'") + (same.equals(name) ? "" : " is " + same));
            }
        }
        StringBuilder text = new StringBuilder();
        found.forEach((name, value) -> text.append(name).append(' ').append(value).append('\n'));
        return text.toString();
    }

    private static void delete(Path world) throws IOException {
        try (Stream<Path> all = Files.walk(world)) {
            for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        }
        assertThat(Set.of(world)).noneMatch(Files::exists);
    }
}
