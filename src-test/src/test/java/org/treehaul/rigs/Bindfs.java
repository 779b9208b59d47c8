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
 * Shows a directory in another place through a user space program, bindfs: stopped it is a mount that hangs, killed it
 * is a dead mount. Closing it resumes the program, so that no process stays blocked, and unmounts it.
 */
final class Bindfs implements AutoCloseable {

    /** The errno of every call on a dead mount. */
    static final int DEAD = ENOTCONN;

    private final Process process;
    private final Path mount;

    private Bindfs(Process process, Path mount) {
        this.process = process;
        this.mount = mount;
    }

    /** Shows a directory in another, empty one; skips the test if that is impossible. */
    static Bindfs show(Path directory, Path at) throws IOException {
        return show(directory, at, "rw");
    }

    /** Does the same with a mount that caches attributes, names and missing names for an hour. */
    static Bindfs showCaching(Path directory, Path at) throws IOException {
        return show(directory, at, "attr_timeout=3600,entry_timeout=3600,negative_timeout=3600");
    }

    private static Bindfs show(Path directory, Path at, String options) throws IOException {
        Programs.require("bindfs", "bindfs");
        Mount.requireFuse();
        Process process = Programs.start("bindfs", "-f", "-o", options, directory, at);
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

    /** Returns a path on the mount. */
    Path resolve(String name) {
        return mount.resolve(name);
    }

    private boolean isMounted() throws IOException {
        try (var lines = Files.lines(Path.of("/proc/self/mounts"))) {
            return lines.anyMatch(line -> line.contains(" " + mount + " fuse"));
        }
    }

    /** Stops bindfs: from now on every access hangs. */
    void hang() throws Exception {
        Cli.signal(process, "STOP");
        Awaitility.await().until(() -> Files.readString(Path.of("/proc/" + process.pid() + "/stat")).contains(") T "));
    }

    /** Resumes bindfs. */
    void goOn() throws Exception {
        Cli.signal(process, "CONT");
    }

    /** Kills bindfs: the mount stays, without a server. */
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
