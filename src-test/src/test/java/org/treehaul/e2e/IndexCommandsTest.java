// SPDX-License-Identifier: Apache-2.0
package org.treehaul.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.testing.Privilege;
import org.treehaul.core.testing.RandomTree;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.packaged.Run;

class IndexCommandsTest {

    private static final String NOBODY = "65534";

    private final TestDirectory directory = TestDirectory.make();
    private final Cli cli = new Cli(directory.path());

    @BeforeEach
    void makeTree() throws Exception {
        cli.sh("mkdir -p s/a/b s/c; printf 12345 > s/a/f.h5; printf 1 > s/a/b/g; ln -s f.h5 s/a/l; : > s/c/e.h5;"
                + "printf 99 > \"$(printf 's/c/caf\\351,\\n.h5')\"").expect(0);
    }

    @AfterEach
    void delete() {
        directory.close();
    }

    private Run index(String... arguments) throws Exception {
        return run("index", arguments);
    }

    private Run query(String... arguments) throws Exception {
        return run("query", arguments);
    }

    private Run run(String command, String... arguments) throws Exception {
        return WarmProgram.run(directory.path(),
                Stream.concat(Stream.of(command, "--space", space().toString()), Stream.of(arguments))
                        .toArray(String[]::new));
    }

    private Path space() {
        return directory.resolve("space");
    }

    private static List<String> sorted(String text, String separator) {
        return Stream.of(text.split(separator)).sorted().toList();
    }

    @Test
    void anIndexIsMadeAskedAndMadeAgain() throws Exception {
        Run first = index("s").expect(0);
        assertThat(first.out()).isEmpty();
        assertThat(first.err())
                .contains("treehaul: index: 9 entries of " + directory.path() + "/s: 9 new, 0 changed, 0 gone, in ");
        assertThat(query("kind=regular", "size>1", "name=f*").expect(0).out())
                .isEqualTo(directory.path() + "/s/a/f.h5\n");
        assertThat(query("--count", "kind=directory").out()).isEqualTo("4\n");
        assertThat(query("--sum", "size", "kind=regular").out()).isEqualTo("8\n");
        assertThat(query("--top", "2", "kind=regular").out()).startsWith("5\t" + directory.path() + "/s/a/f.h5\n2\t");
        assertThat(query("--group-by", "kind", "kind=regular,symlink").out())
                .isEqualTo("4  8  8 B  regular\n1  4  4 B  symlink\n");
        assertThat(query("name=nothing").expect(0).out()).isEmpty();
        cli.sh("rm s/c/e.h5; printf 6 >> s/a/f.h5; : > s/new").expect(0);
        assertThat(index().expect(0).err()).contains("9 entries", ": 1 new, 3 changed, 1 gone");
        assertThat(sorted(query("generation=2").out(), "\n")).containsExactly(directory.path() + "/s",
                directory.path() + "/s/a/f.h5", directory.path() + "/s/c", directory.path() + "/s/new");
        assertThat(cli.sh("stat -c %a space space/*").out().lines()).first().isEqualTo("700");
        assertThat(cli.sh("stat -c %a space/*").out().lines()).containsOnly("600");
    }

    @Test
    void anIndexRemembersItsConditions() throws Exception {
        assertThat(index("--where", "kind=regular not empty=yes", "--where", "size<1G", "s").expect(0).err())
                .contains("3 entries of ", ": 3 new, 0 changed, 0 gone, in ");
        assertThat(query("--count").out()).isEqualTo("3\n");
        assertThat(query("kind=directory").out()).isEmpty();
        cli.sh("rm -r s/a/b; printf 1 > s/c/e.h5").expect(0);
        assertThat(index().expect(0).err()).contains("3 entries", ": 1 new, 0 changed, 1 gone");
        assertThat(sorted(query("-0", "--below", "s").out(), "\0")).hasSize(3).contains("a/f.h5", "c/e.h5");
        assertThat(index("--where", "size>1K", "s").expect(2).err()).contains(
                "this index has the entries that meet '( kind=regular not empty=yes ) ( size<1G )', not those that meet 'size>1K'",
                "use another space");
        assertThat(index("--info").expect(0).out()).contains("s: 3 entries, ",
                ", entries that meet '( kind=regular not empty=yes ) ( size<1G )'\n");
        assertThat(index("--info", "--json").expect(0).out())
                .contains("\"where\":\"( kind=regular not empty=yes ) ( size<1G )\"");
        assertThat(index("--forget", "s").expect(0).err()).contains("with 3 entries from the index");
        assertThat(index("--where", "kind=directory", "s").expect(0).err()).contains("3 entries");
        assertThat(sorted(query("--below", "s").out(), "\n")).contains("a", "c");
        assertThat(index("--where", "newer-than=s", "s").expect(2).err()).contains("newer-than=s");
    }

    @Test
    void theAnswerFeedsCp() throws Exception {
        index("s").expect(0);
        cli.sh("$T query --space space -0 --below s kind=regular 'name=*.h5' | $T cp -a -0 --files-from - s t")
                .expect(0);
        assertThat(cli.sh("cd t; find . -type f -print0 | sort -z").out())
                .isEqualTo(cli.sh("cd s; find . -type f -name '*.h5' -print0 | sort -z").out())
                .contains("\351,\n");
    }

    @Test
    void namesThatAreNoTextAreAskedForAndPrinted() throws Exception {
        index("s").expect(0);
        assertThat(query("-0", "name=caf\\xe9\\,\\n.h5").out()).isEqualTo(directory.path() + "/s/c/caf\351,\n.h5\0");
        assertThat(cli.warmly("$T query --space space -0 \"$(printf 'name=caf\\351*')\"").out())
                .endsWith("caf\351,\n.h5\0");
        assertThat(query("--json", "name=caf*").out()).contains("\"path_b64\":\"")
                .contains("\"kind\":\"regular\"", "\"size\":2", "\"generation\":1");
        assertThat(query("--json", "name=l").out()).contains("\"path\":\"" + directory.path() + "/s/a/l\"",
                "\"target\":\"f.h5\"", "\"mtime\":\"");
        assertThat(query("--json", "--group-by", "owner").out())
                .contains("\"type\":\"group\",\"field\":\"owner\",\"value\":\"", "\"name\":\"");
        assertThat(query("--json", "--count").out()).isEqualTo("{\"v\":1,\"type\":\"count\",\"count\":9}\n");
        cli.warmly("mkdir \"$(printf 'x\\377')\" && $T index --space other \"$(printf 'x\\377')\"").expect(0);
        assertThat(cli.warmly("$T query --space other").out()).isEqualTo(directory.path() + "/x\377\n");
    }

    @Test
    void aDirectoryOutsideTheIndexIsRefused() throws Exception {
        cli.warmly("$T index --space i s").expect(0);
        Run run = cli.runWarmly("query", "--space", "i", "--below", "nosuch").expect(2);
        assertThat(run.err()).contains("--below nosuch: not in this index, which contains " + directory.path() + "/s");
        cli.runWarmly("query", "--space", "i", "--below", "s/a", "--count").expect(0);
        cli.runWarmly("query", "--space", "i", "--below", "/", "--count").expect(0);
    }

    @Test
    void aDirectoryThatTheIndexDoesNotHaveIsReported() throws Exception {
        cli.warmly("$T index --space i s").expect(0);
        Run run = cli.runWarmly("query", "--space", "i", "--below", "s/aa").expect(0);
        assertThat(run.out()).isEmpty();
        assertThat(run.err()).contains("--below s/aa: the index has no such directory");
        assertThat(cli.runWarmly("query", "--space", "i", "--below", "s/a", "name=nosuch").expect(0).err()).isEmpty();
        assertThat(cli.runWarmly("query", "--space", "i", "--below", ".", "--count").expect(0).err()).isEmpty();
    }

    @Test
    void theRootOfTheFileSystemIsNotBelowItself() throws Exception {
        index("--exclude", "/*", "/").expect(0);
        assertThat(query().out()).isEqualTo("/\n");
        assertThat(query("--below", "/").expect(0).out()).isEmpty();
        assertThat(query("--below", "/", "--count").expect(0).out()).isEqualTo("0\n");
        assertThat(query("path^=/").expect(0).out()).isEqualTo("/\n");
    }

    @Test
    void aDirectoryThatDoesNotMeetTheConditionsOfTheIndexIsNotMissing() throws Exception {
        index("--where", "kind=regular", "s").expect(0);
        Run run = query("--below", "s/a").expect(0);
        assertThat(sorted(run.out(), "\n")).containsExactly("b/g", "f.h5");
        assertThat(run.err()).isEmpty();
    }

    @Test
    void theLargestTimesAreDates() throws Exception {
        cli.warmly("touch -d '2020-02-03 04:05:06' s/a/f.h5; $T index --space i s").expect(0);
        assertThat(cli.runWarmly("query", "--space", "i", "--top", "1", "--by", "mtime", "name=f.h5").expect(0).out())
                .isEqualTo("2020-02-03 04:05:06\t" + directory.path() + "/s/a/f.h5\n");
    }

    @Test
    void anIndexIsNotMadeAmongOtherFiles() throws Exception {
        Run run = cli.runWarmly("index", "--space", "s", "s/a").expect(2);
        assertThat(run.err()).contains("--space s: the directory contains other files and no index");
        cli.warmly(
                "! ls s/space.db s/index.lock 2> /dev/null && mkdir empty && $T index --space empty s && $T index --space empty")
                .expect(0);
    }

    @Test
    void filesThatAnotherIndexMakesAtItsBeginningAreNoOtherFiles() throws Exception {
        cli.sh("mkdir new; touch new/index.lock new/.probe-1-2 new/.probe-1-3.db-wal new/.load-1-4.db").expect(0);
        cli.warmly("$T index --space new s").expect(0);
    }

    @Test
    void aFirstRunThatWasKilledIsRepeated() throws Exception {
        cli.sh("mkdir -p new/index.listings; touch new/index.lock new/index.listings/listing-0 new/.making").expect(0);
        index("--space", "new", "s").expect(0);
        assertThat(directory.resolve("new/index.listings")).doesNotExist();
        assertThat(query("--space", "new", "--count").out()).isEqualTo("9\n");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {"query colour=red|unknown field 'colour'; fields: path directory name extension depth kind",
                    "query size|a shell interprets < and >", "query --sum name|--sum must be size, blocks or links",
                    "query --group-by path|group by directory or name", "query --by size|--by needs --top N",
                    "query --top 0|1 or more", "query --count --sum size|only one of",
                    "query --group-by kind --top 2 --by mtime|size, blocks or count",
                    "query -0 --count|-0 is for lists", "index --hash=md5 s|md5", "index|name the trees",
                    "index s s/a|s/a is inside", "index nothing|nothing: stat: No such file",
                    "watch kind=regular|there is no tuple space in /"})
    void mistakesAreReportedWithTheRemedy(String line, String expected) throws Exception {
        String[] words = line.split(" ");
        List<String> arguments = new ArrayList<>(List.of(words));
        arguments.addAll(1, List.of("--space", directory.resolve("nowhere").toString()));
        Run run = WarmProgram.run(directory.path(), arguments.toArray(String[]::new)).expect(2);
        assertThat(run.out()).isEmpty();
        assertThat(run.err()).startsWith("treehaul: " + words[0] + ": ").contains(expected).doesNotContain("Exception");
    }

    @Test
    void withoutASpaceOneIsAskedFor() throws Exception {
        assertThat(cli.runWarmly("query", "kind=regular").expect(2).err())
                .contains("use --space DIR or set TREEHAUL_SPACE");
        index("s").expect(0);
        assertThat(cli.warmly("TREEHAUL_SPACE=space $T query --count").expect(0).out()).isEqualTo("9\n");
        assertThat(cli.warmly("$T query --space sqlite:space --count").expect(0).out()).isEqualTo("9\n");
        assertThat(cli.warmly("$T query --space mem:space --count").expect(2).err())
                .contains("an index is in a directory: DIR or sqlite:DIR, not 'mem:space'");
        assertThat(cli.runWarmly("space", "check", "sqlite:space").expect(0).err()).contains("the space is intact");
        assertThat(cli.runWarmly("space", "check", "mem:space").expect(2).err()).contains("DIR or sqlite:DIR");
        assertThat(cli.runWarmly("index", "--space", "mysql://alice:swordfish@h/db", "s").expect(2).err())
                .contains("not 'mysql://alice:*@h/db'; a directory of that name is ./mysql://alice:*@h/db");
    }

    @Test
    void anOrdinaryUserKeepsTheKnownEntriesOfAnUnreadableDirectory() throws Exception {
        Privilege.requireRoot("it becomes another user");
        Path jar = Run.copyOfJar(directory.path());
        cli.sh("chmod 755 . && chown -R " + NOBODY + " s && mkdir own && chown " + NOBODY + " own").expect(0);
        List<String> user = List.of("setpriv", "--reuid", NOBODY, "--regid", NOBODY, "--clear-groups");
        Path space = directory.resolve("own/space");
        Run.of(Run.command(user, jar, "index", "--space", space, directory.resolve("s")).toArray()).expect(0);
        cli.sh("chown root s/a && chmod 700 s/a && rm s/a/f.h5 s/c/e.h5").expect(0);
        Run again = Run.of(Run.command(user, jar, "index", "--space", space).toArray()).expect(23);
        assertThat(again.err()).contains("s/a: open: Permission denied");
        Run kept = Run.of(Run.command(user, jar, "query", "--space", space, "name=*.h5", "name!=caf*").toArray())
                .expect(0);
        assertThat(kept.out()).isEqualTo(directory.path() + "/s/a/f.h5\n");
        assertThat(Run.of(Run.command(user, jar, "query", "--space", space, "unread=yes").toArray()).out())
                .isEqualTo(directory.path() + "/s/a\n");
        // An index of another user is not shown.
        index("s").expect(0);
        Run denied = Run.of(Run.command(user, jar, "query", "--space", directory.resolve("space")).toArray()).expect(2);
        assertThat(denied.out()).isEmpty();
        assertThat(denied.err()).startsWith("treehaul: query: no permission to read ").doesNotContain("Exception");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {"chmod 777 space|is open to others (mode 777)|chmod go-w",
                    "chmod g+w space/space.db|space.db is writable by others (mode 620)|chmod go-w",
                    "chown 65534 space|belongs to user 65534|use another space",
                    "chown 65534 space/space.db|space.db belongs to user 65534 (mode 600), not to user 0|work as its owner"})
    void aSpaceThatOthersCouldHavePreparedIsReadButNotWritten(String opens, String problem, String remedy)
            throws Exception {
        Privilege.requireRoot("to give files away");
        index("s").expect(0);
        cli.sh(opens + "; rm -f space/index.lock; printf 7 > s/new").expect(0);
        Run refused = index().expect(2);
        assertThat(refused.err()).startsWith("treehaul: index: ").contains(problem, remedy).doesNotContain("Exception");
        assertThat(query("--count").expect(0).out()).isEqualTo("9\n");
        Run watch = cli.runWarmly("watch", "--space", "space").expect(2);
        assertThat(watch.err()).startsWith("treehaul: watch: ").contains("not opened for writing");
    }

    @Test
    void aNewSpaceIsNotMadeInADirectoryOfAnotherUser() throws Exception {
        Privilege.requireRoot("to give files away");
        cli.sh("mkdir -m 777 space; chown 65534 space").expect(0);
        assertThat(index("s").expect(2).err()).contains("/space belongs to user 65534");
        assertThat(directory.resolve("space")).isEmptyDirectory();
    }

    @Test
    void aSecondRunAtTheSameTimeIsRefused() throws Exception {
        index("s").expect(0);
        try (FileChannel lock = FileChannel.open(directory.resolve("space/index.lock"), StandardOpenOption.WRITE);
                FileLock held = lock.lock()) {
            lock.truncate(0);
            lock.write(ByteBuffer.wrap("process 123 on node7".getBytes(StandardCharsets.US_ASCII)));
            assertThat(held.isValid()).isTrue();
            assertThat(index("s").expect(2).err()).isEqualTo("treehaul: index: the space " + space()
                    + " is being indexed by process 123 on node7; wait until that has ended, "
                    + "or use another space\n");
            query("--count").expect(0);
        }
        index("s").expect(0);
    }

    @Test
    void aRunThatIsKilledLeavesTheIndexAsItWas() throws Exception {
        RandomTree.make(Linux.calls(), Files.createDirectory(directory.resolve("s/many")), 5, 1500);
        index("s").expect(0);
        String before = query("--json").expect(0).out().lines().sorted().toList().toString();
        cli.sh("for i in $(seq 300); do : > s/new$i; done; rm -rf s/a").expect(0);
        Random random = new Random(17);
        String after = before;
        for (int round = 0; round < 4 && after.equals(before); round++) {
            Process process = cli.start("index", "--space", "space");
            Thread.sleep(300 + random.nextInt(700));
            process.destroyForcibly().waitFor();
            after = query("--json").expect(0).out().lines().sorted().toList().toString();
        }
        // The index contains the changes of the killed run completely or not at all.
        assertThat(after).matches(text -> text.equals(before) || text.contains("/s/new1\"") && !text.contains("/s/a/"));
        index().expect(0);
        assertThat(query("--count").out()).isEqualTo(cli.sh("find s -printf x | wc -c").out().strip() + "\n");
    }

    @Test
    void anInterruptedRunLeavesTheIndexAsItWas() throws Exception {
        index("s").expect(0);
        String before = query("--json").out();
        cli.sh("for i in $(seq 20000); do echo s/c/$i; done | xargs touch").expect(0);
        Process process = cli.start("index", "--threads", "1", "--space", "space", "--hash");
        Cli.awaitSignalHandlers(process);
        Cli.signal(process, "INT");
        String err = new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
        if (process.waitFor() == 20) {
            assertThat(err).contains("stopping");
            assertThat(query("--json").out()).isEqualTo(before);
        } else {
            // The run ended before the signal came.
            assertThat(process.exitValue()).as(err).isZero();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 5000})
    void aDamagedSpaceIsReportedAndLeftUnchanged(int offset) throws Exception {
        index("s").expect(0);
        // The first process that opens the space for writing chooses its journal mode, which its first page records.
        index("s").expect(0);
        query("--count").expect(0);
        Path file = directory.resolve("space/space.db");
        byte[] noise = new byte[4000];
        new Random(offset).nextBytes(noise);
        try (RandomAccessFile open = new RandomAccessFile(file.toFile(), "rw")) {
            open.seek(offset);
            open.write(noise);
        }
        byte[] damaged = Files.readAllBytes(file);
        for (Run run : List.of(query("--json"), index("s"))) {
            assertThat(run.expect(2).err()).contains("treehaul: ", "remove " + space() + " and index again")
                    .doesNotContain("Exception");
        }
        assertThat(Files.readAllBytes(file)).isEqualTo(damaged);
    }

    @Test
    void aSpaceOfAnotherVersionIsReportedAndLeftUnchanged() throws Exception {
        index("s").expect(0);
        Path file = directory.resolve("space/space.db");
        try (RandomAccessFile open = new RandomAccessFile(file.toFile(), "rw")) {
            // The offset at which SQLite stores a program's version number for its file.
            open.seek(60);
            open.writeInt(99);
        }
        byte[] before = Files.readAllBytes(file);
        for (Run run : List.of(query("--count"), index("s"))) {
            assertThat(run.expect(2).err()).contains("treehaul: ", "is a tuple space of version 99; this is version ")
                    .doesNotContain("Exception");
        }
        assertThat(Files.readAllBytes(file)).isEqualTo(before);
    }

    @Test
    void oneOfTwoRunsAtTheSameTimeIndexesAndTheOtherIsRefusedOrFollows() throws Exception {
        RandomTree.make(Linux.calls(), Files.createDirectory(directory.resolve("s/many")), 5, 1500);
        List<Process> runs = List.of(cli.start("index", "--space", "space", "s"),
                cli.start("index", "--space", "space", "s"));
        List<Integer> codes = new ArrayList<>();
        for (Process run : runs) {
            String err = new String(run.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
            codes.add(run.waitFor());
            assertThat(err).containsAnyOf(" entries of ", "is being indexed by process ").doesNotContain("Exception");
        }
        assertThat(codes).contains(0).isSubsetOf(0, 2);
        assertThat(query("--count").out()).isEqualTo(cli.sh("find s -printf x | wc -c").out().strip() + "\n");
    }

    @Test
    void watchReportsChangesUntilTheInterrupt() throws Exception {
        index("s").expect(0);
        Process watch = cli.start("watch", "--space", "space", "name=*.h5");
        try (BufferedReader out = watch.inputReader(StandardCharsets.ISO_8859_1)) {
            Cli.awaitSignalHandlers(watch);
            Cli.awaitSaid(watch, "watching");
            cli.sh("rm s/a/f.h5; printf 1 > s/c/e.h5; : > s/other; : > s/new.h5").expect(0);
            index().expect(0);
            List<String> told = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                told.add(out.readLine());
            }
            assertThat(told).containsExactlyInAnyOrder("gone " + directory.path() + "/s/a/f.h5",
                    "gone " + directory.path() + "/s/c/e.h5", "new  " + directory.path() + "/s/c/e.h5",
                    "new  " + directory.path() + "/s/new.h5");
            Cli.signal(watch, "INT");
            assertThat(watch.waitFor()).isEqualTo(20);
            assertThat(new String(watch.getErrorStream().readAllBytes(), StandardCharsets.UTF_8))
                    .doesNotContain("entries in progress");
        } finally {
            watch.destroyForcibly();
        }
    }

    @Test
    void aKilledProcessLeavesNoLibraryInTheTemporaryDirectory() throws Exception {
        cli.warmly("mkdir tmp && $T index --space space s").expect(0);
        String left = cli.sh("JDK_JAVA_OPTIONS=-Djava.io.tmpdir=$PWD/tmp $T watch --space space 2> said & pid=$!\n"
                + "until grep -q watching said; do sleep 0.05; done; kill -9 $pid; ls -A tmp").out();
        assertThat(left).isEmpty();
    }

    @Test
    void watchReportsThatAnotherProgramWritesAndCanBeInterrupted() throws Exception {
        index("s").expect(0);
        List<Process> watches = new ArrayList<>();
        try (Connection writing = DriverManager.getConnection("jdbc:sqlite:" + directory.resolve("space/space.db"));
                Statement statement = writing.createStatement()) {
            statement.execute("BEGIN IMMEDIATE");
            for (int i = 0; i < 2; i++) {
                watches.add(cli.start("watch", "--space", "space", "name=*.h5"));
                Cli.awaitSaid(watches.get(i), "another process is writing to the index");
            }
            Cli.signal(watches.getFirst(), "INT");
            // The watch ends before the other program does.
            assertThat(watches.getFirst().waitFor()).isEqualTo(20);
            statement.execute("COMMIT");
            Cli.awaitSaid(watches.getLast(), "watching; press ^C to end");
            Cli.signal(watches.getLast(), "INT");
            assertThat(watches.getLast().waitFor()).isEqualTo(20);
        } finally {
            watches.forEach(Process::destroyForcibly);
        }
    }

    @Test
    void jsonDescribesARun() throws Exception {
        cli.sh("chmod 0 s/c").expect(0);
        assertThat(index("--json", "s").out()).contains("\"type\":\"summary\",\"generation\":1,\"entries\":",
                "\"complete\":true}");
    }

    @Test
    void filesThatAreTheSameShowInTheirHashes() throws Exception {
        cli.sh("cp s/a/f.h5 s/copy").expect(0);
        index("--hash", "s").expect(0);
        String group = query("--json", "--group-by", "hash", "kind=regular").expect(0)
                .out()
                .lines()
                .findFirst()
                .orElseThrow();
        assertThat(group).contains("\"count\":2,\"size\":10");
        String hash = group.replaceAll(".*\"value\":\"([0-9a-f]*)\".*", "$1");
        assertThat(sorted(query("--below", "s", "hash=" + hash).out(), "\n")).containsExactly("a/f.h5", "copy");
    }

    @Test
    void aTreeThatVanishedIsForgotten() throws Exception {
        Run unknown = index("nosuch").expect(2);
        assertThat(unknown.err()).contains("/nosuch: stat: ").doesNotContain("--forget", "no tuple space");
        index("s/a").expect(0);
        index("s/c").expect(0);
        cli.sh("rm -r s/c").expect(0);
        String gone = directory.path() + "/s/c";
        assertThat(index().expect(23).err())
                .contains("'treehaul index --space " + space() + " --forget " + gone + "' removes them");
        assertThat(index("--info").expect(0).out()).contains(gone + ": 3 entries, ", "\n" + space() + ": 2 trees, ");
        assertThat(index("--forget", "s/c").expect(0).err()).contains("removed " + gone + " with 3 entries");
        assertThat(index("--forget", "s/c").expect(2).err())
                .contains("s/c is not an indexed tree; those of this index are " + directory.path() + "/s/a");
        assertThat(query("--count").expect(0).out()).isEqualTo("5\n");
        assertThat(query("--group-by", "hash", "--top", "1").expect(0).out()).endsWith("(no hash)\n");
        assertThat(query("-v", "--count").expect(0).err()).contains(directory.path() + "/s/a was read ");
        assertThat(query("--count").expect(0).err()).isEmpty();
    }

    @Test
    void anEmptyPathIsNotTheWorkingDirectory() throws Exception {
        cli.runWarmly("index", "--space", "space", ".").expect(0);
        assertThat(query("--below", "").expect(2).err()).contains("--below : stat: No such file or directory");
        Run du = cli.runWarmly("du", "--index", "space", "").expect(2);
        assertThat(du.out()).isEmpty();
        assertThat(du.err()).contains("stat: No such file or directory");
    }

    @Test
    void aSpaceWithoutTreesIsReported() throws Exception {
        index("s/a").expect(0);
        index("--forget", "s/a").expect(0);
        assertThat(index().expect(2).err())
                .isEqualTo("treehaul: index: there is no index in " + space() + " yet, so name the trees to read\n");
        assertThat(cli.runWarmly("du", "--index", "space").expect(0).err())
                .contains("the space has no index of files, so there is nothing to find");
    }
}
