// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.config;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.treehaul.cli.args.ExactArguments;
import org.treehaul.cli.args.Suggestions;

/**
 * The settings in the lines of a file: {@code NAME = VALUE}; {@code #} begins a comment line. Lines that follow
 * {@code [preset NAME]} belong to that preset.
 *
 * @param plain the settings that always apply, by name; only settings that {@link #REPEATED} names may have several
 *        values
 * @param presets the settings of each preset
 */
record SettingsText(Map<String, List<Setting>> plain, Map<String, Map<String, List<Setting>>> presets) {

    /** Settings that may be given several times; of other settings the last line counts. */
    static final Set<String> REPEATED = Set.of("exclude", "exclude-from");

    /** The name of a preset. */
    static final Pattern NAME = Pattern.compile("[^\\s\\[\\]=]+");

    private static final Pattern HEADER = Pattern.compile("\\[\\s*preset\\s+(" + NAME + ")\\s*\\]");

    /**
     * Reads lines. A line that is not a known setting has no effect, so that a typing error, or a setting of a newer
     * version, stops no command.
     *
     * @param file the name of the file, for messages and origins
     * @param known the names of settings
     * @param warnings takes a message for each such line, with the file, the line and the nearest setting
     */
    static SettingsText read(List<String> lines, String file, Collection<String> known, Consumer<String> warnings) {
        SettingsText text = new SettingsText(new LinkedHashMap<>(), new TreeMap<>());
        Map<String, List<Setting>> section = text.plain;
        boolean isOfPreset = false;
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i).strip();
            String origin = file + ":" + (i + 1);
            if (line.isEmpty() || line.startsWith("#")) {
                continue;
            }
            if (isHeader(line)) {
                Optional<String> preset = preset(line);
                isOfPreset = true;
                section = preset.isPresent()
                        ? text.presets.computeIfAbsent(preset.get(), name -> new LinkedHashMap<>())
                        : new LinkedHashMap<>();
                if (preset.isEmpty()) {
                    warnings.accept(origin + ": ignored '" + ExactArguments.printable(line)
                            + "' and the settings below it: a section begins with [preset NAME]");
                }
                continue;
            }
            int equals = line.indexOf('=');
            String name = name(line);
            if (equals < 0) {
                warnings.accept(origin + ": ignored '" + ExactArguments.printable(line) + "': write NAME = VALUE");
            } else if (!known.contains(name)) {
                warnings.accept(origin + ": ignored the unknown setting '" + ExactArguments.printable(name) + "'"
                        + remedy(name, known));
            } else {
                List<Setting> values = section.computeIfAbsent(name, key -> new ArrayList<>());
                if (!REPEATED.contains(name)) {
                    values.clear();
                }
                values.add(new Setting(name, line.substring(equals + 1).strip(), origin, isOfPreset));
            }
        }
        return text;
    }

    /** Returns the end of a message about an unknown setting. */
    static String remedy(String name, Collection<String> known) {
        List<String> near = Suggestions.near(name, known);
        return near.isEmpty()
                ? "; 'treehaul config show --all' lists all settings"
                : "; did you mean '" + String.join("' or '", near) + "'?";
    }

    private static boolean isHeader(String line) {
        return line.strip().startsWith("[");
    }

    private static Optional<String> preset(String line) {
        Matcher header = HEADER.matcher(line.strip());
        return header.matches() ? Optional.of(header.group(1)) : Optional.empty();
    }

    private static String name(String line) {
        int equals = line.indexOf('=');
        return equals < 0 || line.strip().startsWith("#") ? "" : line.substring(0, equals).strip();
    }

    /**
     * Returns the lines with new values in one section; other lines stay unchanged.
     *
     * @param preset the preset whose section it is; empty for the settings that always apply
     * @param values the new values by the names of settings; an empty list removes a setting
     */
    static List<String> change(List<String> lines, String preset, Map<String, List<String>> values) {
        Map<String, List<String>> left = new TreeMap<>(values);
        List<String> changed = new ArrayList<>();
        String section = "";
        int end = preset.isEmpty() ? 0 : -1;
        for (String line : lines) {
            if (isHeader(line)) {
                section = preset(line).orElse("[");
            }
            if (section.equals(preset) && values.containsKey(name(line))) {
                List<String> replacing = left.remove(name(line));
                changed.addAll(replacing == null ? List.of() : lines(name(line), replacing));
            } else {
                changed.add(line);
            }
            if (section.equals(preset) && !line.isBlank()) {
                end = changed.size();
            }
        }
        List<String> added = new ArrayList<>();
        left.forEach((name, texts) -> added.addAll(lines(name, texts)));
        if (end < 0 && !added.isEmpty()) {
            added.addFirst("[preset " + preset + "]");
            if (!changed.isEmpty()) {
                added.addFirst("");
            }
        }
        changed.addAll(end < 0 ? changed.size() : end, added);
        return changed;
    }

    private static List<String> lines(String name, List<String> values) {
        return values.stream().map(value -> name + " = " + value).toList();
    }
}
