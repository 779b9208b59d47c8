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

import org.treehaul.cli.args.ExactArguments;

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

    private final List<String> warnings;

    private Configuration(Map<String, Setting> settings, List<String> warnings, ConfigFile userFile) {
        this.settings = settings;
        this.warnings = warnings;
        this.userFile = userFile;
    }

    /**
     * Reads the settings. The site's file is {@code /etc/treehaul/config} or the one named by TREEHAUL_SITE_CONFIG, the
     * user's is {@code treehaul/config} in XDG_CONFIG_HOME or {@code ~/.config}.
     *
     * @param environment the variables of the process
     * @throws IllegalArgumentException if a file cannot be read
     */
    public static Configuration read(Map<String, String> environment) {
        ConfigFile site = new ConfigFile(
                Path.of(environment.getOrDefault("TREEHAUL_SITE_CONFIG", "/etc/treehaul/config")));
        ConfigFile user = new ConfigFile(userDirectory(environment).resolve("treehaul/config"));
        List<String> warnings = new ArrayList<>();
        Map<String, Setting> settings = new TreeMap<>(site.read(NAMES, warnings::add));
        settings.putAll(user.read(NAMES, warnings::add));
        for (String name : NAMES) {
            String variable = variable(name);
            String value = environment.get(variable);
            if (value != null && !value.isEmpty()) {
                settings.put(name,
                        new Setting(name, new String(value.getBytes(TEXT), StandardCharsets.ISO_8859_1), variable));
            }
        }
        return new Configuration(settings, List.copyOf(warnings), user);
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

    /** Returns a message for each line of the files that is no setting and was ignored. */
    public List<String> warnings() {
        return warnings;
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

    /**
     * Sets a value in the user's file, and returns that file.
     *
     * @throws IllegalArgumentException if there is no such setting, or the value is not one line
     */
    public Path set(String name, String value) throws IOException {
        requireKnown(name);
        if (value.chars().anyMatch(c -> c == '\n' || c == '\r')) {
            throw new IllegalArgumentException("the value of a setting must be one line");
        }
        userFile.save(Map.of(name, value));
        return userFile.path();
    }

    /**
     * Removes a setting from the user's file, and returns whether it was there.
     *
     * @throws IllegalArgumentException if there is no such setting
     */
    public boolean unset(String name) throws IOException {
        requireKnown(name);
        return userFile.remove(name);
    }

    private static void requireKnown(String name) {
        if (!NAMES.contains(name)) {
            throw new IllegalArgumentException(
                    "there is no setting '" + ExactArguments.printable(name) + "'" + ConfigFile.remedy(name, NAMES));
        }
    }

    /** Sets values in the user's file, except those that apply already, and returns that file. */
    public Path save(Map<String, String> values) throws IOException {
        Map<String, String> others = new TreeMap<>(values);
        settings.values().forEach(setting -> others.remove(setting.name(), setting.value()));
        userFile.save(others);
        return userFile.path();
    }
}
