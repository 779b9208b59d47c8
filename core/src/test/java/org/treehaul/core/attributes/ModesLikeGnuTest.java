// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.attributes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.testing.Campaign;
import org.treehaul.core.testing.Privilege;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.core.testing.TreeWriter;
import org.treehaul.core.transfer.FatalCalls;

/** Random expressions on random trees: the modes are those that GNU chmod leaves. */
class ModesLikeGnuTest {

    private static final int READ_AND_SEARCH = 0500;
    // Such a tree takes about 60.
    private static final int MOST_CALLS = 60;

    private final TestDirectory directory = TestDirectory.onTmpfs();

    @AfterEach
    void close() {
        directory.close();
    }

    /** A tree, and its change. */
    private record Case(Path place, String expression, int umask, int threads) {

        Path tree(String name) {
            return place.resolve(name);
        }

        String gnu(String name) {
            return String.format(Locale.ROOT, "umask %03o; chmod -R -- '%s' '%s' 2> /dev/null; echo $? > '%s.code'%n",
                    umask, expression, tree(name), tree(name));
        }

        String line() {
            return tree("ours") + "\t" + expression + "\t" + Integer.toOctalString(umask) + "\t" + threads;
        }
    }

    private List<Case> cases(int count, long seed, String... trees) throws IOException {
        List<Case> cases = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            Random random = new Random(seed + i);
            Case one = new Case(Files.createDirectories(directory.resolve("c" + i)), expression(random),
                    random.nextBoolean() ? 022 : random.nextInt(01000), 1 + random.nextInt(4));
            for (String tree : trees) {
                make(one.tree(tree), seed + i);
            }
            cases.add(one);
        }
        return cases;
    }

    private static String expression(Random random) {
        if (random.nextInt(4) == 0) {
            String octal = Integer.toOctalString(random.nextInt(010000));
            return "0".repeat(random.nextInt(3)) + octal;
        }
        StringBuilder text = new StringBuilder();
        do {
            text.append(text.isEmpty() ? "" : ",").append(clause(random));
        } while (random.nextBoolean());
        return text.toString();
    }

    private static String clause(Random random) {
        String operators = "+-=";
        if (random.nextInt(10) == 0) {
            return operators.charAt(random.nextInt(3)) + Integer.toOctalString(random.nextInt(010000));
        }
        StringBuilder text = new StringBuilder(letters(random, "ugoa", 3));
        do {
            text.append(operators.charAt(random.nextInt(3)))
                    .append(random.nextInt(4) == 0
                            ? "" + "ugo".charAt(random.nextInt(3))
                            : letters(random, "rwxXst", 4));
        } while (random.nextInt(3) == 0);
        return text.toString();
    }

    private static String letters(Random random, String from, int most) {
        StringBuilder text = new StringBuilder();
        for (int i = random.nextInt(most + 1); i > 0; i--) {
            text.append(from.charAt(random.nextInt(from.length())));
        }
        return text.toString();
    }

    private static void make(Path tree, long seed) throws IOException {
        Random random = new Random(seed);
        Files.createDirectories(tree);
        List<ByteString> directories = new ArrayList<>(List.of(ByteString.empty()));
        List<ByteString> modes = new ArrayList<>();
        try (TreeWriter writer = TreeWriter.in(Linux.calls(), tree)) {
            for (int i = 0; i < 10; i++) {
                ByteString above = directories.get(random.nextInt(directories.size()));
                ByteString path = ByteString.of((above.length() == 0 ? "" : above + "/") + "e" + i);
                int kind = random.nextInt(10);
                if (kind < 4) {
                    writer.directory(path);
                    directories.add(path);
                } else if (kind < 8) {
                    writer.file(path, new byte[0]);
                } else if (kind == 8) {
                    writer.symlink(path, ByteString.of(random.nextBoolean() ? "/" : "e0"));
                    continue;
                } else {
                    writer.special(path, EntryKind.FIFO, 0);
                }
                modes.add(path);
            }
            for (ByteString path : modes.reversed()) {
                // Most are open to their owner, so that trees are not cut off at the first directory.
                writer.mode(path, random.nextInt(010000) | (random.nextInt(4) > 0 ? 0700 : 0));
            }
        }
    }

    private static void gnu(List<String> by, Path script, List<Case> cases, String tree)
            throws IOException, InterruptedException {
        Files.writeString(script, String.join("", cases.stream().map(one -> one.gnu(tree)).toList()));
        List<String> command = new ArrayList<>(by);
        command.addAll(List.of("sh", script.toString()));
        ChangeProcess.output(command, 0);
    }

    /** Returns type and mode of each entry by its path. */
    private static Map<String, String> modes(Path tree) throws IOException {
        Map<String, String> modes = new TreeMap<>();
        try (Stream<Path> all = Files.walk(tree)) {
            for (Path path : (Iterable<Path>) all::iterator) {
                int mode = (int) Files.getAttribute(path, "unix:mode", LinkOption.NOFOLLOW_LINKS);
                modes.put(tree.relativize(path).toString(),
                        String.format(Locale.ROOT, "%02o %o", mode >> 12, mode & 07777));
            }
        }
        return modes;
    }

    private void asRoot(int count, long seed) throws Exception {
        Privilege.requireRoot("every mode can be read by root only");
        List<Case> cases = cases(count, seed, "ours", "gnu");
        gnu(List.of(), directory.resolve("script"), cases, "gnu");
        for (Case one : cases) {
            ChangeProcess.change(one.tree("ours"), ModeChange.parse(one.expression(), one.umask()), one.threads());
            assertThat(modes(one.tree("ours"))).as(one.toString()).isEqualTo(modes(one.tree("gnu")));
        }
    }

    // An expression that gives another mode each time cannot be repeated, as with GNU chmod.
    private void repeatedAfterKills(int count, long seed) throws Exception {
        Privilege.requireRoot("every mode can be read by root only");
        List<Case> cases = cases(count, seed, "ours", "gnu");
        gnu(List.of(), directory.resolve("script"), cases, "gnu");
        Random random = new Random(seed);
        int killed = 0;
        for (Case one : cases) {
            ModeChange change = ModeChange.parse(one.expression(), one.umask());
            if (change.isRepeatable()) {
                Path lines = Files.writeString(directory.resolve("lines"), one.line());
                killed += ChangeProcess.isKilled(lines, FatalCalls.kill(random, MOST_CALLS)) ? 1 : 0;
                ChangeProcess.change(one.tree("ours"), change, one.threads());
                assertThat(modes(one.tree("ours"))).as(one.toString()).isEqualTo(modes(one.tree("gnu")));
            }
        }
        assertThat(killed).isGreaterThan(count / 4);
    }

    /**
     * A user without the privileges of root changes one copy of each tree with treehaul and one with GNU chmod; root
     * changes another one with GNU chmod, which shows the modes that entries would get if all could be reached.
     */
    private void asUser(int count, long seed) throws Exception {
        Privilege.requireRoot("it compares with the changes of root");
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/setpriv")), "setpriv is not installed");
        List<Case> cases = cases(count, seed, "ours", "gnu", "all", "before");
        gnu(List.of(), directory.resolve("all"), cases, "all");
        gnu(ChangeProcess.ORDINARY, directory.resolve("gnu"), cases, "gnu");
        Path lines = Files.write(directory.resolve("lines"), cases.stream().map(Case::line).toList());
        ChangeProcess.run(ChangeProcess.ORDINARY, lines);
        int better = 0;
        for (Case one : cases) {
            Map<String, String> before = modes(one.tree("before"));
            Map<String, String> all = modes(one.tree("all"));
            Map<String, String> ours = modes(one.tree("ours"));
            for (Map.Entry<String, String> entry : ours.entrySet()) {
                boolean isReached = isReached(entry.getKey(), before, all);
                assertThat(entry.getValue()).as(entry.getKey() + " in " + one)
                        .isEqualTo((isReached ? all : before).get(entry.getKey()));
            }
            Map<String, String> gnu = modes(one.tree("gnu"));
            if (Files.readString(one.place().resolve("gnu.code")).equals("0\n")) {
                assertThat(ours).as(one.toString()).isEqualTo(gnu);
            } else if (ours.equals(all)) {
                better++;
            }
        }
        assertThat(better).as("trees that GNU chmod changes only in part").isPositive();
    }

    // A directory can be listed before or after its change.
    private static boolean isReached(String path, Map<String, String> before, Map<String, String> after) {
        for (int slash = path.lastIndexOf('/'); slash > 0; slash = path.lastIndexOf('/', slash - 1)) {
            String above = path.substring(0, slash);
            if (!isOpen(before.get(above)) && !isOpen(after.get(above))) {
                return false;
            }
        }
        return path.isEmpty() || isOpen(before.get("")) || isOpen(after.get(""));
    }

    private static boolean isOpen(@Nullable String typeAndMode) {
        return typeAndMode != null
                && (Integer.parseInt(typeAndMode.substring(3), 8) & READ_AND_SEARCH) == READ_AND_SEARCH;
    }

    @Test
    void rootLeavesTheModesOfGnuChmod() throws Exception {
        asRoot(100, 1);
    }

    @Test
    void anOrdinaryUserLeavesTheModesOfGnuChmodAndReachesMore() throws Exception {
        asUser(100, 100_000);
    }

    @Test
    void aKilledChangeThatIsRepeatedLeavesTheModesOfGnuChmod() throws Exception {
        repeatedAfterKills(5, 3_000_000);
    }

    @Tag("campaign")
    @Test
    void changesKilledAtManyCallsAndRepeatedLeaveTheModesOfGnuChmod() throws Exception {
        repeatedAfterKills(Campaign.cases(600), Campaign.seed(4_000_000));
    }

    @Tag("campaign")
    @Test
    void rootLeavesTheModesOfGnuChmodInManyTrees() throws Exception {
        asRoot(Campaign.cases(10_000), Campaign.seed(1_000_000));
    }

    @Tag("campaign")
    @Test
    void anOrdinaryUserReachesMoreInManyTrees() throws Exception {
        asUser(Campaign.cases(5_000), Campaign.seed(2_000_000));
    }
}
