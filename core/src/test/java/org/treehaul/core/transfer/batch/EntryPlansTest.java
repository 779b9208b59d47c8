// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer.batch;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.treehaul.core.attributes.ModeChange;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.plan.Batchings;
import org.treehaul.core.plan.format.BatchLimits;
import org.treehaul.core.task.CommandTask;
import org.treehaul.core.task.CommandTemplate;
import org.treehaul.core.transfer.operation.Operation;
import org.treehaul.core.walk.options.Root;
import org.treehaul.core.walk.options.WalkOptions;

class EntryPlansTest {

    @TempDir
    private Path tree;

    private boolean asks(Operation.OnEntries operation) throws SystemCallException {
        return EntryPlans
                .request(Linux.calls(), "test", operation, List.of(Root.of(ByteString.of(tree.toString()))),
                        WalkOptions.defaults(), Batchings.DEALT, BatchLimits.batches(4), 2)
                .asksServers();
    }

    @Test
    void onlyOperationsThatMayReadDataAskForTheirServers() throws SystemCallException {
        assertThat(asks(new Operation.Remove())).isFalse();
        assertThat(asks(new Operation.ChangeMode(ModeChange.parse("a-x", 0)))).isFalse();
        CommandTemplate command = new CommandTemplate(List.of(ByteString.of("cat")));
        assertThat(asks(new Operation.Run(
                new CommandTask(command, ByteString.of(tree.toString()), Duration.ZERO, 0, false, Optional.empty()))))
                .isTrue();
    }
}
