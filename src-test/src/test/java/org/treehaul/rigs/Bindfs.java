// SPDX-License-Identifier: Apache-2.0
package org.treehaul.rigs;

import static org.treehaul.core.fs.Errno.ENOTCONN;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

import org.awaitility.Awaitility;
import org.treehaul.e2e.Cli;
import org.treehaul.programs.Programs;

/**
 * A directory shown in another place by a program in user space, bindfs: stopped it is a mount that hangs, killed it is
 * one that is dead. On close it goes on, so that nobody is left hanging, and is unmounted.
 */
final class Bindfs implements AutoCloseable {

    /** What every call on a dead one answers. */
    static final int DEAD = ENOTCONN;

    private final Process process;
    private final Path mount;

    private Bindfs(Process process, Path mount) {
        this.process = process;
        this.mount = mount;
    }

    /** Shows a directory in another, which is empty; skips the test where that cannot be. */
    static Bindfs show(Path directory, Path at) throws IOException {
        Programs.require("bindfs", "bindfs");
        Mount.requireFuse();
        Process process = Programs.start("bindfs", "-f", directory, at);
        Bindfs bindfs = new Bindfs(process, at);
        try {
            Awaitility.await().until(() -> !process.isAlive() || bindfs.isMounted());
            if (!process.isAlive()) {
                throw new IOException(new String(process.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1));
            }
            return bindfs;
        } catch (IOException | RuntimeException e) {
            bindfs.close();
            throw e;
        }
    }

    /** Returns the path of something in it. */
    Path resolve(String name) {
        return mount.resolve(name);
    }

    private boolean isMounted() throws IOException {
        try (var lines = Files.lines(Path.of("/proc/self/mounts"))) {
            return lines.anyMatch(line -> line.contains(" " + mount + " fuse"));
        }
    }

    /** Stops it: from now on whoever asks it for something hangs. */
    void hang() throws Exception {
        Cli.signal(process, "STOP");
        Awaitility.await().until(() -> Files.readString(Path.of("/proc/" + process.pid() + "/stat")).contains(") T "));
    }

    /** Lets it go on. */
    void goOn() throws Exception {
        Cli.signal(process, "CONT");
    }

    /** Kills it: the mount stays, and nobody answers. */
    void die() throws Exception {
        process.destroyForcibly().waitFor();
    }

    @Override
    public void close() {
        try {
            if (process.isAlive()) {
                goOn();
            }
            if (isMounted()) {
                Programs.run("umount", "-l", mount);
            }
            process.destroy();
            process.waitFor();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }
}
