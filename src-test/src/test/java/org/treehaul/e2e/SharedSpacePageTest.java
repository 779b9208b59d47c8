// SPDX-License-Identifier: Apache-2.0
package org.treehaul.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.treehaul.e2e.GuidePage.UserCommand;

/** Runs the page that takes a site from nothing to a shared space, line by line, as its users. */
@Tag("rig")
class SharedSpacePageTest {

    @Test
    void theCommandsRunAsPrinted() throws Exception {
        List<UserCommand> commands = GuidePage.named("shared-space.md").userCommands();
        assertThat(commands).hasSizeGreaterThan(40).extracting(UserCommand::user).contains("root", "alice", "bob");
        List<String> different;
        try (OwnMachine machine = new OwnMachine()) {
            different = machine.differences(commands);
        }
        assertThat(different).as("commands that print something else than the page shows").isEmpty();
    }
}
