// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;

import org.treehaul.core.annotation.Api;
import org.treehaul.core.copy.CopyArguments;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.plan.format.PlannedRoot;
import org.treehaul.core.transfer.request.CopyRequest;

/**
 * The places of a transfer. Paths are absolute as soon as it is planned; before, they are those of the user.
 *
 * @param sources the sources, or the trees to process
 * @param destination the copy itself if there is one source, else the directory that receives the copies; empty for an
 *        operation without a destination
 */
@Api
public record TransferPlaces(List<ByteString> sources, Optional<ByteString> destination) {

    /** Copies the list. */
    public TransferPlaces {
        sources = List.copyOf(sources);
    }

    static TransferPlaces unknown() {
        return new TransferPlaces(List.of(), Optional.empty());
    }

    static TransferPlaces of(List<PlannedRoot> roots, boolean hasDestination) {
        List<ByteString> sources = roots.stream().map(PlannedRoot::source).toList();
        if (!hasDestination || roots.isEmpty()) {
            return new TransferPlaces(sources, Optional.empty());
        }
        ByteString first = roots.getFirst().place();
        return new TransferPlaces(sources, Optional.of(roots.size() == 1 ? first : parent(first)));
    }

    private static ByteString parent(ByteString path) {
        byte[] bytes = path.toBytes();
        int end = bytes.length - 1;
        while (end > 0 && bytes[end] != '/') {
            end--;
        }
        return ByteString.of(Arrays.copyOf(bytes, Math.max(1, end)));
    }

    static TransferPlaces of(CopyRequest request) {
        CopyArguments arguments = request.arguments();
        List<ByteString> operands = arguments.operands();
        if (arguments.targetDirectory().isPresent() || operands.size() < 2) {
            return new TransferPlaces(operands, arguments.targetDirectory());
        }
        return new TransferPlaces(operands.subList(0, operands.size() - 1), Optional.of(operands.getLast()));
    }
}
