// SPDX-License-Identifier: Apache-2.0
package org.treehaul.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.packaged.Run;

/**
 * A copy with more failures than are printed, its log, its list of failures, and a copy of the failed entries only.
 */
class EventFilesTest {

    private static final int FAILURES = 34;

    private final TestDirectory directory = TestDirectory.make();
    private final Cli cli = Cli.withJobs(directory.path()).withHome();

    @BeforeEach
    void make() throws Exception {
        // A directory is in the way of each of these files; one name is not text, and one has two lines.
        cli.sh("""
                mkdir -p S/d S/e T/d
                i=0; while [ $i -lt 32 ]; do echo $i > S/d/f$i; mkdir -p T/d/f$i; i=$((i + 1)); done
                n=$(printf 'S/d/\\377'); echo x > "$n"; mkdir -p "T${n#S}"; n='S/d/two
                lines'; echo x > "$n"; mkdir -p "T${n#S}"; echo y > S/e/right; echo z > S/d/too
                """).expect(0);
    }

    @AfterEach
    void delete() {
        directory.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "--ranks 2"})
    void failedEntriesAreListedAndCopiedAlone(String how) throws Exception {
        Run run = cli.warmly("umask 027; $T cp -aT " + how + " --errors ERR --log-file LOG S T").expect(23);
        assertThat(run.out()).isEmpty();
        assertThat(run.err()).contains("34 entries, 14 of them not shown");
        assertThat(cli.sh("tr -dc '\\000' < ERR | wc -c").expect(0).out().strip()).isEqualTo("" + FAILURES);
        assertThat(cli.sh("stat -c %a ERR LOG").expect(0).out()).isEqualTo("640\n640\n");

        cli.sh("find T -type d -empty -delete").expect(0);
        Run again = cli.warmly("$T cp -avT -0 --files-from ERR --errors ERR --log-file LOG S T").expect(0);
        assertThat(again.out().lines().filter(line -> line.startsWith("copy "))).hasSize(FAILURES);
        assertThat(directory.resolve("ERR")).isEmptyFile();
        cli.warmly("$T cmp --ignore mtime S T").expect(0);

        String time = "[0-9T:.-]+Z ";
        String log = Files.readString(directory.resolve("LOG"), StandardCharsets.ISO_8859_1);
        assertThat(log.lines()).allMatch(line -> line.matches(time + ".*"));
        assertThat(log.lines().filter(line -> line.matches(time + "failed T/d/.*"))).hasSize(FAILURES);
        assertThat(log.lines().filter(line -> line.matches(time + "copy S/.*"))).hasSize(FAILURES + 2);
        assertThat(log.lines().filter(line -> line.matches(time + "begin .*"))).hasSize(2);
        assertThat(log).contains(" end exit code 23, ", " end exit code 0, ", "failed T/d/two\\nlines: ");
    }

    @Test
    void aListThatIsAlsoThatOfFailuresStaysUntilItIsCopied() throws Exception {
        cli.sh("printf 'd/f1\\0d/too\\0' > ERR").expect(0);
        String copy = "$T cp -aT -0 --files-from ERR --errors ERR ";
        cli.warmly(copy + "S none/T").expect(2);
        assertThat(directory.resolve("ERR")).hasContent("d/f1\0d/too\0");
        cli.warmly(copy + "--dry-run S N").expect(0);
        assertThat(directory.resolve("ERR")).hasContent("d/f1\0d/too\0");
        cli.warmly(copy + "S T").expect(23);
        assertThat(directory.resolve("ERR")).hasContent("d/f1\0");
        // Nothing is added to a list that stays.
        cli.sh("printf 'd/f1\\0d/too' > ERR").expect(0);
        cli.warmly(copy + "missing T").expect(2);
        assertThat(directory.resolve("ERR")).hasContent("d/f1\0d/too");
        cli.warmly("rmdir T/d/f1; " + copy + "S T").expect(0);
        assertThat(directory.resolve("ERR")).isEmptyFile();
        assertThat(directory.resolve("ERR.new")).doesNotExist();
    }

    @Test
    void aListThatIsAlsoThatOfFailuresIsReadBySyncAndRun() throws Exception {
        cli.sh("printf 'd/f1\\0' > ERR").expect(0);
        cli.warmly("$T sync -0 --files-from ERR --errors ERR S/ N").expect(0);
        assertThat(directory.resolve("N/d/f1")).exists();
        assertThat(directory.resolve("ERR")).isEmptyFile();
        cli.sh("printf 'S/d/f1\\0' > ERR").expect(0);
        cli.warmly("$T run -0 --files-from ERR --errors ERR -- false {}").expect(2);
        assertThat(directory.resolve("ERR")).content().contains("S/d/f1");
        cli.warmly("$T run -0 --files-from ERR --errors ERR -- touch {}.ran").expect(0);
        assertThat(directory.resolve("S/d/f1.ran")).exists();
        assertThat(directory.resolve("ERR")).isEmptyFile();
    }

    // A directory is in the way of each file, which is a failure at the destination.
    @Test
    void failedPathsOfASyncAreRelativeToItsSource() throws Exception {
        cli.warmly("touch T/d/f1/x T/d/too; rm S/d/f[023]*; $T sync --errors ERR S/ T").expect(23);
        assertThat(directory.resolve("ERR")).hasContent("d/f1\0");
        cli.warmly("$T sync --force -0 --files-from ERR --errors ERR S T && cmp S/d/f1 T/d/f1").expect(0);
        assertThat(directory.resolve("ERR")).isEmptyFile();
        cli.warmly("mkdir -p D/S/d/f1/x; $T sync --errors ERR S D").expect(23);
        assertThat(directory.resolve("ERR")).hasContent("d/f1\0");
    }

    @Test
    void withACauseTheyAreObjects() throws Exception {
        cli.warmly("$T cp -aT --errors e.ndjson S T").expect(23);
        assertThat(Files.readAllLines(directory.resolve("e.ndjson"))).hasSize(FAILURES)
                .allMatch(line -> line.startsWith("{\"v\":1,\"type\":\"failure\",\"kind\":\"error\",\"source"))
                .anyMatch(line -> line.contains("\"source\":\"d/f31\",\"path\":\"T/d/f31\""));
    }

    @Test
    void pathsOfSeveralSourcesBeginWithTheSource() throws Exception {
        cli.warmly("mkdir -p in D/S/d/f1; mv S T in; cd in; $T cp -a --errors ../ERR S T ../D").expect(23);
        assertThat(cli.sh("tr '\\000' '\\n' < ERR").expect(0).out()).isEqualTo("S/d/f1\n");
        cli.warmly("rmdir D/S/d/f1; cd in; $T cp -a -0 --files-from ../ERR . ../D && cmp S/d/f1 ../D/S/d/f1").expect(0);
    }

    @Test
    void pathsBeginWithTheSourceEvenIfTheOthersAreMissing() throws Exception {
        cli.warmly("mkdir -p in D/S/d/f1; mv S T in; cd in; $T cp -a --errors ../ERR S gone ../D").expect(23);
        assertThat(cli.sh("tr '\\000' '\n' < ERR | sort").expect(0).out()).isEqualTo("S/d/f1\ngone\n");
    }

    @Test
    void theLogBeginsWithTheCommandAsAShellReadsIt() throws Exception {
        // The script is written byte by byte.
        String name = new String("ä".getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
        cli.sh("mkdir " + name + " 'x y'").expect(0);
        cli.warmly("$T cp -a --on-complete '-c true' --log-file LOG " + name + " 'x y' T").expect(0);
        assertThat(Files.readString(directory.resolve("LOG")))
                .contains(" begin treehaul cp -a '--on-complete=-c true' --log-file LOG 'ä' 'x y' T\n");
    }

    @Test
    void aFileThatCannotBeMadeIsRefusedBeforeAnythingIsCopied() throws Exception {
        assertThat(cli.warmly("$T cp -a --errors no/ERR S/e T").expect(2).err()).contains("--errors no/ERR: open");
        assertThat(cli.warmly("$T cp -a --log-file no/LOG S/e T").expect(2).err()).contains("--log-file no/LOG: open");
        assertThat(directory.resolve("T/e")).doesNotExist();
        assertThat(cli.sh("$T cp -a --errors /dev/full S/. T").expect(2).err())
                .contains("cannot write to /dev/full: No space left on device");
    }

    @Test
    void jobsListThemByErrorsRelative() throws Exception {
        String state = " --state-dir state";
        cli.warmly("$T cp -aT S T --scheduler local --jobs 2 --wait" + state).expect(23);
        cli.warmly("$T errors --relative -0 last" + state + " > ERR").expect(1);
        cli.warmly("find T -type d -empty -delete; $T cp -aT -0 --files-from ERR S T && $T cmp --ignore mtime S T")
                .expect(0);
        assertThat(cli.warmly("$T cp -a --errors E S T --scheduler local" + state).expect(2).err())
                .contains("treehaul errors --relative -0 ID");
    }
}
