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

    /** Returns whether a source may have holes that the copy is to keep. */
    public boolean maySparse(FileStatus source) {
        return new HoleRule(options.sparse()).maySparse(source);
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
                && fileSystems.nature(targetDevice,
                        () -> access.fileSystemType(target)) != FileSystemPairs.Nature.OTHER;
    }

    /** Returns whether an open file is on a local file system. */
    public boolean isLocal(long device, int descriptor) {
        return fileSystems.isLocal(access, device, descriptor);
    }
}
