// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.config;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;

import org.treehaul.cli.args.ExactArguments;
import org.treehaul.cli.args.ExactVariables;

/**
 * The settings that apply if an option is not given. A preset that the user names has precedence over a variable of the
 * environment, this over the user's file, and that over the site's. Immutable.
 */
public final class Configuration {

    /** The option that names a preset. */
    public static final String PRESET = "--preset";

    /** The possible settings: options that belong to a site or a user rather than to a single command. */
    private static final List<String> NAMES = List.of("batch-bytes", "batch-files", "batches", "bandwidth",
            "chunk-size", "color", "exclude", "exclude-from", "finish-queue", "finish-walltime", "fsync", "jobs",
            "locality", "max-running", "on-complete", "one-file-system", "plan-in-job", "post", "pre", "preserve",
            "progress", "progress-interval", "publish", "queue", "reflink", "requeue", "scheduler", "space", "sparse",
            "state-dir", "strategy", "threads", "verify", "walltime");

    private static final String STATE_DIRECTORY = "state-dir";

    private final Map<String, List<Setting>> settings;
    private final Map<String, Map<String, List<Setting>>> presets;
    private final List<String> warnings;
    private final ConfigFile userFile;

    private Configuration(Map<String, List<Setting>> settings, Map<String, Map<String, List<Setting>>> presets,
            List<String> warnings, ConfigFile userFile) {
        this.settings = settings;
        this.presets = presets;
        this.warnings = warnings;
        this.userFile = userFile;
    }

    /**
     * Reads the settings. The site's file is {@code /etc/treehaul/config} or the one named by TREEHAUL_SITE_CONFIG, the
     * user's is {@code treehaul/config} in XDG_CONFIG_HOME or {@code ~/.config}. A file that cannot be read is a
     * warning.
     *
     * @param environment the variables of the process
     */
    public static Configuration read(Map<String, String> environment) {
        ConfigFile site = new ConfigFile(variable(environment, "TREEHAUL_SITE_CONFIG", "/etc/treehaul/config"));
        ConfigFile user = new ConfigFile(userDirectory(environment) + "/treehaul/config");
        List<String> warnings = new ArrayList<>();
        Map<String, List<Setting>> settings = new TreeMap<>();
        Map<String, Map<String, List<Setting>>> presets = new TreeMap<>();
        for (ConfigFile file : List.of(site, user)) {
            SettingsText text = file.read(NAMES, warnings::add);
            settings.putAll(text.plain());
            text.presets()
                    .forEach((name, values) -> presets.computeIfAbsent(name, key -> new TreeMap<>()).putAll(values));
        }
        for (String name : NAMES) {
            String variable = variable(name);
            String value = ExactVariables.get(environment, variable);
            if (!value.isEmpty()) {
                settings.put(name, List.of(new Setting(name, value, variable, false)));
            }
        }
        return new Configuration(settings, presets, List.copyOf(warnings), user);
    }

    // An empty variable counts as unset.
    private static String variable(Map<String, String> environment, String name, String otherwise) {
        String value = ExactVariables.get(environment, name);
        return value.isEmpty() ? otherwise : value;
    }

    private static String userDirectory(Map<String, String> environment) {
        String configured = ExactVariables.get(environment, "XDG_CONFIG_HOME");
        // The XDG Base Directory Specification says that relative paths must be ignored.
        return configured.startsWith("/") ? configured : ExactVariables.home(environment) + "/.config";
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

    /** Returns a message for each file that could not be read, and for each line that is not a setting. */
    public List<String> warnings() {
        return warnings;
    }

    /** Returns the current settings, ordered by name; one that may be repeated has a value for each time. */
    public List<Setting> settings() {
        return valuesOf(settings);
    }

    // An empty value removes the setting of a place with less precedence.
    private static List<Setting> valuesOf(Map<String, List<Setting>> settings) {
        return settings.values().stream().flatMap(List::stream).filter(setting -> !setting.value().isEmpty()).toList();
    }

    /** Returns the settings of each preset, by the names of presets. */
    public Map<String, List<Setting>> presets() {
        Map<String, List<Setting>> all = new LinkedHashMap<>();
        presets.forEach((name, values) -> all.put(name, values.values().stream().flatMap(List::stream).toList()));
        return all;
    }

    /**
     * Returns the settings that apply with some presets, of which later ones have precedence.
     *
     * @throws IllegalArgumentException if there is no such preset; the message lists the presets
     */
    public Configuration with(List<String> names) {
        Map<String, List<Setting>> chosen = new TreeMap<>(settings);
        for (String name : names) {
            Map<String, List<Setting>> preset = presets.get(name);
            if (preset == null) {
                throw new IllegalArgumentException("there is no preset '" + ExactArguments.printable(name) + "'; "
                        + (presets.isEmpty()
                                ? "a section [preset NAME] of a settings file makes one: " + userFile.name()
                                : "the presets are " + ExactArguments.printable(String.join(", ", presets.keySet()))));
            }
            chosen.putAll(preset);
        }
        return new Configuration(chosen, presets, warnings, userFile);
    }

    /** Returns the values of an option, by its long name with the dashes, among the arguments, in their order. */
    public static List<String> valuesIn(String[] args, String option) {
        List<String> values = new ArrayList<>();
        for (int i = 1; i < args.length && !args[i].equals("--"); i++) {
            if (args[i].equals(option) && i + 1 < args.length) {
                i++;
                values.add(args[i]);
            } else if (args[i].startsWith(option + "=")) {
                values.add(args[i].substring(option.length() + 1));
            }
        }
        return values;
    }

    /** Returns whether a preset that the user named sets one of these. */
    public boolean isChosen(Collection<String> names) {
        return settings().stream().anyMatch(setting -> setting.isOfPreset() && names.contains(setting.name()));
    }

    /**
     * Returns the arguments with the settings inserted after the name of the command, so that given options come later
     * and have precedence.
     *
     * @param args the name of a command and its arguments
     * @param isWanted whether a setting applies to the command
     */
    public String[] complete(String[] args, Predicate<Setting> isWanted) {
        List<String> completed = new ArrayList<>(List.of(args));
        List<String> added = settings().stream()
                // The setting of a repeatable option must not be added to the given values.
                .filter(setting -> isWanted.test(setting) && !isGiven(args, "--" + setting.name()))
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
     * Sets a value in the user's file, and returns that file. A relative path becomes absolute.
     *
     * @param preset the preset to which the setting belongs; empty for a setting that always applies
     * @throws IllegalArgumentException if there is no such setting, the name of the preset has blanks, brackets or
     *         equals signs, or the value is not one line
     */
    public Path set(String preset, String name, String value) throws IOException {
        requireKnown(name);
        if (!preset.isEmpty() && !SettingsText.NAME.matcher(preset).matches()) {
            throw new IllegalArgumentException("the name of a preset has no blanks, brackets or equals signs, unlike '"
                    + ExactArguments.printable(preset) + "'");
        }
        if (value.chars().anyMatch(c -> c == '\n' || c == '\r')) {
            throw new IllegalArgumentException("the value of a setting must be one line");
        }
        userFile.change(preset, Map.of(name, List.of(PathSettings.absolute(name, value))));
        return userFile.path();
    }

    /**
     * Removes a setting from the user's file, and returns whether it was there.
     *
     * @param preset the preset to which the setting belongs; empty for a setting that always applies
     * @throws IllegalArgumentException if there is no such setting, and the file has no line for it either
     */
    public boolean unset(String preset, String name) throws IOException {
        boolean isRemoved = !name.isBlank() && userFile.change(preset, Map.of(name, List.of()));
        if (!isRemoved) {
            requireKnown(name);
        }
        return isRemoved;
    }

    /**
     * Requires that a setting exists.
     *
     * @throws IllegalArgumentException if there is no such setting
     */
    public static void requireKnown(String name) {
        if (!NAMES.contains(name)) {
            throw new IllegalArgumentException(
                    "there is no setting '" + ExactArguments.printable(name) + "'" + SettingsText.remedy(name, NAMES));
        }
    }

    /**
     * Sets values in the user's file, except those that apply already, and returns that file. Relative paths become
     * absolute.
     */
    public Path save(Map<String, String> values) throws IOException {
        Map<String, List<String>> others = new TreeMap<>();
        values.forEach((name, value) -> others.put(name, List.of(value)));
        settings().forEach(setting -> others.remove(setting.name(), List.of(setting.value())));
        others.replaceAll((name, value) -> List.of(PathSettings.absolute(name, value.getFirst())));
        userFile.change("", others);
        return userFile.path();
    }
}
