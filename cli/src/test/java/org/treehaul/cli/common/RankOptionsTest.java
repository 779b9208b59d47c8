// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.common;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.walk.options.WalkOptions;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

/** The options for ranks. */
class RankOptionsTest {

    @Test
    void aWrongValueIsShownInItsOwnCharacters() {
        CommandSpec spec = CommandSpec.create().name("walk");
        RankOptions ranks = new RankOptions(spec, new CommonOptions(spec));
        CommandLine line = new CommandLine(spec);
        // An argument has a character for each byte.
        line.parseArgs("--ranks", "2", "--distribution", "gr\u00c3\u00bcn");
        assertThatThrownBy(ranks::distribution).hasMessageEndingWith("not 'gr\u00fcn'");
        line.parseArgs("--ranks", "2", "--distribution", "pct", "--transport", "gr\u00c3\u00bcn");
        assertThatThrownBy(() -> ranks.walking(Linux.calls(), WalkOptions.defaults()))
                .hasMessageEndingWith("not 'gr\u00fcn'");
    }
}
