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
 * The settings that apply if an option is not given: a variable of the environment has precedence over the user's file,
 * and that over the site's. Immutable.
 */
public final class Configuration {

    /** The possible settings: options that belong to a site or a user rather than to a single command. */
    private static final List<String> NAMES = List.of("batch-bytes", "batch-files", "batches", "bandwidth",
            "chunk-size", "color", "finish-queue", "finish-walltime", "jobs", "max-running", "on-complete",
            "plan-in-job", "post", "pre", "progress", "progress-interval", "queue", "requeue", "scheduler", "space",
            "state-dir", "strategy", "threads", "verify", "walltime");

    private static final String STATE_DIRECTORY = "state-dir";

    // The charset with which the JVM decoded the environment.
    private static final Charset TEXT = Charset.forName(System.getProperty("sun.jnu.encoding", "UTF-8"));

    private final Map<String, Setting> settings;
    private final ConfigFile userFile;

    private Configuration(Map<String, Setting> settings, ConfigFile userFile) {
        this.settings = settings;
        this.userFile = userFile;
    }

    /**
     * Reads the settings. The site's file is {@code /etc/treehaul/config} or the one named by TREEHAUL_SITE_CONFIG, the
     * user's is {@code treehaul/config} in XDG_CONFIG_HOME or {@code ~/.config}.
     *
     * @param environment the variables of the process
     * @throws IllegalArgumentException if a file cannot be read or parsed
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
        // The XDG Base Directory Specification says that relative paths must be ignored.
        return configured.startsWith("/")
                ? Path.of(configured)
                : Path.of(environment.getOrDefault("HOME", System.getProperty("user.home")), ".config");
    }

    /** Returns the environment variable for a setting. */
    public static String variable(String name) {
        return name.equals(STATE_DIRECTORY)
                ? "TREEHAUL_HOME"
                : "TREEHAUL_" + name.toUpperCase(Locale.ROOT).replace('-', '_');
    }

    /** Returns the names of all possible settings. */
    public static List<String> names() {
        return NAMES;
    }

    /** Returns the current settings, ordered by name. */
    public List<Setting> settings() {
        return List.copyOf(settings.values());
    }

    /**
     * Returns the arguments with the settings inserted after the name of the command, so that given options come later
     * and have precedence.
     *
     * @param args the name of a command and its arguments
     * @param hasOption whether the command has an option, given its long name with the dashes
     */
    public String[] complete(String[] args, Predicate<String> hasOption) {
        List<String> completed = new ArrayList<>(List.of(args));
        List<String> added = settings.values()
                .stream()
                // The setting of a repeatable option must not be added to the given values.
                .filter(setting -> hasOption.test("--" + setting.name()) && !isGiven(args, "--" + setting.name()))
                .map(Setting::argument)
                .toList();
        completed.addAll(1, added);
        return completed.toArray(String[]::new);
    }

    /** Returns whether an option, by its long name with the dashes, is among the arguments. */
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

    /** Sets values in the user's file, except those that apply already, and returns that file. */
    public Path save(Map<String, String> values) throws IOException {
        Map<String, String> others = new TreeMap<>(values);
        settings.values().forEach(setting -> others.remove(setting.name(), setting.value()));
        userFile.save(others);
        return userFile.path();
    }
}
