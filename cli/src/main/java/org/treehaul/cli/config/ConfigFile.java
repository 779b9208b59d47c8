// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.config;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Collectors;

import org.treehaul.cli.args.ExactArguments;
import org.treehaul.cli.args.Suggestions;
import org.treehaul.core.fs.PrivateFiles;
import org.treehaul.core.state.AtomicFiles;

/**
 * A settings file: {@code name = value} on each line; {@code #} begins a comment line. Each character represents a
 * byte, so that values may be paths of any bytes.
 */
final class ConfigFile {

    private final Path path;

    ConfigFile(Path path) {
        this.path = path;
    }

    Path path() {
        return path;
    }

    /**
     * Reads the settings; empty if the file does not exist. A line that is not a known setting has no effect, so that a
     * typing error, or a setting of a newer version, stops no command.
     *
     * @param known the names of settings
     * @param warnings takes a message for each such line, with the file, the line and the nearest setting
     * @throws IllegalArgumentException if the file cannot be read
     */
    Map<String, Setting> read(Collection<String> known, Consumer<String> warnings) {
        Map<String, Setting> settings = new LinkedHashMap<>();
        List<String> lines = lines();
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i).strip();
            String origin = path + ":" + (i + 1);
            if (line.isEmpty() || line.startsWith("#")) {
                continue;
            }
            int equals = line.indexOf('=');
            String name = equals < 0 ? line : line.substring(0, equals).strip();
            if (equals < 0) {
                warnings.accept(origin + ": ignored '" + printable(line) + "': write NAME = VALUE");
                continue;
            }
            if (!known.contains(name)) {
                warnings.accept(
                        origin + ": ignored the unknown setting '" + printable(name) + "'" + remedy(name, known));
                continue;
            }
            settings.put(name, new Setting(name, line.substring(equals + 1).strip(), origin));
        }
        return settings;
    }

    /** Returns the end of a message about an unknown setting. */
    static String remedy(String name, Collection<String> known) {
        List<String> near = Suggestions.near(name, known);
        return near.isEmpty()
                ? "; 'treehaul config show --all' lists all settings"
                : "; did you mean '" + String.join("' or '", near) + "'?";
    }

    private static String printable(String text) {
        return ExactArguments.printable(text);
    }

    /** Removes the lines of a setting, and returns whether there were any. */
    boolean remove(String name) throws IOException {
        List<String> lines = lines();
        List<String> kept = lines.stream().filter(line -> !name(line).equals(name)).toList();
        if (kept.size() < lines.size()) {
            write(kept);
        }
        return kept.size() < lines.size();
    }

    private static String name(String line) {
        int equals = line.indexOf('=');
        return equals < 0 || line.strip().startsWith("#") ? "" : line.substring(0, equals).strip();
    }

    private List<String> lines() {
        // The file also counts as missing if the user may not read the home directory that the environment names.
        if (!Files.exists(path)) {
            return List.of();
        }
        try {
            return Files.readAllLines(path, StandardCharsets.ISO_8859_1);
        } catch (NoSuchFileException e) {
            return List.of();
        } catch (IOException e) {
            throw new IllegalArgumentException("cannot read the settings in " + path + ": " + e, e);
        }
    }

    /** Sets some values; other lines stay unchanged. The file is replaced atomically. */
    void save(Map<String, String> values) throws IOException {
        Map<String, String> left = new TreeMap<>(values);
        List<String> saved = new ArrayList<>();
        for (String line : lines()) {
            String name = name(line);
            if (values.containsKey(name)) {
                String value = left.remove(name);
                if (value != null) {
                    saved.add(name + " = " + value);
                }
            } else {
                saved.add(line);
            }
        }
        left.forEach((name, value) -> saved.add(name + " = " + value));
        write(saved);
    }

    private void write(List<String> saved) throws IOException {
        // A link to a file elsewhere stays a link.
        Path target = Files.exists(path) ? path.toRealPath() : path;
        // Private, as the XDG Base Directory Specification requires: a user with write access here can choose the
        // commands that jobs run.
        PrivateFiles.makeDirectories(Objects.requireNonNull(target.toAbsolutePath().getParent()));
        AtomicFiles.replace(target.toAbsolutePath(), false,
                saved.stream()
                        .map(line -> line + "\n")
                        .collect(Collectors.joining())
                        .getBytes(StandardCharsets.ISO_8859_1));
    }
}
