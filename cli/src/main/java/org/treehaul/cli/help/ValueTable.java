// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.help;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

import org.treehaul.cli.common.RankOptions;
import org.treehaul.cli.config.Configuration;
import org.treehaul.core.condition.FileField;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.schedulers.SchedulerException;
import org.treehaul.schedulers.discovery.Schedulers;
import org.treehaul.strategies.Strategies;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/** The values that options and operands take, for completion. */
public final class ValueTable {

    /** Labels of values that cannot be completed. */
    private static final Set<String> TEXTS = Set.of("N", "M", "R", "P", "G", "I", "SIZE", "LIMIT", "SECONDS", "TIME",
            "MICROSECONDS", "PATTERN", "OPTIONS", "COMMAND", "SUFFIX", "OWNER:GROUP", "FORMAT", "CONDITION", "DIR=N",
            "TASK", "KEY=VALUE", "ID", "HOST:PORT", "NAMES", "ADDRESSES");

    private static final Values DISTRIBUTIONS = Values.words(RankOptions.NAMES.split(", ", -1));

    private final CommandLine all;

    /**
     * Creates the table.
     *
     * @param all the model of all commands
     */
    public ValueTable(CommandLine all) {
        this.all = all;
    }

    /**
     * Returns the values of an option.
     *
     * @throws IllegalArgumentException if neither its name nor the label of its value is known
     */
    public Values option(CommandSpec command, OptionSpec option) {
        return switch (option.longestName()) {
            case "--color", "--progress", "--reflink", "--sparse" -> Values.words("auto", "always", "never");
            case "--verify" -> Values.words("xxh3", "sha256", "none");
            case "--allow" -> Values.list("home", "mount");
            case "--interactive" -> Values.words("never", "once", "always");
            case "--segments" -> command.name().equals("run") ? Values.words("layout") : Values.TEXT;
            case "--hash" -> Values.words("xxh3", "sha256");
            case "--delete" -> Values.words("before", "after", "delay");
            case "--preserve", "--no-preserve" ->
                Values.list("mode", "ownership", "timestamps", "links", "xattr", "acl", "all");
            case "--update" -> Values.words("older", "all", "none");
            case "--backup" -> Values.words("numbered", "existing", "simple", "none");
            case "--scheduler" -> schedulers();
            case "--locality" -> Values.words("auto", "off");
            case "--strategy" -> Values.words(Strategies.all().keySet().toArray(String[]::new));
            case "--distribution" -> command.name().equals("simulate")
                    ? Values.list(
                            Stream.concat(Stream.of("all"), DISTRIBUTIONS.words().stream()).toArray(String[]::new))
                    : DISTRIBUTIONS;
            case "--transport" -> Values.words("threads", "mpj");
            case "--compare" -> Values.list("atime", "ctime", "btime", "content");
            case "--ignore" -> Values.list("only-in-a", "only-in-b", "size", "mode", "owner", "group", "ownership",
                    "mtime", "times", "target", "links", "device", "xattr", "acl");
            case "--group-by" -> Values.words(fields());
            case "--sum" -> Values.words("size", "blocks", "links");
            case "--by" -> command.name().equals("du")
                    ? Values.words("owner", "group", "extension", "age")
                    : Values.words("size", "blocks", "links", "atime", "mtime", "ctime", "btime", "generation",
                            "count");
            case "--sort" -> Values.words("none", "size", "name");
            case "--lister" -> Values.words("each", "master", "worker");
            case "--order" -> Values.words("application", "arrival", "hierarchical");
            case "--way" -> Values.list("sync", "threads", "ring", "stage-sync", "stage-threads", "stage-servers");
            case "--stage" -> Values.TEXT;
            case "--unit" -> Values.words("directory", "entry");
            case "--ranks", "--at", "--launch", "--node" -> Values.TEXT;
            case "--preset" -> Values.PRESET;
            case "--outputs" -> Values.transfers("last");
            // It takes whole ids only.
            case "--remove" -> Values.transfers();
            default -> labelled(option.longestName(), option.paramLabel());
        };
    }

    private static Values labelled(String name, String label) {
        return switch (label) {
            case "FILE", "PATH" -> Values.FILE;
            // Most addresses are directories.
            case "URI" -> Values.DIRECTORY;
            case "DIR", "DIRECTORY", "DIRS" -> Values.DIRECTORY;
            default -> {
                if (!TEXTS.contains(label)) {
                    throw new IllegalArgumentException("the values of " + name + " are not known: " + label);
                }
                yield Values.TEXT;
            }
        };
    }

    /** Returns the values of the operands of a command in their order; the last ones apply to all further operands. */
    public List<Values> operands(CommandSpec command) {
        return switch (command.name()) {
            case "help" ->
                List.of(Values.words(commands().stream().map(CommandSpec::name).toArray(String[]::new)), Values.TEXT);
            case "completion" -> List.of(Values.words("bash", "zsh", "fish"), Values.TEXT);
            case "config" -> List.of(Values.words("show", "set", "unset"),
                    Values.words(Configuration.names().toArray(String[]::new)), Values.TEXT);
            case "members" ->
                List.of(Values.words("create", "grant", "revoke", "list"), Values.words("read", "write"), Values.TEXT);
            case "space" -> List.of(Values.words("check", "create", "status", "split"), Values.DIRECTORY);
            case "bench" -> List.of(Values.words("io"), Values.words("read", "write"), Values.DIRECTORY);
            case "stage" -> List.of(
                    Values.words("in", "out", "ls", "rm", "verify", "check", "repair", "servers", "drain", "unsaved"),
                    Values.FILE);
            case "find" -> List.of(Values.FILE);
            case "query", "watch" -> List.of(new Values(Values.Kind.CONDITION, conditions()));
            case "chmod", "chown", "chgrp" -> List.of(Values.TEXT, Values.FILE);
            case "forget" -> List.of(Values.transfers("last", "all"), Values.TEXT);
            default -> {
                List<Values> operands = new ArrayList<>();
                command.positionalParameters().forEach(operand -> operands.addAll(labelled(operand)));
                yield operands.isEmpty() ? List.of(Values.TEXT) : operands;
            }
        };
    }

    private static List<Values> labelled(PositionalParamSpec operand) {
        return switch (operand.paramLabel()) {
            case "ID" -> List.of(Values.transfers("last"), Values.TEXT);
            case "PLAN" -> List.of(Values.DIRECTORY, Values.TEXT);
            case "LIMIT" -> List.of();
            default -> List.of(Values.FILE);
        };
    }

    /** Returns the commands that users see, in the order of the help. */
    List<CommandSpec> commands() {
        return all.getSubcommands()
                .values()
                .stream()
                .map(CommandLine::getCommandSpec)
                .filter(command -> !command.usageMessage().hidden())
                .toList();
    }

    private static Values schedulers() {
        try {
            return Values.words(Schedulers.names().toArray(String[]::new));
        } catch (SchedulerException e) {
            // A provider of another jar that cannot be loaded must not prevent the completion of everything else.
            return Values.TEXT;
        }
    }

    private static String[] fields() {
        return FileField.names().split(" ", -1);
    }

    private static List<String> conditions() {
        return Stream.concat(Stream.of(fields()), Arrays.stream(EntryKind.values()).map(kind -> "kind=" + kind.label()))
                .toList();
    }
}
