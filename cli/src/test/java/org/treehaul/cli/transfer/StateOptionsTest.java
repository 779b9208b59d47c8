// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import org.junit.jupiter.api.Test;
import org.treehaul.cli.common.UsageException;
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

    @Test
    void aUserWithoutAnAccountHasNoNameForThePattern() {
        StateOptions pattern = parse("--state-dir=/scratch/%u/treehaul");
        StateOptions plain = parse("--state-dir=/scratch/treehaul");
        String user = System.getProperty("user.name");
        System.setProperty("user.name", "?");
        try {
            assertThatExceptionOfType(UsageException.class).isThrownBy(pattern::directory)
                    .withMessageContaining("the state directory /scratch/%u/treehaul has the name of the user for %u, "
                            + "and this user has no account on this host");
            assertThat(plain.directory()).hasToString("/scratch/treehaul");
        } finally {
            System.setProperty("user.name", user);
        }
    }
}
