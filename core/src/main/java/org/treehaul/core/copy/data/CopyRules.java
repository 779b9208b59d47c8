// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy.data;

import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.fs.FileAccess;

/**
 * The rules that decide how data are moved, the same for whole files and for chunks. Not safe for several threads.
 *
 * @param options determine how holes, shared data and verification are handled
 * @param fileSystems knows the kinds of the file systems
 * @param access reads the kind of a file system that is not known yet
 */
public record CopyRules(CopyOptions options, FileSystemPairs fileSystems, FileAccess access) {

    // A file whose allocated size is smaller than its size by fewer bytes than this is not searched for holes: file
    // systems keep small files in the inode, and compress.
    private static final int LEAST_HOLE = 4096;

    /** Returns whether a source may have holes that the copy is to keep. */
    public boolean maySparse(FileStatus source) {
        return switch (options.sparse()) {
            case AUTO -> source.size() - source.blocks() * 512 >= LEAST_HOLE;
            case ALWAYS -> source.size() >= LEAST_HOLE;
            case NEVER -> false;
        };
    }

    /**
     * Returns the number of bytes of a source without its holes, as far as it is known: a single unit of blocks may
     * mean that they are not known yet.
     */
    public long dataBytes(FileStatus source) {
        boolean hasHoles = maySparse(source) && source.blocks() != 1;
        return hasHoles ? Math.min(source.size(), source.blocks() * 512) : source.size();
    }

    /**
     * Returns whether the kernel is asked to copy the data: not if they are to be hashed, or searched for zeros,
     * because this process must then read them anyway; and only if the options allow the kernel to share data, or to
     * leave holes.
     *
     * @param targetDevice the device of the directory that contains the target
     * @param target descriptor of the target
     */
    public boolean byKernel(FileStatus source, long targetDevice, int target) {
        return source.device() == targetDevice && options.verify() == CopyOptions.Verify.NONE
                && options.sparse() == CopyOptions.When.AUTO && options.reflink() != CopyOptions.When.NEVER
                && nature(targetDevice, target) != FileSystemPairs.Nature.OTHER;
    }

    /** Returns whether an open file is on a local file system. */
    public boolean isLocal(long device, int descriptor) {
        return nature(device, descriptor) == FileSystemPairs.Nature.LOCAL;
    }

    private FileSystemPairs.Nature nature(long device, int descriptor) {
        return fileSystems.nature(device, () -> access.fileSystemType(descriptor));
    }
}
