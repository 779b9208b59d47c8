// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.stage;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.Random;

import org.treehaul.core.entry.ByteString;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.schedulers.stage.net.RunSecret;
import org.treehaul.schedulers.stage.net.SegmentServer;
import org.treehaul.schedulers.stage.net.ServedDirectory;
import org.treehaul.schedulers.stage.net.ServerSettings;

/** Stages trees over directories and over a server, so that the JVM can record the classes and loops that this uses. */
public final class StageTraining {

    // Several requests of the largest size, from each of two threads.
    private static final int LARGE_BYTES = 20 << 20;
    private static final int SMALL_BYTES = 1000;

    private StageTraining() {}

    /** Runs one command. */
    @FunctionalInterface
    public interface Runner {
        void run(String... args) throws Exception;
    }

    /**
     * Runs the commands.
     *
     * @param tree a small tree
     * @param target a directory for everything that they make
     */
    public static void run(Runner commands, String tree, String target) throws Exception {
        Path work = Files.createDirectory(Path.of(target));
        Path large = Files.createDirectory(work.resolve("large"));
        byte[] bytes = new byte[LARGE_BYTES];
        new Random(1).nextBytes(bytes);
        Files.write(large.resolve("file"), bytes);
        Files.write(large.resolve("small"), Arrays.copyOf(bytes, SMALL_BYTES));
        Files.createSymbolicLink(large.resolve("link"), Path.of("small"));
        String directories = Files.createDirectory(work.resolve("one")) + ","
                + Files.createDirectory(work.resolve("two"));
        commands.run("stage", "--help");
        copy(commands, new String[]{tree, large.toString()}, work.resolve("local"), "--directories", directories);
        Path secret = Files.createFile(work.resolve("secret"),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.writeString(secret, "a secret that protects nothing, in 32 bytes");
        commands.run("serve", "--secret-file", secret.toString());
        serve(commands, new String[]{tree, large.toString()}, work, secret);
    }

    private static void serve(Runner commands, String[] trees, Path work, Path secret) throws Exception {
        ByteString directory = ByteString.of(work.resolve("served"));
        // Not the name of this host, so that the client does not reach the directory itself.
        String host = "served";
        ServerSettings settings = ServerSettings.of(directory, host,
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), RunSecret.read(ByteString.of(secret)));
        try (ServedDirectory served = ServedDirectory.open(Linux.calls(), directory, host);
                SegmentServer server = SegmentServer.start(settings, served.id(), served.segments(), note -> {})) {
            copy(commands, trees, work.resolve("remote"), "--add-servers", "127.0.0.1:" + server.address().getPort(),
                    "--secret-file", secret.toString());
        } catch (IOException e) {
            // A machine without a loopback interface has no servers of segments.
            return;
        }
    }

    private static void copy(Runner commands, String[] trees, Path work, String option, String servers,
            String... secret) throws Exception {
        Files.createDirectory(work);
        String[] space = {"--space", work + "/space"};
        for (int i = 0; i < trees.length; i++) {
            String path = "job:tree" + i;
            commands.run(words("in", space, secret, "-q", option, servers, trees[i], path));
            commands.run(words("out", space, secret, "-q", path, work + "/out" + i));
        }
        commands.run(words("verify", space, secret, "-q", "job:"));
        commands.run(words("ls", space, secret, "job:"));
        commands.run(words("rm", space, secret, "-r", "-q", "job:"));
    }

    private static String[] words(String verb, String[] space, String[] secret, String... rest) {
        String[] all = new String[2 + space.length + secret.length + rest.length];
        all[0] = "stage";
        all[1] = verb;
        System.arraycopy(space, 0, all, 2, space.length);
        System.arraycopy(secret, 0, all, 2 + space.length, secret.length);
        System.arraycopy(rest, 0, all, 2 + space.length + secret.length, rest.length);
        return all;
    }
}
