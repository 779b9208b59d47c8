// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

import org.treehaul.cli.args.ExactArguments;
import org.treehaul.cli.common.CommonOptions;
import org.treehaul.cli.copy.CopyRequests;
import org.treehaul.cli.report.SlowEntries;
import org.treehaul.cli.stage.StageTraining;
import org.treehaul.cli.transfer.TransferWait;
import org.treehaul.core.copy.data.DataHash;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.journal.EntryTracker;
import org.treehaul.core.transfer.journal.WorkInProgress;
import org.treehaul.core.walk.tuning.ThreadTuner;
import org.treehaul.core.walk.tuning.WaitingThreads;
import org.treehaul.schedulers.batch.BatchTransfer;
import picocli.CommandLine.Model.CommandSpec;

/**
 * Runs typical commands once, so that the JVM can record the classes and loops that they use. The {@code treehaul}
 * script keeps the recording as an archive.
 */
final class CacheTraining {

    // The user's settings must not apply: they may send copies elsewhere.
    private static final Map<String, String> NO_SETTINGS = Map.of("HOME", "/dev/null", "TREEHAUL_SITE_CONFIG",
            "/dev/null");

    private static final int LARGE = 3 << 20;
    private static final String CHUNK = "1M";
    private static final int HASHES = 40_000;
    private static final int LARGEST_HASHED = 20_000;

    private CacheTraining() {}

    /**
     * Runs each command. In the directory of a transfer it also runs the commands of the jobs of this transfer.
     *
     * @param decoded small trees to copy, then an empty directory to copy them into; or {@code --trees} and small
     *        trees, in which the commands on trees run alone until {@code rm} removes them; or {@code --stage}, small
     *        trees and an empty directory, with which the commands of stages run alone
     */
    public static void main(String[] decoded) throws Exception {
        QuickStart.linkCalls();
        String[] args = ExactArguments.of(decoded);
        if (args[0].equals("--trees")) {
            for (int i = 1; i < args.length; i++) {
                trainTree(args[i]);
            }
            trainLarge(Path.of(args[1]).resolveSibling("large"));
            trainWatch();
            Main.main(new String[]{"--version"});
            return;
        }
        String target = args[args.length - 1];
        if (args[0].equals("--stage")) {
            for (int i = 1; i < args.length - 1; i++) {
                StageTraining.run(CacheTraining::run, args[i], target + "/" + i);
            }
            Main.main(new String[]{"--version"});
            return;
        }
        if (Files.exists(Path.of("launch"))) {
            run("worker", "--generation", "1", "--index", "0");
            run("finish", "--generation", "1");
            trainWait();
            // Plans and submits another one, but its jobs do no work.
            run("cp", "-aT", "--scheduler", "local", "--jobs", "2", "--pre", "exit 1", "--state-dir", target + "/state",
                    args[0], target + "/jobs");
            run("status", "--state-dir", target + "/state");
            run("status", "--state-dir", target + "/state", "last");
            TransferDirectory finished = TransferDirectory.open(Path.of(""));
            run("status", "--state-dir", finished.stateDirectory().toString(), finished.id().text());
        }
        String[] sources = Arrays.copyOf(args, args.length - 1);
        run("walk", "--help");
        for (int i = 0; i < sources.length; i++) {
            String copy = target + "/" + i;
            run("cp", "-a", "--verify", sources[i], copy);
            run("cp", "-ruT", sources[i], copy);
            run("cmp", "--content", "--ignore=mtime", sources[i], copy);
            run("walk", sources[i]);
            run("walk", "--print", sources[i]);
            run("walk", "--json", sources[i]);
            run("find", sources[i], "name=*.none", "size>1G");
            run("find", sources[i], "size>1K", "name=*.md");
            run("du", sources[i]);
            run("du", "-sh", sources[i]);
            run("plan", "-a", "-o", target + "/plan" + i, sources[i], copy + "/planned");
            run("show", target + "/plan" + i);
            run("index", "--space", target + "/space", sources[i]);
            run("index", "--space", target + "/space", sources[i]);
            run("query", "--space", target + "/space", "--count", "kind=regular", "size>1K");
            run("du", "-s", "--index", target + "/space");
            run("sync", "-a", "--state-dir", target + "/state", sources[i] + "/", copy);
            run("chmod", "-R", "u+w", copy);
            run("rm", "-r", copy);
        }
        trainLinks(Path.of(target, "links"));
        trainLarge(Path.of(target, "large"));
        trainHash();
        trainWatch();
        // Ends the process, which involves more JVM code than one would expect.
        Main.main(new String[]{"--version"});
    }

    // Waits for the transfer in this directory, which is finished.
    private static void trainWait() throws Exception {
        TransferDirectory transfer = TransferDirectory.open(Path.of(""));
        new TransferWait(BatchTransfer.open(transfer.stateDirectory(), CopyRequests.jar(), transfer.id()),
                new CommonOptions(CommandSpec.create().name("cp"))).await(1, new Cancellation());
    }

    private static void trainTree(String tree) throws Exception {
        // One of the trees has a copy.
        run("cmp", tree, tree + ".copy");
        run("cmp", "--content", tree, tree + ".copy");
        run("walk", tree);
        run("walk", "--print", tree);
        run("find", tree);
        run("find", tree, "name=*.none", "size>1G");
        run("find", tree, "size>1K", "name=*.md", "age>1d");
        run("find", "-0", tree, "kind=regular");
        run("du", tree);
        run("du", "-sh", tree);
        run("cp", "-a", tree, tree + ".copied");
        run("cp", "-a", "--verify", tree, tree + ".verified");
        run("chmod", "-R", "u+w", tree);
        run("chown", "-R", "--from=+0", "+0", tree);
        run("find", tree + "/missing");
        run("rm", tree + "/missing");
        run("rm", "-rf", tree);
    }

    // A file with two names, which the trees do not have.
    private static void trainLinks(Path tree) throws Exception {
        Path file = Files.writeString(Files.createDirectory(tree).resolve("file"), "file");
        Files.createLink(tree.resolve("name"), file);
        run("cp", "-a", tree.toString(), tree + "2");
        run("cmp", tree.toString(), tree + "2");
        run("walk", tree.toString());
        run("du", "-s", tree.toString());
        run("run", tree.toString(), "--", "true");
    }

    // A file of several chunks, which the trees do not have.
    private static void trainLarge(Path place) throws Exception {
        String one = place + "/one";
        String other = place + "/other";
        Files.write(Files.createDirectories(Path.of(one)).resolve("file"), new byte[LARGE]);
        run("cp", "-aT", "--chunk-size", CHUNK, one, other);
        run("cmp", "--content", "--chunk-size", CHUNK, one, other);
    }

    // The machine that uses the archive may lack the library that hashes here, and the profile must be rich enough to
    // compile the function of Java at once: with a poor one, later copies with --verify take a seventh more CPU time.
    private static void trainHash() {
        DataHash hash = DataHash.javaXxh3();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment data = arena.allocate(FileAccess.BUFFER_BYTES);
            for (int i = 0; i < HASHES; i++) {
                hash.ofWhole(data.asSlice(0, i % LARGEST_HASHED));
            }
            for (int i = 0; i < HASHES / 100; i++) {
                hash.update(data);
                hash.finish();
            }
        }
    }

    // A command that takes longer than a second looks at what is in progress, and one that takes a tenth of it at its
    // threads; those above do not.
    private static void trainWatch() {
        new ThreadTuner(1, 2).next(new ThreadTuner.Measured(1, 1, 1, 0, new WaitingThreads("treehaul").count(1)));
        Instant now = Instant.now();
        EntryTracker tracker = new EntryTracker(new Progress(), () -> List.of("one", "other"),
                now.minus(Duration.ofSeconds(1)));
        WorkInProgress work = tracker.look(0, now);
        SlowEntries.stalled(work, now, Duration.ofSeconds(8));
        SlowEntries.oldest(work, now);
    }

    private static void run(String... args) throws Exception {
        Verbosity.set(args);
        CommandLines.execute(args, NO_SETTINGS);
    }
}
