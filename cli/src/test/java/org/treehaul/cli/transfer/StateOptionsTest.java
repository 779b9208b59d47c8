// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

class StateOptionsTest {

    private static StateOptions parse(String... arguments) {
        CommandSpec spec = CommandSpec.create();
        StateOptions options = new StateOptions(spec);
        new CommandLine(spec).parseArgs(arguments);
        return options;
    }

    @Test
    void aPatternInTheDirectoryIsTheNameOfTheUser() {
        String user = System.getProperty("user.name");
        StateOptions pattern = parse("--state-dir=/scratch/%u/treehaul");
        assertThat(pattern.directory()).hasToString("/scratch/" + user + "/treehaul");
        assertThat(pattern.directoryOfUsers()).isEqualTo("/scratch/%u/treehaul");
        StateOptions plain = parse("--state-dir=/scratch/treehaul");
        assertThat(plain.directory()).hasToString("/scratch/treehaul");
        assertThat(plain.directoryOfUsers()).isEmpty();
    }
}
