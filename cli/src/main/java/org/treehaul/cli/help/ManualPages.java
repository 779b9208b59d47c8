// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.help;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BiPredicate;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;
import org.treehaul.cli.args.OptionHeadings;
import org.treehaul.cli.config.Configuration;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/** Manual pages for man(1), from the same model of the command line as its help. */
public final class ManualPages {

    // The text is filled by the reader's man(1), not here.
    private static final int UNLIMITED = 100_000;

    /** Commands that the page of the first one of each group mentions, and those of the others without such a group. */
    private static final List<List<String>> RELATED = List.of(
            List.of("cp", "plan", "cmp", "verify", "status", "resume"), List.of("rm", "walk", "query", "status"),
            List.of("chmod", "chown", "chgrp", "status"), List.of("run", "find", "status", "resume", "errors"),
            List.of("status", "resume", "cancel", "limit", "errors", "verify", "forget"), List.of("plan", "show", "cp"),
            List.of("index", "query", "watch", "publish", "space", "members"),
            List.of("find", "walk", "index", "simulate"), List.of("find", "query", "rm"),
            List.of("config", "completion", "help"), List.of("cp", "mv", "sync"), List.of("mv", "cp", "sync"),
            List.of("sync", "cp", "cmp", "mv"), List.of("manifest", "cmp", "cp"), List.of("bench", "simulate"),
            List.of("du", "find", "index"), List.of("stage", "cp", "run", "verify"));

    /** Variables with a meaning for every command. */
    private static final Map<String, String> VARIABLES = Map.of("JDK_JAVA_OPTIONS",
            "Options for the JVM, for example -Xmx4g.", "NO_COLOR", "If set, --color auto uses no colours.",
            "XDG_CONFIG_HOME", "The directory of the file treehaul/config, in place of ~/.config.",
            "TREEHAUL_SITE_CONFIG", "The file of the site's settings, in place of /etc/treehaul/config.");

    private final CommandLine all;
    private final String version;
    private final String date;
    private final BiPredicate<String, String> applies;

    /**
     * Creates pages.
     *
     * @param all the model of all commands
     * @param version the version that the pages name
     * @param date the date that the pages name
     * @param applies whether a setting, the second, takes the place of the option of a command, the first
     */
    public ManualPages(CommandLine all, String version, String date, BiPredicate<String, String> applies) {
        this.all = all.setUsageHelpWidth(UNLIMITED);
        this.version = version;
        this.date = date;
        this.applies = applies;
    }

    /** Returns the names of the files and their contents: {@code treehaul.1}, and one for each visible command. */
    public Map<String, String> pages() {
        Map<String, String> pages = new TreeMap<>();
        pages.put("treehaul.1", overview());
        commands().forEach((name, command) -> pages.put("treehaul-" + name + ".1", page(name, command)));
        return pages;
    }

    private Map<String, CommandLine> commands() {
        Map<String, CommandLine> visible = new LinkedHashMap<>(all.getSubcommands());
        visible.values().removeIf(command -> command.getCommandSpec().usageMessage().hidden());
        return visible;
    }

    private String overview() {
        Roff page = new Roff("TREEHAUL", date, version).section("NAME")
                .escaped("treehaul \\- copies, checks and queries very large directory trees")
                .section("SYNOPSIS")
                .escaped(Roff.bold("treehaul") + " " + Roff.italic("COMMAND") + " [" + Roff.italic("OPTION") + "]...");
        page.section("DESCRIPTION").text(text(help(all).description()));
        page.text("Long options may be abbreviated. A path that begins with a hyphen goes after --.");
        page.section("COMMANDS");
        commands().forEach((name, command) -> page.tagged("\\fB" + reference(name) + "\\fR").text(header(command)));
        options(page.section("OPTIONS"), all.getCommandSpec());
        environment(page, new TreeSet<>(Configuration.names()));
        files(page, true);
        Footer.of(help(all)).examples(page);
        seeAlso(page, commands().keySet());
        return page.toString();
    }

    private String page(String name, CommandLine command) {
        Help help = help(command);
        CommandSpec spec = command.getCommandSpec();
        Roff page = new Roff("TREEHAUL-" + name.toUpperCase(Locale.ROOT), date, version).section("NAME")
                .escaped(Roff.escape("treehaul-" + name) + " \\- " + Roff.escape(nameLine(header(command))))
                .section("SYNOPSIS");
        page.escaped(
                help.synopsis(0).lines().map(line -> Roff.escape(line.strip())).collect(Collectors.joining("\n.br\n")));
        page.section("DESCRIPTION");
        help.description().lines().map(String::strip).filter(line -> !line.isEmpty()).forEach(page::text);
        page.section("OPTIONS");
        for (PositionalParamSpec operand : spec.positionalParameters()) {
            if (!operand.hidden() && operand.description().length > 0) {
                page.tagged(Roff.italic(operand.paramLabel())).text(String.join(" ", operand.description()));
            }
        }
        options(page, spec);
        Footer footer = Footer.of(help);
        footer.exitCodes(page);
        Set<String> settings = new TreeSet<>(Configuration.names());
        settings.removeIf(setting -> !isShown(spec.findOption("--" + setting)) || !applies.test(name, setting));
        environment(page, settings);
        files(page, spec.findOption("--state-dir") != null);
        footer.examples(page);
        Set<String> related = new TreeSet<>();
        RELATED.stream().filter(group -> group.getFirst().equals(name)).forEach(related::addAll);
        RELATED.stream().filter(group -> related.isEmpty() && group.contains(name)).forEach(related::addAll);
        related.remove(name);
        seeAlso(page, related);
        return page.toString();
    }

    private static boolean isShown(@Nullable OptionSpec option) {
        return option != null && !option.hidden();
    }

    private static Help help(CommandLine command) {
        return new Help(command.getCommandSpec(), Help.defaultColorScheme(Ansi.OFF));
    }

    private static String header(CommandLine command) {
        return String.join(" ", command.getCommandSpec().usageMessage().header());
    }

    // As whatis(1) wants it: without a full stop.
    private static String nameLine(String header) {
        String line = header.endsWith(".") ? header.substring(0, header.length() - 1) : header;
        return line.substring(0, 1).toLowerCase(Locale.ROOT) + line.substring(1);
    }

    private static String text(String section) {
        return section.strip().replaceAll("\\s+", " ");
    }

    private static void options(Roff page, CommandSpec command) {
        OptionHeadings.groups(command).forEach((heading, options) -> {
            if (!heading.isEmpty()) {
                page.subsection(heading.substring(0, heading.length() - 1));
            }
            options.forEach(option -> page.tagged(tag(option)).text(String.join(" ", option.description())));
        });
    }

    private static String tag(OptionSpec option) {
        List<String> names = new ArrayList<>();
        for (String name : option.names()) {
            names.add(Roff.bold(option.negatable() && name.startsWith("--") ? "--[no-]" + name.substring(2) : name));
        }
        String tag = String.join(", ", names);
        if (option.arity().max() == 0) {
            return tag;
        }
        String value = Roff.italic(option.paramLabel());
        boolean isLong = option.names()[option.names().length - 1].startsWith("--");
        return tag + (option.arity().min() == 0 ? "[=" + value + "]" : (isLong ? "=" : " ") + value);
    }

    private static void environment(Roff page, Set<String> settings) {
        page.section("ENVIRONMENT");
        page.text("An option that is not given takes the value of its variable, else that of a file below.");
        Map<String, String> variables = new TreeMap<>(VARIABLES);
        settings.forEach(setting -> variables.put(Configuration.variable(setting), "Value of --" + setting + "."));
        variables.forEach((name, meaning) -> page.tagged(Roff.bold(name)).text(meaning));
    }

    private static void files(Roff page, boolean hasState) {
        page.section("FILES");
        page.tagged(Roff.italic("~/.config/treehaul/config")).text("The user's settings: lines NAME = VALUE.");
        page.tagged(Roff.italic("/etc/treehaul/config")).text("The site's settings.");
        if (hasState) {
            page.tagged(Roff.italic("~/.treehaul")).text("Plans, journals and output of transfers.");
        }
    }

    private static void seeAlso(Roff page, Set<String> commands) {
        List<String> references = new ArrayList<>();
        references.add("\\fBtreehaul\\fR(1)");
        commands.forEach(command -> references.add("\\fB" + reference(command) + "\\fR(1)"));
        page.section("SEE ALSO").escaped(String.join(",\n", references));
    }

    private static String reference(String command) {
        return Roff.escape("treehaul-" + command);
    }
}
