// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.treehaul.core.condition.Accounts;
import org.treehaul.core.condition.ConditionContext;
import org.treehaul.core.condition.FileQuery;
import org.treehaul.core.condition.FileTimes;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.Timestamp;

/**
 * A condition for find(1), and the same for this program.
 *
 * @param find the arguments of find
 * @param ours the words of the condition of this program
 */
public record FindCondition(List<String> find, List<String> ours) {

    private static final Instant NOW = Instant.parse("2026-11-21T11:00:00Z");
    // Java has no path for a name that the character set of the locale lacks, such as that of the locale C.
    private static final List<String> NAMES = Stream
            .of("a", "A.h5", "b.H5", "ab.tar.gz", ".hid", "c d", "n\nl", "\u00e9.txt", "tmp.", "..x", "README", "[x]",
                    "a*b", "dir.d")
            .filter(Charset.forName(System.getProperty("sun.jnu.encoding")).newEncoder()::canEncode)
            .toList();

    static FindCondition of(String find, String ours) {
        return new FindCondition(List.of(find.split("\t", -1)), List.of(ours));
    }

    FindCondition not() {
        return new FindCondition(joined(List.of(List.of("!", "("), find, List.of(")"))),
                joined(List.of(List.of("not", "("), ours, List.of(")"))));
    }

    FindCondition and(FindCondition other) {
        return new FindCondition(joined(List.of(find, other.find)), joined(List.of(ours, other.ours)));
    }

    FindCondition or(FindCondition other) {
        return new FindCondition(joined(List.of(List.of("("), find, List.of("-o"), other.find, List.of(")"))),
                joined(List.of(List.of("("), ours, List.of("or"), other.ours, List.of(")"))));
    }

    private static List<String> joined(List<List<String>> parts) {
        return parts.stream().flatMap(List::stream).toList();
    }

    /** Makes a random tree below a new directory, and returns its paths, the directory itself first. */
    public static List<Path> makeTree(Random random, Path root) throws IOException {
        Files.createDirectory(root);
        List<Path> made = new ArrayList<>(List.of(root));
        int entries = random.nextInt(25);
        for (int entry = 0; entry < entries; entry++) {
            make(random, made, entry);
        }
        return made;
    }

    /** Returns a random condition, which may compare with the times of one of these paths. */
    public static FindCondition random(Random random, List<Path> made) {
        return group(random, made.get(random.nextInt(made.size())), 3);
    }

    /** Returns the condition as this program parses it at the time for which trees are made. */
    public FileQuery query(boolean isOfIndex) {
        FileTimes files = path -> {
            Instant time = Files.getLastModifiedTime(Path.of(path.utf8().orElseThrow()), LinkOption.NOFOLLOW_LINKS)
                    .toInstant();
            return new Timestamp(time.getEpochSecond(), time.getNano());
        };
        return FileQuery.parse(ours.stream().map(ByteString::of).toList(),
                new ConditionContext(Accounts.system(), Clock.fixed(NOW, ZoneOffset.UTC), files, isOfIndex));
    }

    private static void make(Random random, List<Path> made, int number) throws IOException {
        List<Path> directories = made.stream()
                .filter(path -> Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS))
                .toList();
        Path parent = directories.get(random.nextInt(directories.size()));
        Path path = parent.resolve(NAMES.get(random.nextInt(NAMES.size())));
        if (Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        switch (random.nextInt(5)) {
            case 0 -> Files.createSymbolicLink(path, Path.of(random.nextBoolean() ? "A.h5" : "/no/where"));
            case 1, 2 -> Files.createDirectory(path);
            default -> {
                Files.write(path, new byte[random.nextInt(4) * 600]);
                Files.setPosixFilePermissions(path,
                        PosixFilePermissions.fromString(random.nextBoolean() ? "rw-r--r--" : "rwxr-x--x"));
                if (random.nextInt(4) == 0) {
                    Files.createLink(parent.resolve("hard" + number), path);
                }
            }
        }
        if (!Files.isSymbolicLink(path)) {
            Files.setLastModifiedTime(path, FileTime.from(NOW.minus(Duration.ofHours(random.nextInt(40 * 24)))));
        }
        made.add(path);
    }

    private static FindCondition group(Random random, Path any, int levels) {
        return switch (levels == 0 ? 0 : random.nextInt(5)) {
            case 1 -> group(random, any, levels - 1).not();
            case 2 -> group(random, any, levels - 1).and(group(random, any, levels - 1));
            case 3 -> group(random, any, levels - 1).or(group(random, any, levels - 1));
            default -> condition(random, any);
        };
    }

    private static FindCondition condition(Random random, Path any) {
        String pattern = List.of("a*", "*.h5", "?", "*.*", "[a-c]*", "\\[x\\]", "a\\*b", "*d", "README", ".*", "[!a]*")
                .get(random.nextInt(11));
        long days = random.nextInt(40);
        long time = NOW.minus(Duration.ofDays(days)).getEpochSecond();
        int size = random.nextInt(4) * 600;
        String newer = any.toString();
        return switch (random.nextInt(22)) {
            case 0 -> FindCondition.of("-name\t" + pattern, "name=" + pattern);
            case 1 -> FindCondition.of("-iname\t" + pattern, "name~=" + pattern);
            case 2 -> FindCondition.of("!\t-iname\t" + pattern, "name!~=" + pattern);
            case 3 -> FindCondition.of("-path\t*/" + pattern, "path=*/" + pattern);
            case 4 -> FindCondition.of("-ipath\t*" + pattern, "path~=*" + pattern);
            case 5 -> FindCondition.of("-type\tf", "kind=regular");
            case 6 -> FindCondition.of("-type\td,l", "kind=directory,symlink");
            case 7 -> FindCondition.of("-size\t+" + size + "c", "size>" + size);
            case 8 -> FindCondition.of("-size\t" + size + "c", "size=" + size);
            case 9 -> FindCondition.of("-empty", "empty=yes");
            case 10 -> FindCondition.of("!\t-empty", "empty=no");
            case 11 -> FindCondition.of("-perm\t644", "mode=0644");
            case 12 -> FindCondition.of("-perm\t-640", "mode=-640");
            case 13 -> FindCondition.of("-perm\t/011", "mode=/011");
            case 14 -> FindCondition.of("-links\t+1", "links>1");
            case 15 -> FindCondition.of("!\t-newermt\t@" + time, "age>=" + days + "d");
            case 16 -> FindCondition.of("-newermt\t@" + time, "age<" + days + "d");
            case 17 -> FindCondition.of("-newer\t" + newer, "newer-than=" + newer);
            case 18 -> FindCondition.of("-lname\t*h5", "target=*h5");
            case 19 -> FindCondition.of("-name\t?*.h5", "extension=h5");
            case 20 -> FindCondition.of("-regex\t.*/tree[0-9]*/[^/]*/[^/]*", "depth=2");
            default -> FindCondition.of("-uid\t0", "owner=0");
        };
    }

    /** Returns the paths of all entries of a tree, which may be missing, each beginning with the root. */
    public static Set<String> all(Path root) throws IOException {
        try (Stream<Path> found = Files.exists(root) ? Files.walk(root) : Stream.empty()) {
            return found.map(Path::toString).collect(Collectors.toCollection(TreeSet::new));
        }
    }

    /** Returns the paths that find prints, each beginning with the root. */
    public Set<String> find(Path root) throws Exception {
        List<String> command = new ArrayList<>(List.of("find", root.toString(), "("));
        command.addAll(find);
        command.addAll(List.of(")", "-print0"));
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().put("LC_ALL", "C.UTF-8");
        Process process = builder.start();
        String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(out).isZero();
        return out.isEmpty() ? Set.of() : new TreeSet<>(Arrays.asList(out.split("\0")));
    }
}
