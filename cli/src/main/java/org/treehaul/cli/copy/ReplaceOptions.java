// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.copy;

import java.util.List;
import java.util.Locale;
import java.util.Map;

import org.treehaul.cli.args.Abbreviations;
import org.treehaul.cli.args.Options;
import org.treehaul.cli.common.BackupOptions;
import org.treehaul.cli.common.UsageException;
import org.treehaul.core.copy.options.Backup;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.copy.options.CopyOptionsBuilder;
import picocli.CommandLine.Model.CommandSpec;

/** The options of {@code treehaul cp} for existing entries at the destination. */
final class ReplaceOptions {

    private static final List<String> UPDATES = List.of("older", "all", "none");
    private final CommandSpec command;
    private final BackupOptions backups;
    private CopyOptions.Existing existing = CopyOptions.Existing.REPLACE;
    private boolean noClobber;
    private boolean asks;
    private boolean force;
    private boolean removeDestination;

    /**
     * Adds the options to a command.
     *
     * @param environment the environment variables, which contain the defaults for backups, as for cp
     */
    ReplaceOptions(CommandSpec command, Map<String, String> environment) {
        this.command = command;
        Options.add(command, Options.flag(this::noClobber, "-n", "--no-clobber"), "Do not replace existing files.");
        Options.add(command, Options.flag(this::ask, "-i", "--interactive"),
                "Ask before replacing a file; an answer that begins with y means yes.");
        Options.add(command, Options.flag(this::updateOlder, "-u"),
                "Replace existing files only if they are older than the source; like --update=older.");
        Options.add(command, Options.attached(String.class, "older", this::update, "--update"), "WHICH",
                "Choose which existing files are replaced: older (those older than the source), all or none. Default: older.");
        Options.add(command, Options.flag(value -> force = value, "-f", "--force"),
                "Replace existing files if -l or -s is given, and links that cannot be written through. Has no other effect, "
                        + "because copies replace existing files by default.");
        Options.add(command, Options.flag(value -> removeDestination = value, "--remove-destination"),
                "Remove existing files first.");
        backups = new BackupOptions(command, environment);
    }

    private void noClobber(boolean value) {
        noClobber = true;
        asks = false;
    }

    private void ask(boolean value) {
        asks = true;
        noClobber = false;
    }

    private void updateOlder(boolean value) {
        existing = CopyOptions.Existing.UPDATE;
    }

    private void update(String which) {
        existing = switch (word("--update", which, UPDATES)) {
            case "older" -> CopyOptions.Existing.UPDATE;
            case "all" -> CopyOptions.Existing.REPLACE;
            case "none" -> CopyOptions.Existing.SKIP;
            default -> throw new IllegalStateException(which);
        };
        noClobber = noClobber && existing != CopyOptions.Existing.REPLACE;
    }

    private String word(String option, String given, List<String> words) {
        try {
            return Abbreviations.word(option, given, words, words);
        } catch (IllegalArgumentException e) {
            throw new UsageException(command.commandLine(), String.valueOf(e.getMessage()));
        }
    }

    /** Returns whether the user is asked. */
    boolean asks() {
        return asks;
    }

    /** Sets the values of these options. */
    void set(CopyOptionsBuilder builder) {
        builder.existing(noClobber ? CopyOptions.Existing.SKIP : existing)
                .force(force)
                .removeDestination(removeDestination)
                .backup(backups.value());
    }

    /**
     * Returns why jobs, which have no terminal and may copy an entry twice, do not support the given options; empty if
     * they do.
     */
    String problemOfJobs() {
        if (asks) {
            return "-i asks at a terminal, which jobs and ranks do not have; use -n or -u to keep existing files";
        }
        Backup.Control made = backups.value().control();
        if (made == Backup.Control.SIMPLE || made == Backup.Control.EXISTING) {
            return "jobs and ranks need --backup=numbered: after a job was killed, a file is copied again, and its first copy could "
                    + "replace the backup that is made by " + word(made);
        }
        return "";
    }

    private static String word(Backup.Control control) {
        return "--backup=" + control.name().toLowerCase(Locale.ROOT);
    }
}
