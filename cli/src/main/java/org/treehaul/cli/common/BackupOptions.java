// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.common;

import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import org.treehaul.cli.args.Abbreviations;
import org.treehaul.cli.args.ExactArguments;
import org.treehaul.cli.args.ExactVariables;
import org.treehaul.cli.args.Options;
import org.treehaul.core.copy.options.Backup;
import org.treehaul.core.entry.ByteString;
import picocli.CommandLine.Model.CommandSpec;

/** The options for backups of replaced files, those of GNU cp and mv. */
public final class BackupOptions {

    // Some words are synonyms, as in cp.
    private static final List<String> CONTROLS = List.of("none", "off", "simple", "never", "existing", "nil",
            "numbered", "t");

    private final CommandSpec command;
    private final Map<String, String> environment;
    private boolean backsUp;
    private @Nullable String control;
    private @Nullable ByteString suffix;

    /**
     * Adds the options to a command.
     *
     * @param environment the environment variables, which contain the defaults, as for cp
     */
    public BackupOptions(CommandSpec command, Map<String, String> environment) {
        this.command = command;
        this.environment = environment;
        Options.add(command, Options.flag(value -> backsUp = true, "-b"), "Like --backup, without CONTROL.");
        Options.add(command, Options.attached(String.class, "", this::backup, "--backup"), "CONTROL",
                "Back up each replaced file: numbered (t), simple (never), existing (nil: numbered if there are numbered backups, "
                        + "else simple), or none (off). Default: the environment variable VERSION_CONTROL, "
                        + "else existing.");
        Options.add(command, Options.value(ByteString.class, this::suffix, "-S", "--suffix"), "SUFFIX",
                "Make backups, with this suffix for simple ones. Default: SIMPLE_BACKUP_SUFFIX, else ~.");
    }

    private void backup(String word) {
        backsUp = true;
        if (!word.isEmpty()) {
            control = word("--backup", word);
        }
    }

    private void suffix(ByteString value) {
        backsUp = true;
        suffix = value;
    }

    private String word(String option, String given) {
        try {
            return Abbreviations.word(option, given, CONTROLS, CONTROLS);
        } catch (IllegalArgumentException e) {
            throw new UsageException(command.commandLine(), String.valueOf(e.getMessage()));
        }
    }

    /** Returns how replaced files are backed up. */
    public Backup value() {
        if (!backsUp) {
            return Backup.none();
        }
        String word = control;
        if (word == null) {
            String wanted = environment.getOrDefault("VERSION_CONTROL", "");
            word = wanted.isEmpty() ? "existing" : word("the environment variable VERSION_CONTROL", wanted);
        }
        Backup.Control meant = switch (word) {
            case "none", "off" -> Backup.Control.NONE;
            case "simple", "never" -> Backup.Control.SIMPLE;
            case "numbered", "t" -> Backup.Control.NUMBERED;
            default -> Backup.Control.EXISTING;
        };
        ByteString wanted = suffix != null
                ? suffix
                : ByteString.of(ExactArguments.bytes(ExactVariables.get(environment, "SIMPLE_BACKUP_SUFFIX")));
        try {
            return new Backup(meant, wanted);
        } catch (IllegalArgumentException e) {
            // As in cp, an empty suffix, or one that leads elsewhere, is ignored.
            return Backup.of(meant);
        }
    }
}
