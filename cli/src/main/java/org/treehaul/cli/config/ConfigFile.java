// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.config;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;
import org.treehaul.cli.args.ExactArguments;
import org.treehaul.cli.common.ByteFiles;
import org.treehaul.cli.common.Texts;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.fs.PrivateFiles;
import org.treehaul.core.state.AtomicFiles;

/** A settings file. Each character represents a byte, so that values may be paths of any bytes. */
final class ConfigFile {

    // As many as Linux follows, path_resolution(7).
    private static final int MOST_LINKS = 40;

    private final String name;
    // Null if the locale cannot express the name.
    private final @Nullable Path path;

    /** Makes a file of a name in which each character represents a byte. */
    ConfigFile(String name) {
        this.name = name;
        path = pathOf(name);
    }

    private static @Nullable Path pathOf(String name) {
        try {
            return Texts.path(name);
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    /** Returns the name of the file, for messages. */
    String name() {
        return path == null ? ExactArguments.printable(name) : path.toString();
    }

    /**
     * Returns the path.
     *
     * @throws IOException if the locale has no such path
     */
    Path path() throws IOException {
        if (path == null) {
            throw new IOException("the path is no text in this locale; set LC_ALL, for example to C.UTF-8");
        }
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
                    "the settings in " + name() + " cannot be read and have no effect: " + PrivateFiles.reason(e));
        }
        return SettingsText.read(lines, name(), known, warnings);
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
        if (path == null) {
            return linesOfBytes(ByteString.of(ExactArguments.bytes(name)));
        }
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

    private static Path linked(Path file) throws IOException {
        Path target = file;
        for (int links = 0; Files.isSymbolicLink(target); links++) {
            if (links == MOST_LINKS) {
                throw new FileSystemException(file.toString(), null, "Too many levels of symbolic links");
            }
            target = target.resolveSibling(Files.readSymbolicLink(target));
        }
        return target;
    }

    private static List<String> linesOfBytes(ByteString file) throws IOException {
        try {
            if (ByteFiles.find(file).isEmpty()) {
                return List.of();
            }
        } catch (IOException e) {
            return List.of();
        }
        try (InputStream in = ByteFiles.open(file)) {
            return new String(in.readAllBytes(), StandardCharsets.ISO_8859_1).lines().toList();
        }
    }

    private void write(List<String> saved) throws IOException {
        // A link to a file elsewhere stays a link, also if that file does not exist yet.
        Path file = path();
        Path target = linked(file);
        if (target.equals(file)) {
            // Private, as the XDG Base Directory Specification requires: a user with write access here can choose the
            // commands that jobs run. The directories of a file elsewhere may be on a disk that is not mounted.
            PrivateFiles.makeDirectories(Objects.requireNonNull(target.toAbsolutePath().getParent()));
        }
        AtomicFiles.replace(target.toAbsolutePath(), false,
                saved.stream()
                        .map(line -> line + "\n")
                        .collect(Collectors.joining())
                        .getBytes(StandardCharsets.ISO_8859_1));
    }
}
