// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.config;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Predicate;

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
     * Reads the settings; empty if the file does not exist.
     *
     * @throws IllegalArgumentException if the file cannot be read or parsed; the message names file and line
     */
    Map<String, Setting> read(Predicate<String> isKnown) {
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
                throw new IllegalArgumentException(origin + ": '" + line + "' is not a setting; write NAME = VALUE");
            }
            if (!isKnown.test(name)) {
                throw new IllegalArgumentException(
                        origin + ": there is no setting '" + name + "'; 'treehaul config show --all' lists them");
            }
            settings.put(name, new Setting(name, line.substring(equals + 1).strip(), origin));
        }
        return settings;
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
            int equals = line.indexOf('=');
            String name = equals < 0 || line.strip().startsWith("#") ? "" : line.substring(0, equals).strip();
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
        // A link to a file elsewhere stays a link.
        Path target = Files.exists(path) ? path.toRealPath() : path;
        // Private, as the XDG Base Directory Specification requires: a user with write access here can choose the
        // commands that jobs run.
        PrivateFiles.makeDirectories(Objects.requireNonNull(target.toAbsolutePath().getParent()));
        AtomicFiles.replace(target.toAbsolutePath(), false,
                (String.join("\n", saved) + "\n").getBytes(StandardCharsets.ISO_8859_1));
    }
}
