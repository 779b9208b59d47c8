// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.config;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.stream.Collectors;

import org.treehaul.core.fs.PrivateFiles;
import org.treehaul.core.state.AtomicFiles;

/** A settings file. Each character represents a byte, so that values may be paths of any bytes. */
final class ConfigFile {

    private final Path path;

    ConfigFile(Path path) {
        this.path = path;
    }

    Path path() {
        return path;
    }

    /**
     * Reads the settings; empty if the file does not exist or cannot be read, so that no file stops a command.
     *
     * @param known the names of settings
     * @param warnings takes a message if the file cannot be read, and one for each line that is not a known setting
     */
    SettingsText read(Collection<String> known, Consumer<String> warnings) {
        List<String> lines = List.of();
        try {
            lines = lines();
        } catch (IOException e) {
            warnings.accept(
                    "the settings in " + path + " cannot be read and have no effect: " + PrivateFiles.reason(e));
        }
        return SettingsText.read(lines, path.toString(), known, warnings);
    }

    /**
     * Changes the values of some settings, and returns whether that changed the file, which is replaced atomically.
     *
     * @param preset the preset to which the settings belong; empty for settings that always apply
     * @param values the new values; an empty list removes a setting
     * @throws IOException if the file cannot be read or written; it is unchanged
     */
    boolean change(String preset, Map<String, List<String>> values) throws IOException {
        List<String> lines = lines();
        List<String> changed = SettingsText.change(lines, preset, values);
        if (changed.equals(lines)) {
            return false;
        }
        write(changed);
        return true;
    }

    private List<String> lines() throws IOException {
        // The file also counts as missing if the user may not read the home directory that the environment names.
        if (!Files.exists(path)) {
            return List.of();
        }
        try {
            return Files.readAllLines(path, StandardCharsets.ISO_8859_1);
        } catch (NoSuchFileException e) {
            return List.of();
        }
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
