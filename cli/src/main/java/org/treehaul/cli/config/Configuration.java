// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.config;

import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;

/**
 * The settings that hold where no option says otherwise: a variable of the environment before the user's file before
 * the site's. Immutable once read.
 */
public final class Configuration {

    /** What can be set: options that belong to a site or a user rather than to one command. */
    private static final List<String> NAMES = List.of("batch-bytes", "batch-files", "batches", "bandwidth",
            "chunk-size", "color", "finish-queue", "finish-walltime", "jobs", "max-running", "on-complete",
            "plan-in-job", "post", "pre", "progress", "progress-interval", "queue", "requeue", "scheduler", "space",
            "state-dir", "strategy", "threads", "verify", "walltime");

    private static final String STATE_DIRECTORY = "state-dir";

    // By which the JVM made text of the environment.
    private static final Charset TEXT = Charset.forName(System.getProperty("sun.jnu.encoding", "UTF-8"));

    private final Map<String, Setting> settings;
    private final ConfigFile userFile;

    private Configuration(Map<String, Setting> settings, ConfigFile userFile) {
        this.settings = settings;
        this.userFile = userFile;
    }

    /**
     * Reads the settings. The site's file is {@code /etc/treehaul/config} or what TREEHAUL_SITE_CONFIG names, the
     * user's {@code treehaul/config} in XDG_CONFIG_HOME or {@code ~/.config}.
     *
     * @param environment the variables of the process
     * @throws IllegalArgumentException when a file cannot be read or understood
     */
    public static Configuration read(Map<String, String> environment) {
        ConfigFile site = new ConfigFile(
                Path.of(environment.getOrDefault("TREEHAUL_SITE_CONFIG", "/etc/treehaul/config")));
        ConfigFile user = new ConfigFile(userDirectory(environment).resolve("treehaul/config"));
        Map<String, Setting> settings = new TreeMap<>(site.read(NAMES::contains));
        settings.putAll(user.read(NAMES::contains));
        for (String name : NAMES) {
            String variable = variable(name);
            String value = environment.get(variable);
            if (value != null && !value.isEmpty()) {
                settings.put(name,
                        new Setting(name, new String(value.getBytes(TEXT), StandardCharsets.ISO_8859_1), variable));
            }
        }
        return new Configuration(settings, user);
    }

    private static Path userDirectory(Map<String, String> environment) {
        String configured = environment.getOrDefault("XDG_CONFIG_HOME", "");
        // The specification of base directories has relative ones ignored.
        return configured.startsWith("/")
                ? Path.of(configured)
                : Path.of(environment.getOrDefault("HOME", System.getProperty("user.home")), ".config");
    }

    /** Returns the variable of the environment that sets something. */
    public static String variable(String name) {
        return name.equals(STATE_DIRECTORY)
                ? "TREEHAUL_HOME"
                : "TREEHAUL_" + name.toUpperCase(Locale.ROOT).replace('-', '_');
    }

    /** Returns the names of all that can be set. */
    public static List<String> names() {
        return NAMES;
    }

    /** Returns what is set, by name. */
    public List<Setting> settings() {
        return List.copyOf(settings.values());
    }

    /**
     * Returns arguments with the settings among them, after the name of the command, so that what is given itself comes
     * later and wins.
     *
     * @param args the name of a command and what follows it
     * @param hasOption whether the command knows an option, of which the long name with its dashes is given
     */
    public String[] complete(String[] args, Predicate<String> hasOption) {
        List<String> completed = new ArrayList<>(List.of(args));
        List<String> added = settings.values()
                .stream()
                // What stands for an option that may be repeated must not be added to what is given.
                .filter(setting -> hasOption.test("--" + setting.name()) && !isGiven(args, "--" + setting.name()))
                .map(Setting::argument)
                .toList();
        completed.addAll(1, added);
        return completed.toArray(String[]::new);
    }

    /** Returns whether an option, by its long name with the dashes, is among arguments. */
    public static boolean isGiven(String[] args, String option) {
        for (String arg : args) {
            if (arg.equals("--")) {
                return false;
            }
            if (arg.equals(option) || arg.startsWith(option + "=")) {
                return true;
            }
        }
        return false;
    }

    /** Sets values in the user's file, but those that hold already, and returns that file. */
    public Path save(Map<String, String> values) throws IOException {
        Map<String, String> others = new TreeMap<>(values);
        settings.values().forEach(setting -> others.remove(setting.name(), setting.value()));
        userFile.save(others);
        return userFile.path();
    }
}
