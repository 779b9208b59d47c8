// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.help;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;

import org.treehaul.core.copy.options.ShellWord;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/**
 * Scripts with which a shell completes command lines of TreeHaul. Each is made from a file of this package, in which
 * lines such as {@code @OPTIONS@} are replaced by the options and values of the commands. The scripts start no JVM.
 */
public final class CompletionScript {

    /** The shells. */
    public enum Shell {
        bash,
        zsh,
        fish
    }

    private final ValueTable table;

    private CompletionScript(CommandLine all) {
        this.table = new ValueTable(all);
    }

    /**
     * Returns the script for a shell.
     *
     * @param all the model of all commands
     */
    public static String of(Shell shell, CommandLine all) {
        CompletionScript script = new CompletionScript(all);
        Map<String, String> parts = switch (shell) {
            case bash -> script.bash();
            case zsh -> script.zsh();
            case fish -> script.fish();
        };
        String text = template("treehaul." + shell);
        for (Map.Entry<String, String> part : parts.entrySet()) {
            text = text.replace("@" + part.getKey() + "@", part.getValue().stripTrailing());
        }
        return text;
    }

    private static String template(String name) {
        try (InputStream in = Objects.requireNonNull(CompletionScript.class.getResourceAsStream(name), name)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<OptionSpec> options(CommandSpec command) {
        return command.options().stream().filter(option -> !option.hidden()).toList();
    }

    private static boolean takesValue(OptionSpec option) {
        return option.arity().max() > 0;
    }

    private static boolean isOptional(OptionSpec option) {
        return takesValue(option) && option.arity().min() == 0;
    }

    private static List<String> names(OptionSpec option) {
        List<String> names = new ArrayList<>(List.of(option.names()));
        if (option.negatable()) {
            names.add("--no-" + option.longestName().substring(2));
        }
        return names;
    }

    // Options that are the same in several commands are one line of the script.
    private static void add(Map<String, List<String>> lines, String line, String command) {
        lines.computeIfAbsent(line, key -> new ArrayList<>()).add(command);
    }

    private Map<String, String> bash() {
        StringBuilder options = new StringBuilder();
        Map<String, List<String>> first = new LinkedHashMap<>();
        Map<String, List<String>> others = new LinkedHashMap<>();
        Map<String, Map<String, List<String>>> values = new LinkedHashMap<>();
        List<String> optional = new ArrayList<>();
        for (CommandSpec command : table.commands()) {
            List<String> names = new ArrayList<>();
            for (OptionSpec option : options(command)) {
                names.addAll(names(option));
                if (isOptional(option)) {
                    names.add(option.longestName() + "=");
                    optional.addAll(
                            optional.contains(option.longestName()) ? List.of() : List.of(option.longestName()));
                }
                if (takesValue(option)) {
                    names(option).forEach(name -> add(values.computeIfAbsent(name, n -> new LinkedHashMap<>()),
                            bash(table.option(command, option)), command.name()));
                }
            }
            options.append("        ")
                    .append(command.name())
                    .append(") words='")
                    .append(String.join(" ", names))
                    .append("' ;;\n");
            List<Values> all = table.operands(command);
            for (int i = 0; i < all.size(); i++) {
                if (i < all.size() - 1) {
                    add(first, bash(all.get(i)), command.name() + "/" + (i + 1));
                } else if (all.get(i).kind() != Values.Kind.TEXT) {
                    add(others, bash(all.get(i)), command.name() + "/*");
                }
            }
        }
        return Map.of("COMMANDS", String.join(" ", table.commands().stream().map(CommandSpec::name).toList()),
                "OPTIONS", options.toString(), "OPERANDS", cases(first) + cases(others), "VALUES",
                cases(patterns(values)), "OPTIONAL", String.join(" ", optional));
    }

    /** Returns the patterns of options for each kind of value: of all commands, or of some. */
    private static Map<String, List<String>> patterns(Map<String, Map<String, List<String>>> values) {
        Map<String, List<String>> patterns = new LinkedHashMap<>();
        values.forEach((option, byValue) -> byValue.forEach((value, commands) -> {
            if (byValue.size() == 1) {
                add(patterns, value, "*/" + option);
            } else {
                commands.forEach(command -> add(patterns, value, command + "/" + option));
            }
        }));
        return patterns;
    }

    private static String cases(Map<String, List<String>> patterns) {
        StringBuilder text = new StringBuilder();
        patterns.forEach((action, names) -> text.append("        ")
                .append(String.join(" | ", names))
                .append(") ")
                .append(action)
                .append(" ;;\n"));
        return text.toString();
    }

    private static String bash(Values values) {
        String kind = switch (values.kind()) {
            case FILE -> "files";
            case DIRECTORY -> "directories";
            case WORD -> "words";
            case LIST -> "list";
            case CONDITION -> "condition";
            case TRANSFER -> "transfers";
            case PRESET -> "presets";
            case TEXT -> "text";
        };
        return "kind=" + kind + (values.words().isEmpty() ? "" : " words='" + values.text() + "'");
    }

    private Map<String, String> zsh() {
        StringBuilder commands = new StringBuilder();
        Map<String, List<String>> lines = new LinkedHashMap<>();
        for (CommandSpec command : table.commands()) {
            commands.append("    ").append(ShellWord.quoted(command.name() + ":" + header(command))).append('\n');
            for (OptionSpec option : options(command)) {
                List<String> specs = new ArrayList<>();
                for (String name : names(option)) {
                    String description = "[" + description(option).replaceAll("[\\[\\]:]", "\\\\$0") + "]";
                    String joint = name.startsWith("--") ? isOptional(option) ? "=-" : "=" : "+";
                    specs.add(ShellWord.quoted("*" + name + (takesValue(option) ? joint : "") + description
                            + (takesValue(option)
                                    ? (isOptional(option) ? "::" : ":")
                                            + zsh(option.paramLabel(), table.option(command, option))
                                    : "")));
                }
                add(lines, String.join(" ", specs), command.name());
            }
            List<Values> operands = table.operands(command);
            for (int i = 0; i < operands.size(); i++) {
                String position = i == operands.size() - 1 ? "*" : Integer.toString(i + 1);
                add(lines, ShellWord.quoted(position + ":" + zsh(command.name(), operands.get(i))), command.name());
            }
        }
        StringBuilder specs = new StringBuilder();
        lines.forEach((line, names) -> specs.append("  _treehaul_for ")
                .append(String.join(" ", names))
                .append(" && specs+=(")
                .append(line)
                .append(")\n"));
        return Map.of("COMMANDS", commands.toString(), "OPTIONS", specs.toString());
    }

    private static String zsh(String label, Values values) {
        String action = switch (values.kind()) {
            case FILE -> "_files";
            case DIRECTORY -> "_files -/";
            case WORD -> "(" + values.text() + ")";
            case LIST -> "_sequence compadd - " + values.text();
            case CONDITION -> "compadd -S \"\" - " + values.text();
            case TRANSFER -> "_treehaul_transfers " + values.text();
            case PRESET -> "_treehaul_presets";
            case TEXT -> " ";
        };
        return label.replace(":", "\\:") + ":" + action;
    }

    private Map<String, String> fish() {
        StringBuilder commands = new StringBuilder();
        Set<String> required = new TreeSet<>();
        Map<String, List<String>> lines = new LinkedHashMap<>();
        for (CommandSpec command : table.commands()) {
            commands.append("complete -c treehaul -n __treehaul_first -a ")
                    .append(command.name())
                    .append(" -d ")
                    .append(fishQuoted(header(command)))
                    .append('\n');
            for (OptionSpec option : options(command)) {
                if (option.arity().min() > 0) {
                    required.addAll(names(option));
                }
                StringBuilder line = new StringBuilder();
                names(option).forEach(name -> line
                        .append(name.startsWith("--") ? " -l " + name.substring(2) : " -s " + name.substring(1)));
                line.append(takesValue(option) ? fish(table.option(command, option), isOptional(option)) : "")
                        .append(" -d ")
                        .append(fishQuoted(description(option)));
                add(lines, "|" + line, command.name());
            }
            List<Values> operands = table.operands(command);
            for (int i = 0; i < operands.size(); i++) {
                String position = i == operands.size() - 1 ? " -gt " + i : " -eq " + (i + 1);
                add(lines, (operands.size() == 1 ? "" : "; and test (__treehaul_operand)" + position) + "|"
                        + fish(operands.get(i), true), command.name());
            }
        }
        StringBuilder text = new StringBuilder();
        lines.forEach((line, names) -> {
            int bar = line.indexOf('|');
            if (line.length() > bar + 1) {
                text.append("complete -c treehaul -n '__treehaul_command ")
                        .append(String.join(" ", names))
                        .append(line, 0, bar)
                        .append('\'')
                        .append(line.substring(bar + 1))
                        .append('\n');
            }
        });
        return Map.of("COMMANDS", commands.toString(), "OPTIONS", text.toString(), "REQUIRED",
                String.join(" ", required));
    }

    private static String fish(Values values, boolean isOptional) {
        String required = isOptional ? "" : " -x";
        return switch (values.kind()) {
            case FILE -> isOptional ? " -F" : " -r -F";
            case DIRECTORY -> required + " -a '(__treehaul_directories)'";
            case WORD, CONDITION -> required + " -a '" + values.text() + "'";
            case LIST -> required + " -a '(__treehaul_list " + values.text() + ")'";
            case PRESET -> required + " -a '(__treehaul_presets)'";
            case TRANSFER -> required + " -a '" + values.text() + " (__treehaul_transfers)'";
            case TEXT -> required;
        };
    }

    private static String header(CommandSpec command) {
        return withoutStop(String.join(" ", command.usageMessage().header()));
    }

    /** Returns the first sentence of the description. */
    private static String description(OptionSpec option) {
        String text = String.join(" ", option.description());
        int end = text.indexOf(". ");
        return withoutStop(end < 0 ? text : text.substring(0, end));
    }

    private static String withoutStop(String text) {
        return text.endsWith(".") ? text.substring(0, text.length() - 1) : text;
    }

    private static String fishQuoted(String text) {
        return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'";
    }
}
