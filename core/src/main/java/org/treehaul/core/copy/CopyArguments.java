// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy;

import java.util.List;
import java.util.Optional;

import org.treehaul.core.entry.ByteString;
import org.treehaul.core.walk.PathSelection;

/**
 * What a user says to cp(1): paths, and how they are meant. Immutable; each {@code with} method returns a changed copy.
 *
 * @param operands the sources and, unless a target directory is named, the destination after them
 * @param targetDirectory the directory to copy into: {@code -t}
 * @param noTargetDirectory whether the destination is the copy itself even where it is a directory: {@code -T}
 * @param parents whether the copy has the whole path of its source below the target directory: {@code --parents}
 * @param stripTrailingSlashes whether slashes at the end of sources mean nothing
 * @param selection what to copy of the one source, where that is not all
 */
public record CopyArguments(List<ByteString> operands, Optional<ByteString> targetDirectory, boolean noTargetDirectory,
        boolean parents, boolean stripTrailingSlashes, Optional<PathSelection> selection) {

    /** Makes arguments. */
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

    /** Returns a copy whose destination is, or is not, the copy itself in any case. */
    public CopyArguments withNoTargetDirectory(boolean itself) {
        return new CopyArguments(operands, targetDirectory, itself, parents, stripTrailingSlashes, selection);
    }

    /** Returns a copy that keeps, or does not keep, whole paths. */
    public CopyArguments withParents(boolean keep) {
        return new CopyArguments(operands, targetDirectory, noTargetDirectory, keep, stripTrailingSlashes, selection);
    }

    /** Returns a copy that strips, or does not strip, slashes at the end of sources. */
    public CopyArguments withStripTrailingSlashes(boolean strip) {
        return new CopyArguments(operands, targetDirectory, noTargetDirectory, parents, strip, selection);
    }

    /** Returns a copy that takes only a part of its one source. */
    public CopyArguments withSelection(PathSelection part) {
        return new CopyArguments(operands, targetDirectory, noTargetDirectory, parents, stripTrailingSlashes,
                Optional.of(part));
    }
}
