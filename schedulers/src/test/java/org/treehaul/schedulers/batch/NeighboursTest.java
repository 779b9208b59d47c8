// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.batch;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.treehaul.core.fs.linux.Linux;

class NeighboursTest extends TransfersByHand {

    @Test
    void aDamagedPlanOfATransferHidesNoOther() throws Exception {
        Files.writeString(source.resolve("file"), "data");
        BatchTransfer own = create(copy());
        submit(own);
        BatchTransfer one = create(copy());
        submit(one);
        BatchTransfer other = create(copy());
        submit(other);
        List<BatchTransfer> inOrder = Stream.of(one, other).sorted(Comparator.comparing(BatchTransfer::id)).toList();
        assertThat(Neighbours.of(Linux.calls(), own.directory())).hasSize(2);
        Files.writeString(inOrder.getFirst().directory().plan().resolve("header"), "damaged");
        assertThat(Neighbours.of(Linux.calls(), own.directory())).singleElement()
                .asString()
                .startsWith("transfer " + inOrder.getLast().id() + " is not finished and writes to " + target);
    }
}
