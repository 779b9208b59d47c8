// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.walk;

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
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.treehaul.core.condition.Accounts;
import org.treehaul.core.condition.ConditionContext;
import org.treehaul.core.condition.FileQuery;
import org.treehaul.core.condition.FileTimes;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.Timestamp;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.testing.Campaign;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.core.walk.options.Root;
import org.treehaul.core.walk.options.WalkOptions;

/** Conditions on live trees select what GNU find selects. */
class FoundValuesTest {

    private static final Instant NOW = Instant.parse("2026-11-21T11:00:00Z");
    // Java has no path for a name that the character set of the locale lacks, such as that of the locale C.
    private static final List<String> NAMES = Stream
            .of("a", "A.h5", "b.H5", "ab.tar.gz", ".hid", "c d", "n\nl", "\u00e9.txt", "tmp.", "..x", "README", "[x]",
                    "a*b", "dir.d")
            .filter(Charset.forName(System.getProperty("sun.jnu.encoding")).newEncoder()::canEncode)
            .toList();

    private final TestDirectory directory = TestDirectory.make();

    @AfterEach
    void delete() {
        directory.close();
    }

    /** A condition for find(1), and the same for this program. */
    private record Both(List<String> find, List<String> ours) {

        static Both of(String find, String ours) {
            return new Both(List.of(find.split("\t", -1)), List.of(ours));
        }

        Both not() {
            return new Both(joined(List.of(List.of("!", "("), find, List.of(")"))),
                    joined(List.of(List.of("not", "("), ours, List.of(")"))));
        }

        Both and(Both other) {
            return new Both(joined(List.of(find, other.find)), joined(List.of(ours, other.ours)));
        }

        Both or(Both other) {
            return new Both(joined(List.of(List.of("("), find, List.of("-o"), other.find, List.of(")"))),
                    joined(List.of(List.of("("), ours, List.of("or"), other.ours, List.of(")"))));
        }

        private static List<String> joined(List<List<String>> parts) {
            return parts.stream().flatMap(List::stream).toList();
        }
    }

    @Test
    void conditionsSelectWhatFindSelects() throws Exception {
        int cases = Campaign.cases(500);
        long seed = Campaign.seed(17);
        int found = 0;
        for (int i = 0; i < cases; i++) {
            Random random = new Random(seed + i);
            Path root = directory.resolve("tree" + i);
            Files.createDirectory(root);
            List<Path> made = new ArrayList<>(List.of(root));
            int entries = random.nextInt(25);
            for (int entry = 0; entry < entries; entry++) {
                make(random, made, entry);
            }
            for (int question = 0; question < 4; question++) {
                Both both = group(random, made.get(random.nextInt(made.size())), 3);
                Set<String> expected = find(root, both.find());
                assertThat(walk(root, both.ours())).as("seed %d: %s is %s", seed + i, both.find(), both.ours())
                        .isEqualTo(expected);
                found += expected.size();
            }
        }
        // Otherwise the cases would compare nothing with nothing.
        assertThat(found).isGreaterThan(cases);
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

    private static Both group(Random random, Path any, int levels) {
        return switch (levels == 0 ? 0 : random.nextInt(5)) {
            case 1 -> group(random, any, levels - 1).not();
            case 2 -> group(random, any, levels - 1).and(group(random, any, levels - 1));
            case 3 -> group(random, any, levels - 1).or(group(random, any, levels - 1));
            default -> condition(random, any);
        };
    }

    private static Both condition(Random random, Path any) {
        String pattern = List.of("a*", "*.h5", "?", "*.*", "[a-c]*", "\\[x\\]", "a\\*b", "*d", "README", ".*", "[!a]*")
                .get(random.nextInt(11));
        long days = random.nextInt(40);
        long time = NOW.minus(Duration.ofDays(days)).getEpochSecond();
        int size = random.nextInt(4) * 600;
        String newer = any.toString();
        return switch (random.nextInt(22)) {
            case 0 -> Both.of("-name\t" + pattern, "name=" + pattern);
            case 1 -> Both.of("-iname\t" + pattern, "name~=" + pattern);
            case 2 -> Both.of("!\t-iname\t" + pattern, "name!~=" + pattern);
            case 3 -> Both.of("-path\t*/" + pattern, "path=*/" + pattern);
            case 4 -> Both.of("-ipath\t*" + pattern, "path~=*" + pattern);
            case 5 -> Both.of("-type\tf", "kind=regular");
            case 6 -> Both.of("-type\td,l", "kind=directory,symlink");
            case 7 -> Both.of("-size\t+" + size + "c", "size>" + size);
            case 8 -> Both.of("-size\t" + size + "c", "size=" + size);
            case 9 -> Both.of("-empty", "empty=yes");
            case 10 -> Both.of("!\t-empty", "empty=no");
            case 11 -> Both.of("-perm\t644", "mode=0644");
            case 12 -> Both.of("-perm\t-640", "mode=-640");
            case 13 -> Both.of("-perm\t/011", "mode=/011");
            case 14 -> Both.of("-links\t+1", "links>1");
            case 15 -> Both.of("!\t-newermt\t@" + time, "age>=" + days + "d");
            case 16 -> Both.of("-newermt\t@" + time, "age<" + days + "d");
            case 17 -> Both.of("-newer\t" + newer, "newer-than=" + newer);
            case 18 -> Both.of("-lname\t*h5", "target=*h5");
            case 19 -> Both.of("-name\t?*.h5", "extension=h5");
            case 20 -> Both.of("-regex\t.*/tree[0-9]*/[^/]*/[^/]*", "depth=2");
            default -> Both.of("-uid\t0", "owner=0");
        };
    }

    private static Set<String> find(Path root, List<String> conditions) throws Exception {
        List<String> command = new ArrayList<>(List.of("find", root.toString(), "("));
        command.addAll(conditions);
        command.addAll(List.of(")", "-print0"));
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().put("LC_ALL", "C.UTF-8");
        Process process = builder.start();
        String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(out).isZero();
        return new TreeSet<>(Arrays.asList(out.split("\0")));
    }

    private static Set<String> walk(Path root, List<String> conditions) {
        FileTimes files = path -> {
            Instant time = Files.getLastModifiedTime(Path.of(path.utf8().orElseThrow()), LinkOption.NOFOLLOW_LINKS)
                    .toInstant();
            return new Timestamp(time.getEpochSecond(), time.getNano());
        };
        FileQuery where = FileQuery.parse(conditions.stream().map(ByteString::of).toList(),
                new ConditionContext(Accounts.system(), Clock.fixed(NOW, ZoneOffset.UTC), files, false));
        List<Root> roots = List.of(Root.of(root));
        WalkResult<Collector> result = TreeWalker
                .of(Linux.calls(), WalkOptions.defaults().withStatus(false).withThreads(2).withWhere(where))
                .walkWith(roots, worker -> new Collector(roots, where), new Cancellation(), workers -> {
                });
        Set<String> all = new TreeSet<>();
        result.workers().forEach(collector -> all.addAll(collector.paths));
        return all.isEmpty() ? Set.of("") : all;
    }

    /** Collects the entries that meet the conditions. */
    private static final class Collector implements WalkHandler<Boolean> {

        private final FoundValues values;
        private final FileQuery where;
        private final List<String> paths = new ArrayList<>();

        Collector(List<Root> roots, FileQuery where) {
            this.values = new FoundValues(roots);
            this.where = where;
        }

        @Override
        public Step entry(FoundEntry<Boolean> found) throws SystemCallException {
            boolean isMatch = where.matches(values.of(found));
            assertThat(isMatch || found.kind() == EntryKind.DIRECTORY).isTrue();
            if (isMatch) {
                paths.add(values.path().utf8().orElseThrow());
            }
            return Step.CONTINUE;
        }

        @Override
        public Boolean enter(WalkDirectory<Boolean> entered, WalkWorker<Boolean> worker) {
            return Boolean.TRUE;
        }

        @Override
        public void leave(WalkDirectory<Boolean> left, WalkWorker<Boolean> worker) {
            // All was collected on the way down.
        }

        @Override
        public void failed(EntryFailure failure) {
            throw new AssertionError(failure.toString());
        }
    }
}
