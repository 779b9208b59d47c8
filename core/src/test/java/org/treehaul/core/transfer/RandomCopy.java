// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
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

import org.treehaul.core.copy.options.Backup;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.copy.options.CopyOptionsBuilder;
import org.treehaul.core.copy.options.Preserve;
import org.treehaul.core.walk.options.Symlinks;

/**
 * A random copy from a tree S to a tree T, with files of several names, files of more than one chunk, and existing
 * entries of other kinds in the way. The result does not depend on the order in which names are read.
 */
final class RandomCopy {

    private static final List<String> NAMES = List.of("a", "b", "c", "d/a", "d/b", "e/c");
    private static final List<String> MODES = List.of("rw-r--r--", "rw-------", "rwxr-xr-x", "r--r-----");

    private final List<String> words = new ArrayList<>();
    private final EnumSet<Preserve> preserve = EnumSet.noneOf(Preserve.class);
    private final CopyOptions options;
    private final long seed;
    // Seeded anew before the trees are made, so that they are the same in every directory.
    private Random random;

    RandomCopy(long seed) {
        this.seed = seed;
        random = new Random(seed);
        options = choose(CopyOptions.builder().threads(1).recursive(true).chunkBytes(TransferFixture.CHUNK_BYTES))
                .build();
    }

    /** Returns the options as words of cp. */
    List<String> words() {
        return words;
    }

    CopyOptions options() {
        return options;
    }

    /** Returns whether GNU cp gives the same result, except for differences named in the guide. */
    boolean isLikeGnu() {
        boolean isUpdate = options.existing() == CopyOptions.Existing.UPDATE;
        return !options.attributesOnly() && (!isUpdate || keepsLinks() && options.form() == CopyOptions.Form.COPY);
    }

    private boolean keepsLinks() {
        return preserve.contains(Preserve.LINKS);
    }

    private boolean isOneOf(int count) {
        return random.nextInt(count) == 0;
    }

    private <T> T any(List<T> some) {
        return some.get(random.nextInt(some.size()));
    }

    private CopyOptionsBuilder choose(CopyOptionsBuilder chosen) {
        boolean isLink = isOneOf(5);
        if (isLink) {
            words.add("-l");
            chosen.form(CopyOptions.Form.HARD_LINK);
        }
        Symlinks links = isLink ? Symlinks.ALWAYS : Symlinks.NEVER;
        links = switch (random.nextInt(6)) {
            case 0 -> follow("-P", Symlinks.NEVER);
            case 1 -> follow("-L", Symlinks.ALWAYS);
            case 2 -> follow("-H", Symlinks.ROOTS);
            default -> links;
        };
        links = switch (random.nextInt(6)) {
            case 0 -> {
                preserve.add(Preserve.LINKS);
                yield follow("-d", Symlinks.NEVER);
            }
            case 1, 2 -> {
                preserve.addAll(EnumSet.allOf(Preserve.class));
                yield follow("-a", Symlinks.NEVER);
            }
            case 3 -> {
                words.add("-p");
                preserve.addAll(EnumSet.complementOf(EnumSet.of(Preserve.LINKS, Preserve.XATTR)));
                yield links;
            }
            case 4 -> {
                words.add("--preserve=links");
                preserve.add(Preserve.LINKS);
                yield links;
            }
            default -> links;
        };
        if (isOneOf(4)) {
            leaveOut(any(List.of(Preserve.MODE, Preserve.TIMESTAMPS, Preserve.LINKS, Preserve.OWNERSHIP)), chosen);
        }
        chosen.symlinks(links).preserve(preserve);
        replace(chosen);
        if (isOneOf(6)) {
            words.add("--attributes-only");
            chosen.attributesOnly(true);
        }
        switch (random.nextInt(6)) {
            case 0 -> {
                words.add("--sparse=always");
                chosen.sparse(CopyOptions.When.ALWAYS);
            }
            case 1 -> {
                words.add("--sparse=never");
                chosen.sparse(CopyOptions.When.NEVER);
            }
            default -> {
            }
        }
        return chosen;
    }

    private Symlinks follow(String word, Symlinks followed) {
        words.add(word);
        return followed;
    }

    private void leaveOut(Preserve one, CopyOptionsBuilder chosen) {
        words.add("--no-preserve=" + one.name().toLowerCase(Locale.ROOT));
        preserve.remove(one);
        if (one == Preserve.MODE) {
            preserve.remove(Preserve.ACL);
            chosen.newModes(true);
        }
    }

    private void replace(CopyOptionsBuilder chosen) {
        if (isOneOf(3)) {
            words.add("-f");
            chosen.force(true);
        }
        switch (random.nextInt(6)) {
            case 0 -> {
                words.add("--remove-destination");
                chosen.removeDestination(true);
            }
            case 1 -> chosen.inPlace(true);
            default -> {
            }
        }
        switch (random.nextInt(6)) {
            case 0 -> {
                words.add("-u");
                chosen.existing(CopyOptions.Existing.UPDATE);
            }
            case 1 -> {
                words.add("-n");
                chosen.existing(CopyOptions.Existing.SKIP);
            }
            case 2 -> {
                words.add("--backup=numbered");
                chosen.backup(Backup.of(Backup.Control.NUMBERED));
            }
            default -> {
            }
        }
    }

    /** Creates S and T in a directory, the same at each call. */
    void make(Path world) throws IOException {
        random = new Random(seed + 1);
        for (String top : List.of("S", "T")) {
            for (String name : List.of("d", "e")) {
                if (top.equals("S") || isDecidedByFirst() || !isOneOf(4)) {
                    Files.createDirectories(world.resolve(top).resolve(name));
                }
            }
            List<Path> files = new ArrayList<>();
            for (String name : NAMES) {
                Path path = world.resolve(top).resolve(name);
                if (Files.isDirectory(parent(path))) {
                    entry(world, path, world.resolve("S").resolve(name), top.equals("T"), files);
                }
            }
        }
        for (String name : List.of("S/d", "S/e", "T/d", "T/e")) {
            if (Files.exists(world.resolve(name))) {
                age(world.resolve(name));
            }
        }
    }

    // The first name of a file that is read decides for all, or gives its data.
    private boolean isDecidedByFirst() {
        return options.existing() == CopyOptions.Existing.UPDATE || options.attributesOnly();
    }

    private void entry(Path world, Path path, Path source, boolean isTarget, List<Path> files) throws IOException {
        if (isTarget && isDecidedByFirst() && keepsLinks() && isFile(source)
                && (int) Files.getAttribute(source, "unix:nlink") > 1) {
            Files.writeString(path, "there");
            Files.setLastModifiedTime(path, FileTime.fromMillis(2_000_000_000L));
            return;
        }
        boolean isCleared = options.backup().isMade() || options.removeDestination();
        switch (random.nextInt(isTarget ? 14 : 12)) {
            case 0 -> {
                // Symbolic links in the target are not written through below the roots, and files that such links lead
                // to as well may become several, as the guide says.
                boolean mayBe = isTarget
                        ? isCleared || !isLikeGnu()
                        : !keepsLinks() || options.symlinks() != Symlinks.ALWAYS;
                if (mayBe) {
                    Files.createSymbolicLink(path, world.resolve("S").resolve(any(NAMES)));
                } else {
                    file(path, isTarget, files);
                }
            }
            case 1, 2, 3, 4 -> {
                boolean mayShare = !isTarget || options.form() == CopyOptions.Form.COPY && !options.attributesOnly()
                        && (keepsLinks() || isCleared);
                if (files.isEmpty() || !mayShare) {
                    file(path, isTarget, files);
                } else {
                    Files.createLink(path, any(files));
                    files.add(path);
                }
            }
            case 5 -> {
                if (isTarget && isFile(source)) {
                    Files.createLink(path, source);
                } else {
                    file(path, isTarget, files);
                }
            }
            case 6 -> {
                // cp -u silently keeps a newer directory that is in the way.
                if (isOneOf(3) && options.existing() != CopyOptions.Existing.UPDATE) {
                    Files.createDirectory(path);
                    age(path);
                } else {
                    file(path, isTarget, files);
                }
            }
            case 12, 13 -> {
            }
            default -> file(path, isTarget, files);
        }
    }

    private static boolean isFile(Path path) {
        return Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS);
    }

    private static Path parent(Path path) {
        return Objects.requireNonNull(path.getParent());
    }

    private void file(Path path, boolean isTarget, List<Path> files) throws IOException {
        byte[] text = (parent(path).getFileName() + "/" + path.getFileName() + isTarget).getBytes(UTF_8);
        byte[] data = text;
        if (random.nextBoolean()) {
            data = new byte[(1 << 20) + 4096 * (1 + random.nextInt(300))];
            if (!isOneOf(3)) {
                Arrays.fill(data, (byte) random.nextInt());
            }
            for (int at = random.nextInt(10_000); at < data.length - 100; at += 100_000 + random.nextInt(300_000)) {
                System.arraycopy(text, 0, data, at, text.length);
            }
        }
        Files.write(path, data);
        age(path);
        // If modes are not preserved, the mode of the name that is read first applies to all.
        if (preserve.contains(Preserve.MODE) || !isTarget && !keepsLinks()) {
            Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(any(MODES)));
        }
        files.add(path);
    }

    private void age(Path path) throws IOException {
        Files.setLastModifiedTime(path, FileTime.fromMillis(1_000_000_000L * (1 + random.nextInt(3))));
    }

    /** Returns all below a directory: name, content, mode, time unless it is current, and which names are one file. */
    String state(Path world) throws IOException {
        Map<Object, String> first = new HashMap<>();
        Map<String, String> found = new TreeMap<>();
        try (Stream<Path> all = Files.walk(world)) {
            for (Path path : all.sorted().toList()) {
                String name = world.relativize(path).toString();
                long time = Files.getLastModifiedTime(path, LinkOption.NOFOLLOW_LINKS).toMillis() / 1_000_000_000L;
                Object mode = Files.getAttribute(path, "unix:mode", LinkOption.NOFOLLOW_LINKS);
                Object inode = Files.getAttribute(path, "unix:ino", LinkOption.NOFOLLOW_LINKS);
                String rest = " " + Integer.toOctalString((int) mode) + (time < 9 ? " " + time : " now");
                String same = first.computeIfAbsent(inode, key -> name);
                if (Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
                    // A directory's time that is not preserved depends on how files in it were replaced.
                    boolean isTimed = !Set.of("", "S", "T").contains(name) && preserve.contains(Preserve.TIMESTAMPS);
                    found.put(name, "directory" + (isTimed ? rest : ""));
                } else if (Files.isSymbolicLink(path)) {
                    found.put(name, "-> " + world.relativize(Files.readSymbolicLink(path)));
                } else {
                    found.put(name, content(path) + rest + (same.equals(name) ? "" : " is " + same));
                }
            }
        }
        StringBuilder text = new StringBuilder();
        found.forEach((name, value) -> text.append(name).append(' ').append(value).append('\n'));
        return text.toString();
    }

    private static String content(Path path) throws IOException {
        byte[] data = Files.readAllBytes(path);
        return data.length < 100
                ? new String(data, UTF_8)
                : data.length + " bytes " + Integer.toHexString(Arrays.hashCode(data));
    }
}
