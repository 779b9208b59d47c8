// SPDX-License-Identifier: Apache-2.0
package org.treehaul.batch;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.treehaul.core.testing.Installed;

/**
 * The output of each command for names with escape sequences, line ends and bytes that are not UTF-8: on a terminal
 * nothing that the terminal would interpret, in a pipe the exact names if names are the output.
 */
class TerminalOutputTest {

    // ESC ] 0 ; x BEL sets the title of a terminal, and 0xC2 0x9B is the one-character CSI.
    private static final String NAME = "a\u001b]0;x\u0007\nb\u00ff\u00c2\u009bc";
    private static final Pattern OBEYED = Pattern
            .compile("[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\u00ff]|\u00c2[\u0080-\u009f]|\r(?!\n)");

    private static final String SCRIPT = """
            N=$(printf 'a\\033]0;x\\007\\nb\\377\\302\\233c')
            mkdir -p s/sub "s/D$N" other "failing/$N"
            echo x > "s/$N"
            echo y > "s/D$N/f"
            ln -s "$N" s/link
            $T cp -aT --scheduler local --jobs 1 --wait s failing > id 2> /dev/null
            ID=$(head -n 1 id)
            $T index --space space s 2> /dev/null
            $T plan -o plan -aT s planned 2> /dev/null
            mkdir out
            export T ID
            both() {
                echo "$2" > command.sh
                T=$WARM sh command.sh > "out/$1.pipe" 2> /dev/null < /dev/null
                script -qec "sh command.sh 2> /dev/null" /dev/null > "out/$1.terminal" < /dev/null
            }
            """;
    private static final String SOME = """
            both walk '$T walk --print s'
            both errors-relative '$T errors --relative $ID'
            both query '$T query --space space'
            """;
    private static final String OTHERS = """
            both walk-json '$T walk --json s'
            both cp 'rm -rf copy; $T cp -av s copy'
            both cp-json 'rm -rf copy; $T cp -av --json s copy'
            both cp-dry-run '$T cp -a --dry-run s none'
            both cp-ranks 'rm -rf copy; $T cp -av --ranks 2 s copy'
            both cmp '$T cmp s other'
            both cmp-json '$T cmp --json s other'
            both status '$T status $ID'
            both status-json '$T status --json $ID'
            both errors '$T errors $ID'
            both errors-json '$T errors --json $ID'
            both show '$T show --entries plan'
            both query-json '$T query --space space --json'
            both query-groups '$T query --space space --group-by directory'
            both verify '$T verify --wait $ID'
            """;

    @Test
    void onATerminalReportAsksForAFileAndErrorsReportsThatNothingFailed() throws Exception {
        Installed.require("script");
        try (TransferCli cli = TransferCli.make()) {
            cli.sh("""
                    mkdir s; echo x > s/f
                    $T cp -aT --scheduler local --jobs 1 --wait s d > id 2> /dev/null
                    export T
                    script -qc '$T report last' /dev/null > report < /dev/null
                    script -qc '$T errors last' /dev/null > errors < /dev/null
                    """);
            assertThat(cli.read("report")).contains("-o FILE is missing").doesNotContain("<html");
            assertThat(cli.read("errors")).isEqualTo("treehaul: errors: no entry failed\r\n");
        }
    }

    @Test
    void aTerminalGetsNothingOfANameThatItWouldObey() throws Exception {
        run(SOME);
    }

    @Test
    @Tag("rig")
    void aTerminalGetsNothingOfANameThatItWouldObeyFromAnyCommand() throws Exception {
        run(SOME + OTHERS);
    }

    private static void run(String commands) throws Exception {
        Installed.require("script");
        try (TransferCli cli = TransferCli.make()) {
            cli.with("WARM", cli.warm()).sh(SCRIPT + commands);
            for (Path terminal : TransferCli.files(cli.resolve("out"), file -> file.toString().endsWith(".terminal"))) {
                String command = String.valueOf(terminal.getFileName()).replace(".terminal", "");
                assertThat(Files.readString(terminal, ISO_8859_1)).as(command)
                        .isNotBlank()
                        .doesNotContainPattern(OBEYED);
            }
            for (String names : new String[]{"walk", "errors-relative", "query"}) {
                assertThat(cli.read("out/" + names + ".pipe")).as(names).contains(NAME + "\n");
                assertThat(cli.read("out/" + names + ".terminal")).as(names)
                        .contains("a\\x1b]0;x\\x07\\nb\\xff\\xc2\\x9bc");
            }
        }
    }
}
