// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.attributes;

import java.nio.charset.StandardCharsets;
import java.util.OptionalLong;

import org.treehaul.cli.args.ExactArguments;
import org.treehaul.cli.args.Options;
import org.treehaul.cli.common.CommonOptions;
import org.treehaul.core.attributes.OwnerChange;
import org.treehaul.core.condition.Accounts;
import org.treehaul.core.entry.ByteString;
import picocli.CommandLine.Model.CommandSpec;

/** The options that the commands for owners and groups share. */
final class OwnerInput {

    /** Reads the first operand. */
    interface Reader {
        OwnerSpec read(String text, Accounts accounts);
    }

    private final CommonOptions common;
    private final ChangeInput input;
    private boolean noDereference;
    private OwnerSpec from = OwnerSpec.NONE;

    /**
     * Adds the options to a command.
     *
     * @param operand the label of the first operand, such as {@code GROUP}
     * @param noun the attribute, for the help
     */
    OwnerInput(CommandSpec spec, String operand, String noun) {
        common = new CommonOptions(spec, "--help");
        input = new ChangeInput(spec, common, operand, noun);
        Options.add(spec, Options.flag(value -> noDereference = value, "-h", "--no-dereference"),
                "Change a PATH that is a symbolic link itself, as -R always does.");
        spec.addOption(Options.flag(value -> noDereference = !value, "--dereference").hidden(true).build());
        spec.addOption(Options.flag(value -> {
        }, "-P").hidden(true).build());
        spec.addOption(Options.flag(value -> {
            throw common
                    .usage("-H is not possible: with -R links are changed themselves; name the directories to which "
                            + "they lead");
        }, "-H").hidden(true).build());
    }

    /** Adds {@code --from}. */
    void addFrom(CommandSpec spec) {
        Options.add(spec, Options.value(ByteString.class, value -> from = read(value, OwnerSpec::parse), "--from"),
                "OWNER:GROUP", "Change only entries of this owner, of this group, or of both.");
    }

    /** Changes the operands and returns the exit code. */
    int run(String label, boolean withUser, Reader reader) throws InterruptedException {
        OwnerSpec to = input.reference()
                .map(file -> new OwnerSpec(withUser ? OptionalLong.of(file.uid()) : OptionalLong.empty(),
                        OptionalLong.of(file.gid())))
                .orElseGet(() -> read(input.first(label), reader));
        OwnerChange change = new OwnerChange(to.user(), to.group(), from.user(), from.group());
        input.usePaths();
        return input.entries
                .run(new ChangeTask(input.entries, change, input.options(!noDereference && !input.recursive)));
    }

    private OwnerSpec read(ByteString given, Reader reader) {
        try {
            return reader.read(new String(given.toBytes(), StandardCharsets.ISO_8859_1), Accounts.system());
        } catch (IllegalArgumentException e) {
            throw common.usage(ExactArguments.printable(String.valueOf(e.getMessage())));
        }
    }
}
