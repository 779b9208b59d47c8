// SPDX-License-Identifier: Apache-2.0
package org.treehaul.batch;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.treehaul.core.copy.batch.TransferFinisher;
import org.treehaul.core.state.StateFile;
import org.treehaul.core.testing.Privilege;
import org.treehaul.packaged.Run;

/** Reports errors in plain words and changes nothing after one. */
class BadTransferTest {
    private TransferCli cli;
    private Path source;
    private Path copy;

    @BeforeEach
    void makeRig() throws Exception {
        cli = TransferCli.make();
        source = cli.tree("source", 12, 10);
        copy = cli.resolve("copy");
    }

    @AfterEach
    void removeRig() throws Exception {
        cli.close();
    }

    private void refused(String message, Object... options) throws Exception {
        Object[] command = new Object[options.length + 4];
        command[0] = "cp";
        command[1] = "-a";
        System.arraycopy(options, 0, command, 2, options.length);
        command[options.length + 2] = source;
        command[options.length + 3] = copy;
        Run run = cli.run(command).expect(2);
        assertThat(run.out()).isEmpty();
        assertThat(run.err()).contains(message);
        assertThat(copy).doesNotExist();
    }

    @Test
    void optionsThatMakeNoSense() throws Exception {
        refused("--walltime must be minutes, H:MM, H:MM:SS or D-HH:MM, not '1:99'", "--scheduler=local", "--walltime",
                "1:99");
        refused("--walltime must be at least a minute", "--scheduler=local", "--walltime", "0:00:30");
        refused("--wait needs --scheduler or --jobs", "--wait");
        refused("--batches needs --scheduler or --jobs", "--batches", 3);
        refused("--dry-run cannot be combined with jobs", "--scheduler=local", "--dry-run");
        refused("--scheduler must be one of auto, local, slurm, pbs, openpbs, torque, pool, not 'lsf'",
                "--scheduler=lsf");
        refused("--jobs must be 1 or more, not 0", "--jobs", 0);
        assertThat(cli.state()).doesNotExist();
    }

    @Test
    void withoutASchedulerThePlanIsKeptForAResumeWithAnother() throws Exception {
        String path = System.getenv().getOrDefault("PATH", "/usr/bin:/bin");
        cli.with("PATH", "/nowhere");
        refused("found no scheduler for batch jobs. slurm: sbatch is not on the PATH. pbs: qsub is not on the PATH."
                + " Use --scheduler local to run the jobs on this machine", "--jobs", 2);
        Run run = cli.run("cp", "-a", "--scheduler", "slurm", source, copy).expect(2);
        assertThat(run.err()).contains("the plan is kept; 'treehaul resume ", "is not on the PATH");
        cli.with("PATH", path).run("resume", "--scheduler", "local", "--jobs", 2, "--wait", "last").expect(0);
        cli.expectCopy(source, copy);
    }

    // Makes a transfer that is planned, with no work done yet.
    private String planned() throws Exception {
        String path = System.getenv().getOrDefault("PATH", "/usr/bin:/bin");
        Run refused = cli.with("PATH", "/nowhere")
                .run("cp", "-a", "--scheduler", "slurm", "--batches", 2, source, copy)
                .expect(2);
        cli.with("PATH", path);
        Matcher id = Pattern.compile("treehaul resume ([-0-9a-z]{20})").matcher(refused.err());
        assertThat(id.find()).as(refused.err()).isTrue();
        return id.group(1);
    }

    @Test
    void aTransferOfAnotherVersionIsNotCalledDamaged() throws Exception {
        String id = planned();
        Path file = cli.of(id, "transfer");
        StateFile known = StateFile.read(file);
        for (StateFile other : List.of(known.with("kind", "shred"), known.with("operation-version", 2),
                known.with("version", 9))) {
            other.replace(file, false);
            isUnsupported(id, "use the program that ");
            assertThat(cli.run("forget", "--force", id).expect(2).err()).contains("use the program that ");
        }
        known.replace(file, false);
        Path header = cli.of(id, "plan/header");
        String text = Files.readString(header);
        Files.writeString(header, text.replaceFirst("^(treehaul-[a-z]+)\t[0-9]+", "$1\t9"));
        isUnsupported(id, "or use the TreeHaul that wrote it");
    }

    private void isUnsupported(String id, String remedy) throws Exception {
        assertThat(cli.run("status").expect(0).out()).startsWith(id + "  unsupported: ")
                .contains(remedy)
                .doesNotContain("damaged", "--force");
        assertThat(cli.run("status", "--json").expect(0).out()).contains("\"state\":\"unsupported\"");
        assertThat(cli.run("status", id).expect(2).err()).contains(remedy);
    }

    @Test
    void aPlanOfAnotherVersionAndOneThatIsDamaged() throws Exception {
        String id = planned();
        Path header = cli.of(id, "plan/header");
        String text = Files.readString(header);
        Files.writeString(header, text.replaceFirst("(?m)^(version\t|treehaul-plan\t)?2$", "$19"));
        Run other = cli.run("resume", "--scheduler", "local", id).expect(2);
        assertThat(other.err()).contains("header").doesNotContain("unexpected");
        Files.writeString(header, text.replace(source.toString(), source.toString().replace('s', 't')));
        assertThat(cli.run("resume", "--scheduler", "local", id).expect(2).err()).contains("header", "damaged")
                .doesNotContain("unexpected");
        Files.writeString(header, text);
        Path manifest = cli.of(id, "plan/manifest/1");
        byte[] good = Files.readAllBytes(manifest);
        byte[] bad = good.clone();
        bad[bad.length / 2] ^= 4;
        Files.write(manifest, bad);
        Run damaged = cli.run("resume", "--scheduler", "local", "--wait", id).expect(23);
        assertThat(damaged.err()).contains("not complete: 1 of 2 batches");
        assertThat(TransferCli.files(cli.of(id, "log"), path -> path.toString().contains("worker")))
                .anySatisfy(log -> assertThat(log).content().contains("manifest/1", "damaged"));
        Files.write(manifest, good);
        cli.run("resume", "--wait", id).expect(0);
        cli.expectCopy(source, copy);
    }

    @Test
    void aDamagedPlanHidesNoOtherTransferAndCanBeForgotten() throws Exception {
        String bad = planned();
        String good = planned();
        Path header = cli.of(bad, "plan/header");
        Files.writeString(header, Files.readString(header).replace("source", "sauce"));
        Run all = cli.run("status").expect(0);
        assertThat(all.out()).contains(bad + "  damaged: ", good + "  waiting");
        assertThat(cli.run("status", "--json").expect(0).out()).contains("\"state\":\"damaged\"");
        for (String command : List.of("status", "errors", "resume", "forget")) {
            assertThat(cli.run(command, bad).expect(2).err()).as(command)
                    .contains("header is damaged")
                    .doesNotContain("unexpected");
        }
        Run forgotten = cli.run("forget", "all").expect(2);
        assertThat(forgotten.err()).contains("forget --force " + bad, good + " is waiting and is kept");
        cli.run("forget", "--force", bad).expect(0);
        assertThat(cli.run("status").expect(0).out()).startsWith(good).doesNotContain(bad);
    }

    @Test
    void aTransferWhoseOwnFileIsDamagedIsForgottenByForceWithItsRemains() throws Exception {
        damageAndForget("flipped");
    }

    @ParameterizedTest
    @Tag("rig")
    @ValueSource(strings = {"empty", "torn"})
    void aTransferWhoseOwnFileIsCutOffIsForgottenByForceWithItsRemains(String how) throws Exception {
        damageAndForget(how);
    }

    private void damageAndForget(String how) throws Exception {
        String bad = cli.submit("cp", "-aT", "--scheduler", "local", "--batches", 2, "--pre", "false", source, copy);
        cli.awaitEnd(bad);
        // A killed worker leaves such files behind.
        Files.createDirectories(copy);
        Path temporary = Files.createFile(copy.resolve(TransferFinisher.temporaryPrefix(bad) + "00000000-1"));
        Files.createFile(cli.of(bad, "attempts/0.1.journal"));
        Path other = Files
                .createFile(copy.resolve(TransferFinisher.temporaryPrefix("20200101-000000-aaaa") + "00000000-1"));
        Path file = cli.of(bad, "transfer");
        byte[] content = Files.readAllBytes(file);
        int length = how.equals("empty") ? 0 : how.equals("torn") ? content.length / 2 : content.length;
        byte[] damaged = Arrays.copyOf(content, length);
        if (how.equals("flipped")) {
            damaged[content.length / 2] ^= 1;
        }
        Files.write(file, damaged);
        for (String command : List.of("status", "errors", "resume", "cancel", "forget", "verify")) {
            assertThat(cli.run(command, bad).expect(2).err()).as(command)
                    .contains(file + " is damaged: 'treehaul forget --force " + bad + "' removes the transfer");
        }
        assertThat(cli.run("status").expect(0).out()).contains(bad + "  damaged: ", "forget --force " + bad);
        assertThat(cli.run("forget", "all").expect(2).err()).contains("forget --force " + bad);
        assertThat(cli.run("forget", "--force", bad).expect(0).err()).contains("forgot " + bad);
        assertThat(cli.of(bad, "")).doesNotExist();
        assertThat(temporary).doesNotExist();
        assertThat(cli.path().resolve(".treehaul-" + bad)).doesNotExist();
        assertThat(other).exists();
    }

    @Test
    @Tag("rig")
    void forgettingADamagedTransferNamesTheFilesThatMayRemain() throws Exception {
        String bad = cli.submit("cp", "-aT", "--scheduler", "local", "--batches", 2, "--pre", "false", source, copy);
        cli.awaitEnd(bad);
        Files.createFile(cli.of(bad, "attempts/0.1.journal"));
        Files.write(cli.of(bad, "transfer"), new byte[]{0});
        Path header = cli.of(bad, "plan/header");
        Files.writeString(header, Files.readString(header).replace("source", "sauce"));
        assertThat(cli.run("forget", "--force", "all").expect(0).err()).contains("forgot " + bad,
                "files " + TransferFinisher.temporaryPrefix(bad) + "* of killed workers, and .treehaul-" + bad
                        + ", may be left in the destination: ");
        assertThat(cli.of(bad, "")).doesNotExist();
    }

    @Test
    void commandsThatOnlyReadMakeNoStateDirectory() throws Exception {
        assertThat(cli.run("status").expect(0).err()).contains("there are no transfers in " + cli.state());
        assertThat(cli.run("status", "--state-dir", cli.state() + "x").expect(2).err())
                .contains("--state-dir " + cli.state() + "x does not exist");
        assertThat(cli.run("errors", "last").expect(2).err()).contains("there is no transfer 'last' in " + cli.state());
        assertThat(cli.state()).doesNotExist();
    }

    @Test
    void aMissingDestinationIsReportedAsAWrongMount() throws Exception {
        Path ready = cli.resolve("ready");
        Path there = Files.createDirectory(cli.resolve("there"));
        String id = cli.submit("cp", "-aT", "--scheduler", "local", "--batches", 2, "--pre", "[ -e " + ready + " ]",
                source, there.resolve("copy"));
        cli.awaitEnd(id);
        Files.delete(there.resolve(".treehaul-" + id));
        Files.delete(there);
        Files.createFile(ready);
        Run resumed = cli.run("resume", "--wait", id).expect(23);
        assertThat(resumed.err()).contains("resumed " + id + " with 1 job of local", "not complete: 2 of 2 batches",
                "; wrong mount: " + there);
        assertThat(cli.run("status", id).expect(0).out()).contains("; wrong mount: " + there);
        assertThat(there).doesNotExist();
    }

    @Test
    @Tag("rig")
    void truncatedRecordsOfJobsLockNoTransfer() throws Exception {
        for (boolean isResumed : List.of(true, false)) {
            String id = cli.submit("cp", "-aT", "--scheduler", "local", "--batches", 2, source, copy);
            cli.awaitEnd(id);
            cli.awaitNoProcess(id);
            // As if the finishing job had died before it recorded the result.
            Files.delete(cli.of(id, "generations/1.end"));
            Path record = cli.of(id, "jobs/1-worker-1");
            Files.write(record, new byte[0]);
            assertThat(cli.run("status", id).expect(0).out()).contains("jobs/1-worker-1 is damaged");
            assertThat(cli.run("resume", id).expect(2).err()).contains("jobs/1-worker-1 is damaged", "--force");
            if (isResumed) {
                assertThat(cli.run("resume", "--force", "--wait", id).expect(0).err())
                        .contains("is damaged and ignored", "complete: ");
                cli.expectCopy(source, copy);
                cli.run("status", id).expect(0);
            }
            cli.run("forget", "--force", id).expect(0);
            assertThat(cli.of(id, "")).doesNotExist();
        }
    }

    @Test
    void aJournalThatIsDamagedCountsUpToThere() throws Exception {
        String id = cli.submit("cp", "-a", "--scheduler", "local", "--batches", 2, source, copy);
        cli.awaitEnd(id);
        cli.awaitNoProcess(id);
        // For three heartbeats a journal without a header counts as one that is just being created.
        cli.timing(id, 500, 5_000);
        // As if the finishing job had died before it recorded the result.
        Files.delete(cli.of(id, "generations/1.end"));
        Path journal = cli.of(id, "attempts/0.1.journal");
        byte[] content = Files.readAllBytes(journal);
        content[content.length / 2] ^= 1;
        Files.write(journal, content);
        Files.delete(copy.resolve("d0/f0"));
        Files.delete(copy.resolve("hardlink"));
        cli.run("resume", "--wait", id).expect(0);
        assertThat(cli.of(id, "attempts/0.2.journal")).exists();
        assertThat(cli.of(id, "attempts/1.2.journal")).doesNotExist();
    }

    @Test
    void aStateDirectoryThatCannotBeTrustedOrWritten() throws Exception {
        Path state = cli.path().resolve("state");
        Files.createDirectory(state);
        Files.setPosixFilePermissions(state, PosixFilePermissions.fromString("rwxrwxr-x"));
        refused(state + " is open to others (mode 775): nothing in it is trusted; check its contents, then chmod go-w "
                + state + " if all of it is yours", "--scheduler", "local");
        Path file = Files.createFile(cli.resolve("file"));
        refused("the state directory " + file + " is not a directory", "--scheduler", "local", "--state-dir", file);
        Privilege.requireRoot("to make a directory of another user");
        Files.setPosixFilePermissions(state, PosixFilePermissions.fromString("rwx------"));
        Files.setAttribute(state, "unix:uid", TransferRig.USER);
        refused(state + " belongs to user " + TransferRig.USER + ", not to 0: nothing in it is trusted", "--scheduler",
                "local");
        assertThat(cli.run("status").expect(2).err()).contains("nothing in it is trusted");
        assertThat(cli.run("resume", "last").expect(2).err()).contains("nothing in it is trusted");
    }

    @Test
    void aStateDirectoryThatIsNotWritable() throws Exception {
        cli.close();
        cli = TransferCli.ofOrdinaryUser();
        source = cli.tree("source", 2, 10);
        copy = cli.resolve("copy");
        Path above = Files.createDirectory(cli.path().resolve("above"));
        refused("the state directory " + above + "/state cannot be created or read", "--scheduler", "local",
                "--state-dir", above.resolve("state"));
    }

    @Test
    @Tag("rig")
    void aStateDirectoryThatIsFullWhenTheJobsBegin() throws Exception {
        Privilege.requireRoot("to mount a file system");
        Path state = Files.createDirectory(cli.path().resolve("state"));
        Path go = cli.resolve("go");
        Run.of("mount", "-t", "tmpfs", "-o", "size=64m,mode=700", "none", state).expect(0);
        try {
            String id = cli.submit("cp", "-a", "--scheduler", "local", "--jobs", 2, "--pre",
                    "until [ -e " + go + " ]; do sleep 0.1; done", source, copy);
            cli.timing(id, 200, 2_000);
            Run.of("sh", "-c", "cat /dev/zero > \"$0\"", state.resolve("filler"));
            Files.createFile(go);
            cli.awaitEnd(id);
            assertThat(copy).doesNotExist();
            Files.delete(state.resolve("filler"));
            cli.run("resume", "--wait", id).expect(0);
            cli.expectCopy(source, copy);
        } finally {
            // Jobs of the transfer that still wait end by themselves.
            Files.write(go, new byte[0]);
            Run.of("umount", "-l", state);
        }
    }

    @Test
    @Tag("campaign")
    void theStateDirectoryMayLieInTheDestination() throws Exception {
        Files.createDirectory(copy);
        Path state = copy.resolve("state");
        cli.run("cp", "-aT", "--scheduler", "local", "--wait", "--state-dir", state, source, copy).expect(0);
        cli.run("forget", "--state-dir", state, "all").expect(0);
        assertThat(TransferCli.files(state.resolve("transfers"), Files::isRegularFile)).isEmpty();
        assertThat(copy.resolve("d0/f11")).exists();
    }

    @Test
    @Tag("rig")
    void settingsAreSavedShownAndOverruled() throws Exception {
        Path file = cli.resolve("home/.config/treehaul/config");
        Run saved = cli
                .run("cp", "-a", "--scheduler", "local", "--jobs", 3, "--queue", "-p short", "--max-running", 2,
                        "--save", "--wait", source, copy)
                .expect(0);
        assertThat(saved.err()).contains("saved to " + file,
                "local jobs wait in no queue, so these options have no effect: --queue\n");
        assertThat(file).content().isEqualTo("jobs = 3\nmax-running = 2\nqueue = -p short\nscheduler = local\n");
        Path site = Files.writeString(cli.resolve("site"), "# of the site\nwalltime = 2:00\njobs = 7\n");
        cli.with("TREEHAUL_SITE_CONFIG", site.toString()).with("TREEHAUL_MAX_RUNNING", "1");
        assertThat(cli.run("config", "show").expect(0).out()).contains("jobs = 3  # " + file + ":1\n",
                "max-running = 1  # TREEHAUL_MAX_RUNNING\n", "queue = -p short  # " + file + ":3\n",
                "state-dir = " + cli.state() + "  # TREEHAUL_HOME\n", "walltime = 2:00  # " + site + ":2\n");
        // A setting for jobs in a file does not turn a plain copy into jobs.
        assertThat(cli.run("cp", "-a", source, cli.resolve("plain")).expect(0).out()).isEmpty();
        String id = cli.submit("cp", "-a", "--scheduler=local", "--max-running=2", source, cli.resolve("copy2"));
        cli.awaitEnd(id);
        assertThat(cli.of(id, "jobs/1-worker-1")).content().contains("jobs\t2");
        assertThat(cli.of(id, "launch/1-worker-1.sh")).content().doesNotContain("-p short");
        assertThat(cli.run("status", id).expect(0).out()).doesNotContain("--queue");
        cli.run("rm", "-r", "--scheduler", "local", "--jobs", 4, "--save", "--wait", cli.resolve("plain")).expect(0);
        assertThat(file).content().contains("jobs = 4\n");
        Files.writeString(site, "no-such = 1\n");
        assertThat(cli.run("cp", "-a", source, cli.resolve("copy3")).expect(0).err())
                .contains("warning: " + site + ":1: ignored the unknown setting 'no-such'");
    }
}
