// SPDX-License-Identifier: Apache-2.0
package org.treehaul.rigs;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import org.junit.jupiter.api.Assumptions;
import org.treehaul.core.testing.Privilege;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.programs.Programs;

/**
 * Makes and mounts a file system for a test. Closing it unmounts it and removes its image; the loop device is released
 * with the mount, because mount(8) sets it to autoclear.
 */
final class Mount implements AutoCloseable {

    private static final long MIB = 1024 * 1024;

    private final TestDirectory directory;
    private final Path image;
    private final Path path;
    private List<String> mounting = List.of();

    private Mount(TestDirectory directory) {
        this.directory = directory;
        this.image = directory.resolve("image");
        this.path = directory.directory("mnt");
    }

    /** Mounts a tmpfs. */
    static Mount tmpfs(String options) {
        return make(mount -> mount.mount("-t", "tmpfs", "-o", options, "tmpfs"));
    }

    /** Makes and mounts an ext4 of this many MiB with 1 KiB blocks. */
    static Mount ext4(long mebibytes, String... options) {
        return disk("mkfs.ext4", "e2fsprogs", mebibytes,
                withOptions(List.of("-q", "-F", "-b", "1024", "-m", "0"), options));
    }

    /** Makes and mounts an ext2, whose inodes refer to single blocks. */
    static Mount ext2(long mebibytes) {
        return disk("mkfs.ext2", "e2fsprogs", mebibytes, List.of("-q", "-F", "-b", "4096", "-m", "0"));
    }

    /** Makes and mounts an xfs with reflinks, which needs at least 300 MiB. */
    static Mount xfs(String... options) {
        return disk("mkfs.xfs", "xfsprogs", 320, withOptions(List.of("-q", "-m", "reflink=1"), options));
    }

    /** Makes and mounts a btrfs. */
    static Mount btrfs(String... options) {
        return disk("mkfs.btrfs", "btrfs-progs", 128, withOptions(List.of("-q"), options));
    }

    /** Makes and mounts an exFAT through FUSE: names that differ only in case are equal. */
    static Mount exfat() {
        Programs.require("mkfs.exfat", "exfatprogs");
        Programs.require("mount.exfat-fuse", "exfat-fuse");
        requireFuse();
        return make(mount -> {
            mount.allocate(64);
            Programs.run("mkfs.exfat", mount.image);
            // exFAT needs a block device; detaching it now releases it with the mount.
            String device = Programs.run("losetup", "--find", "--show", mount.image).strip();
            try {
                Programs.run("mount.exfat-fuse", device, mount.path);
            } finally {
                Programs.run("losetup", "--detach", device);
            }
        });
    }

    /** Mounts an overlay whose upper layer is on a tmpfs. */
    static Mount overlay() {
        return make(mount -> {
            mount.directory.directory("lower");
            mount.directory.directory("upper");
            mount.directory.directory("work");
            mount.mount(
                    "-t", "overlay", "-o", "lowerdir=" + mount.directory.resolve("lower") + ",upperdir="
                            + mount.directory.resolve("upper") + ",workdir=" + mount.directory.resolve("work"),
                    "overlay");
        });
    }

    /** Mounts a directory read-only in another place. */
    static Mount readOnlyBind(Path of) {
        return make(mount -> {
            mount.mount("--bind", of.toString());
            Programs.run("mount", "-o", "remount,bind,ro", mount.path);
        });
    }

    /** Makes and mounts an ext4 whose image is on another mount, and may be larger than the room there. */
    static Mount ext4In(Mount under, long mebibytes) {
        Programs.require("mkfs.ext4", "e2fsprogs");
        return make(mount -> {
            Path inside = Files.createSymbolicLink(mount.image, under.path.resolve("disk"));
            mount.allocate(mebibytes);
            Programs.run("mkfs.ext4", "-q", "-F", "-b", "1024", "-m", "0", "-O", "^has_journal", inside);
            mount.mount("-o", "loop", inside.toString());
        });
    }

    /** Skips the test if user space cannot serve a file system here. */
    static void requireFuse() {
        Privilege.requireRoot("it mounts file systems");
        Assumptions.assumeTrue(Files.isWritable(Path.of("/dev/fuse")), "there is no /dev/fuse");
    }

    private static List<String> withOptions(List<String> first, String... more) {
        List<String> all = new ArrayList<>(first);
        all.addAll(List.of(more));
        return all;
    }

    private static Mount disk(String program, String debianPackage, long mebibytes, List<String> options) {
        Programs.require(program, debianPackage);
        return make(mount -> {
            mount.allocate(mebibytes);
            List<String> command = new ArrayList<>(List.of(program));
            command.addAll(options);
            command.add(mount.image.toString());
            Programs.run(command.toArray());
            mount.mount("-o", "loop", mount.image.toString());
        });
    }

    private interface Making {
        void make(Mount mount) throws IOException;
    }

    private static Mount make(Making making) {
        Privilege.requireRoot("it mounts file systems");
        Mount mount = new Mount(TestDirectory.onTmpfs());
        try {
            making.make(mount);
            return mount;
        } catch (IOException e) {
            mount.close();
            throw new UncheckedIOException(e);
        } catch (Throwable e) {
            mount.close();
            throw e;
        }
    }

    private void allocate(long mebibytes) throws IOException {
        try (RandomAccessFile file = new RandomAccessFile(image.toFile(), "rw")) {
            file.setLength(mebibytes * MIB);
        }
    }

    private void mount(String... arguments) {
        mounting = List.of(arguments);
        List<String> command = new ArrayList<>(List.of("mount"));
        command.addAll(mounting);
        command.add(path.toString());
        try {
            Programs.run(command.toArray());
        } catch (IllegalStateException e) {
            // The container lacks the privilege, or the kernel lacks the file system or loop devices.
            Assumptions.abort("cannot be mounted here: " + e.getMessage());
        }
    }

    /** Returns the mount point. */
    Path path() {
        return path;
    }

    /** Returns a path on it. */
    Path resolve(String name) {
        return path.resolve(name);
    }

    /** Returns the image file. */
    Path image() {
        return image;
    }

    /** Remounts it read-only or writable. */
    void remount(String option) {
        Programs.run("mount", "-o", "remount," + option, path);
    }

    /** Unmounts it and mounts it again: cached data that could not be written are lost. */
    void renew() {
        renew(() -> {
        });
    }

    /** Unmounts it, runs an action on its image, and mounts it again. */
    void renew(Runnable meanwhile) {
        Programs.run("umount", path);
        meanwhile.run();
        mount(mounting.toArray(String[]::new));
    }

    /** Fills it until this many bytes are free, 0 to fill it completely, and returns the ballast. */
    Path fillBut(long free) throws IOException {
        Path ballast = resolve("ballast");
        byte[] block = new byte[64 * 1024];
        try (RandomAccessFile file = new RandomAccessFile(ballast.toFile(), "rw")) {
            file.seek(file.length());
            while (path.toFile().getUsableSpace() > free) {
                file.write(block, 0, (int) Math.min(block.length, path.toFile().getUsableSpace() - free));
                file.getFD().sync();
            }
        } catch (IOException full) {
            if (free > 0) {
                throw full;
            }
        }
        return ballast;
    }

    private boolean isMounted() {
        try (var lines = Files.lines(Path.of("/proc/self/mounts"))) {
            return lines.anyMatch(line -> Arrays.asList(line.split(" ")).contains(path.toString()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        try {
            // Several mounts may be stacked; a busy one disappears with its last user.
            for (int i = 0; i < 4 && isMounted(); i++) {
                try {
                    Programs.run("umount", path);
                } catch (IllegalStateException busy) {
                    Programs.run("umount", "-l", path);
                }
            }
        } finally {
            directory.close();
        }
    }
}
