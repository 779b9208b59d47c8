// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine.ParameterException;

class UsageErrorsTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {"walk --threads abc|invalid value for option '--threads': 'abc' is not a whole number",
                    "cp --fsync=1 a b|invalid value for option '--fsync': '1' is neither true nor false",
                    "cp --color always -a a b|there is no 'always' here; a value of --color is attached: --color=always",
                    "cp --verify sha256 a b|there is no 'sha256' here; a value of --verify is attached: --verify=sha256",
                    "plan --manifest sums a b|unknown option '--manifest'; 'treehaul manifest DEST > FILE' writes the checksums of the copy, and 'treehaul manifest --check FILE DEST' checks it",
                    "verify --manifest=sums a|unknown option '--manifest=sums'; 'treehaul manifest --check FILE TREE' checks a tree against a manifest",
                    "cp --jobs 99999999999 a b|invalid value for option '--jobs': '99999999999' is too large",
                    "cp --progress-interval x a b|invalid value for option '--progress-interval': 'x' is not a number",
                    "cp --stat a b|unknown option '--stat'; did you mean '--stats'?",
                    "walk -maxdepth 2|unknown option '-maxdepth'; 'treehaul find' selects by conditions such as 'name=*.h5', 'size>1G', kind=regular and depth=1",
                    "find -mtime +7|unknown option '-mtime'; use 'age>7d', or 'atime<-7d'",
                    "cp -aHAX a b|unknown option '-AX'; -a preserves attributes, ACLs and hard links",
                    "cp -avzP a b|unknown option '-zP'; data are not compressed on the way",
                    "cp --remove-source-files a b|unknown option '--remove-source-files'; a copy removes nothing from the source; 'treehaul mv' removes it when the copy is verified",
                    "verify --repair --dry-run last|unknown option '--dry-run'; verify without --repair changes nothing, and 'treehaul errors ID' then lists what --repair would copy",
                    "sync -rtzu a b|unknown option '-zu'; data are not compressed on the way; 'treehaul cp -aTu' leaves files that are newer at the destination",
                    "sync --delete-during a b|unknown option '--delete-during'; use --delete, which removes before the copy, or --delete=after",
                    "du -X f a|unknown option '-X'; use --exclude-from",
                    "plan --scheduler local a b|unknown option '--scheduler'; give it to 'treehaul cp --plan DIR', which carries out the plan",
                    "verify|missing required parameter: 'ID'; give the id of a transfer, the end of one, or 'last'",
                    "query -l|unknown option '-l'; --json prints all attributes, --top N --by FIELD the values of a field",
                    "config set queue -p|unknown option '-p'; put '--' before a value that begins with '-': config set -- queue '-p short'",
                    "help query space|unexpected argument 'space'; help explains one command at a time",
                    "rsync a b|unknown command 'rsync'; 'treehaul sync' makes a destination equal to a source, 'treehaul sync --delete' also removes the rest"})
    void aMessageNamesTheRemedyInPlainWords(String line, String message) {
        ParameterException problem = catchThrowableOfType(ParameterException.class,
                () -> CommandLines.all().parseArgs(line.split(" ", -1)));
        assertThat(problem).isNotNull();
        assertThat(UsageErrors.describe(problem)).isEqualTo(message);
    }
}
