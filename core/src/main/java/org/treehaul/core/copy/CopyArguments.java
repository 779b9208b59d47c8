// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy;

import java.util.List;
import java.util.Optional;

import org.treehaul.core.entry.ByteString;
import org.treehaul.core.walk.options.SelectedPaths;

/**
 * The arguments of cp(1): paths, and how to interpret them. Immutable; each {@code with} method returns a changed copy.
 *
 * @param operands the sources and, if there is no target directory, the destination after them
 * @param targetDirectory the directory to copy into: {@code -t}
 * @param noTargetDirectory whether the destination is the copy itself even if it is a directory: {@code -T}
 * @param parents whether the whole path of each source is recreated below the target directory: {@code --parents}
 * @param stripTrailingSlashes whether trailing slashes of sources are ignored
 * @param selection the part of the only source to copy, if not all of it
 */
public record CopyArguments(List<ByteString> operands, Optional<ByteString> targetDirectory, boolean noTargetDirectory,
        boolean parents, boolean stripTrailingSlashes, Optional<SelectedPaths> selection) {

    public CopyArguments {
        operands = List.copyOf(operands);
    }

    /** Returns sources and a destination without any option. */
    public static CopyArguments of(List<ByteString> operands) {
        return new CopyArguments(operands, Optional.empty(), false, false, false, Optional.empty());
    }

    /** Returns a copy with a directory to copy into. */
    public CopyArguments withTargetDirectory(ByteString directory) {
        return new CopyArguments(operands, Optional.of(directory), noTargetDirectory, parents, stripTrailingSlashes,
                selection);
    }

    /**
     * Returns a copy with {@code -T}, or without: whether the destination is the copy itself even if it is a directory.
     */
    public CopyArguments withNoTargetDirectory(boolean itself) {
        return new CopyArguments(operands, targetDirectory, itself, parents, stripTrailingSlashes, selection);
    }

    /** Returns a copy that recreates, or does not recreate, the whole paths of sources. */
    public CopyArguments withParents(boolean keep) {
        return new CopyArguments(operands, targetDirectory, noTargetDirectory, keep, stripTrailingSlashes, selection);
    }

    /** Returns a copy that strips, or does not strip, trailing slashes of sources. */
    public CopyArguments withStripTrailingSlashes(boolean strip) {
        return new CopyArguments(operands, targetDirectory, noTargetDirectory, parents, strip, selection);
    }

    /** Returns a copy that takes only a part of its only source. */
    public CopyArguments withSelection(SelectedPaths part) {
        return new CopyArguments(operands, targetDirectory, noTargetDirectory, parents, stripTrailingSlashes,
                Optional.of(part));
    }
}
