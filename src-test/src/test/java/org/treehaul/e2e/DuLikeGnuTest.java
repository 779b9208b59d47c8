// SPDX-License-Identifier: Apache-2.0
package org.treehaul.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.testing.Campaign;
import org.treehaul.core.testing.Privilege;
import org.treehaul.core.testing.RandomTree;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.packaged.Run;

/** Runs the same lines with GNU du and with treehaul du on the same trees, and compares what they print. */
class DuLikeGnuTest {

    // The names of each file with several names are in the same directory, or in one that is a root: GNU du assigns a
    // file to a directory by the order of its own walk.
    private static final String TREE = """
            umask 022
            mkdir -p d/sub/deep e/x full/d shut/in
            head -c 5000 /dev/zero > f; head -c 70000 /dev/zero > d/f; printf 3 > d/sub/g; printf 4 > full/d/f
            ln d/f d/hard; ln d/sub/g d/sub/hard; ln full/d/f e/x/hard
            truncate -s 30M d/sub/deep/sparse; printf x | dd of=d/sub/deep/sparse bs=1 seek=20000000 conv=notrunc status=none
            ln -s d ld; ln -s f lf; ln -s ../f d/rel; mkfifo d/fifo; : > empty; : > ./-f
            : > "$(printf 'e/\\377 \\n\\t')"; mkdir "$(printf 'e/\\001\\\\')"
            """;
    private static final String USER = "setpriv --reuid 65534 --regid 65534 --clear-groups ";

    private final TestDirectory directory = TestDirectory.onTmpfs();
    private final Cli cli = new Cli(directory.path());

    @BeforeEach
    void makeTree() throws Exception {
        cli.sh(TREE).expect(0);
    }

    @AfterEach
    void delete() {
        directory.close();
    }

    @Test
    void successfulRunsPrintTheSameLines() throws Exception {
        for (String line : List.of("d", "-s", "-sh .", "-a d", "d/", "-a d/sub e", "--inodes d", "--inodes -S d",
                "-S d", "-d1 d", "-d 0 d e", "-hd1 d", "--si d", "-c d e full", "-sc d e full", "e full", "full e",
                "d/sub d", "d d/sub e", "d d", "f f lf", "-a d/f d/hard", "-l d", "-lc e full", "-aS d", "-t 70K d",
                "-t -70K -a d", "-B1 d", "-B 4K d", "-BM d", "-BKB d", "-B MiB d", "-k d", "-m d", "-x d", "-D ld",
                "-H -s ld", "-aD lf", "-L d", "-aL ld", "-LP ld", "--max-depth=1 d", "--summ d", "--human-readable d",
                "--apparent-size -h f empty lf", "-b f empty lf", "-ab d/f", "--tot d", "--block-size=human-readable d",
                "--block-size si d", "./-f", "-- -f")) {
            same("", line, 0, 0);
        }
    }

    @Test
    void namesOfAnyBytesAreExact() throws Exception {
        assertThat(cli.sh("$T du -a0 --threads 1 e | sort -z").expect(0).out())
                .isEqualTo(cli.sh("du -a0 e | sort -z").expect(0).out())
                .contains("\te/\u00ff \n\t\0");
    }

    @ParameterizedTest
    @ValueSource(strings = {"nosuch d", "d nosuch", "-c d nosuch e", "-L d e/../nosuch"})
    void aRootThatDoesNotExistIsReported(String line) throws Exception {
        same("", line, 1, 23);
    }

    @Test
    void aRunWithoutAnyRootEndsWithTrouble() throws Exception {
        assertThat(cli.sh("$T du nosuch").expect(2).err()).contains("nosuch: stat: No such file or directory");
    }

    @ParameterizedTest
    @ValueSource(strings = {"shut", "-s shut", "-S shut", "-d 0 shut/in", "shut/in", "-c shut/in full", "-a shut"})
    void directoriesThatCannotBeReadCount(String line) throws Exception {
        Privilege.requireRoot("it becomes another user");
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/setpriv")), "setpriv is not installed");
        Files.setPosixFilePermissions(directory.path(), PosixFilePermissions.fromString("rwxr-xr-x"));
        cli.sh(": > shut/in/f; mkdir -p shut/in/d; head -c 9000 /dev/zero > shut/f; chmod 0 shut/in").expect(0);
        same(USER, line, 1, 23);
    }

    @Test
    void otherFileSystemsAreLeftOut() throws Exception {
        Privilege.requireCapability(Privilege.SYS_ADMIN, "it mounts");
        cli.sh("mkdir d/m && mount -t tmpfs none d/m && cp f d/m/f").expect(0);
        try {
            for (String line : List.of("-x d", "-ax d", "-x --inodes d", "-x d d/m", "d", "-a d")) {
                same("", line, 0, 0);
            }
        } finally {
            cli.sh("umount d/m").expect(0);
        }
    }

    @Test
    void aDirectoryThatIsMountedBelowItselfCountsOnce() throws Exception {
        Privilege.requireCapability(Privilege.SYS_ADMIN, "it mounts");
        cli.sh("mkdir -p b/x/y b/z/hidden && cp f b/x/f && mount --bind b b/z").expect(0);
        try {
            for (String line : List.of("b", "-a b", "-s b", "-l b", "--inodes b", "-S b", "-L b")) {
                same("", line, 0, 0);
            }
            assertThat(cli.sh("$T du --by extension b").expect(0).out())
                    .isEqualTo("1  5  8  (no extension)\n3  0  0  (directory)\n");
        } finally {
            cli.sh("umount b/z").expect(0);
        }
    }

    @Test
    void numbersForPeopleAreThoseOfGnuDu() throws Exception {
        Random random = new Random(5);
        StringBuilder script = new StringBuilder("mkdir sizes; cd sizes\n");
        List<Long> sizes = new ArrayList<>(
                List.of(0L, 1L, 999L, 1000L, 1001L, 1023L, 1024L, 1025L, 10 * 1024L - 1, 10 * 1024L, 10 * 1024L + 1,
                        1023 * 1024L + 1, (1L << 20) - 1, 1L << 20, 999_999L, 1_000_001L, 99 * 1024L / 10));
        for (int i = 0; i < 150; i++) {
            sizes.add(random.nextLong(1L << 1 + random.nextInt(40)));
        }
        for (int i = 0; i < sizes.size(); i++) {
            script.append("truncate -s ").append(sizes.get(i)).append(" f").append(i).append('\n');
        }
        cli.sh(script.toString()).expect(0);
        for (String size : List.of("-h", "--si", "-B1", "-BK", "-BkB", "-BMB", "-B 3")) {
            same("", "--apparent-size " + size + " sizes/*", 0, 0);
        }
    }

    @Test
    void someRandomTreesAreSummedUpAlike() throws Exception {
        compareTrees(40, 7);
    }

    @Tag("campaign")
    @Test
    void manyRandomTreesAreSummedUpAlike() throws Exception {
        compareTrees(Campaign.cases(4_000), Campaign.seed(System.nanoTime()));
    }

    private void compareTrees(int trees, long seed) throws Exception {
        Random random = new Random(seed);
        for (int first = 0; first < trees; first += 40) {
            Path batch = directory.directory("trees" + first);
            List<String> roots = new ArrayList<>();
            for (int i = first; i < Math.min(trees, first + 40); i++) {
                String name = "trees" + first + "/t" + i;
                Path tree = directory.directory(name);
                RandomTree.make(Linux.calls(), tree, random.nextLong(), 5 + random.nextInt(60));
                roots.add(name);
                try (Stream<Path> below = Files.list(tree)) {
                    // A root inside another one, which comes before or after it.
                    below.filter(Files::isDirectory)
                            .filter(path -> path.toString().matches("[-\\w./]*"))
                            .filter(path -> random.nextBoolean())
                            .forEach(path -> roots.add(name + "/" + path.getFileName()));
                }
            }
            Collections.shuffle(roots, random);
            String all = String.join(" ", roots);
            for (String options : List.of("-s0B1", "-s0 --inodes", "-sc0B1", "-al0B1", "-lS0B1", "-l0 --inodes -d 2")) {
                same("", options + " " + all, 0, 0);
                String line = options + " " + all;
                Run indexed = cli
                        .warmly("$T index --space $PWD/space" + first + " trees" + first
                                + " && $T du --index $PWD/space" + first + " " + line)
                        .expect(0);
                assertThat(lines(indexed, line)).as(line + "\n" + indexed.err())
                        .isEqualTo(lines(cli.sh("du " + line), line));
            }
            cli.sh("rm -rf " + batch.getFileName()).expect(0);
        }
    }

    @Test
    void anIndexGivesTheNumbersOfTheTree() throws Exception {
        cli.warmly("$T index --space $PWD/../" + directory.path().getFileName() + ".space .").expect(0);
        try {
            for (String line : List.of("d", "-s .", "--inodes d", "-S d", "-sS d", "-d1 d", "-c d e full",
                    "-sc d e full", "e full", "full e", "d/sub d", "d d/sub e", "-s d/sub d", "-s d d/sub", "d d", "f",
                    "-al d", "-b f", "-h d", "-t 70K d", "d/")) {
                Run indexed = cli.warmly("$T du --index $PWD/../" + directory.path().getFileName() + ".space " + line)
                        .expect(0);
                assertThat(lines(indexed, line)).as(line).isEqualTo(lines(cli.sh("du " + line).expect(0), line));
            }
        } finally {
            cli.sh("rm -rf ../" + directory.path().getFileName() + ".space").expect(0);
        }
    }

    @Test
    void anIndexWithoutTheRootIsNamed() throws Exception {
        cli.sh("$T index --space d/space e").expect(0);
        assertThat(cli.sh("$T du --index d/space e full").expect(23).err())
                .contains("full: find in the index: No such");
        assertThat(cli.sh("$T du --index d/space full").expect(2).out()).isEmpty();
        assertThat(cli.sh("$T du --index nosuch e").expect(2).err()).contains("treehaul index --space DIR");
        assertThat(cli.sh("$T du --index d/space -x e").expect(2).err()).contains("cannot be combined with -x");
        assertThat(cli.sh("$T du --index d/space --by owner e").expect(2).err()).contains("query --group-by");
        assertThat(cli.sh("$T du -s --index d/space").expect(0).out()).endsWith("/e\n");
    }

    // The lines of one directory may come in another order, and those of other directories in between.
    private void same(String prefix, String line, int gnuCode, int code) throws Exception {
        Run theirs = cli.sh(prefix + "du " + line).expect(gnuCode);
        Run mine = prefix.isEmpty() ? cli.warmly("$T du " + line) : cli.sh(prefix + "$T du " + line);
        assertThat(lines(mine, line)).as(line + "\n" + mine.err() + theirs.err()).isEqualTo(lines(theirs, line));
        assertThat(mine.code()).as(mine.err()).isEqualTo(code);
    }

    private static List<String> lines(Run run, String line) {
        boolean endsWithNul = line.matches("-\\w*0.*");
        return Arrays.stream(run.out().split(endsWithNul ? "\0" : "\n", -1)).sorted().toList();
    }
}
