// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.task;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.annotation.Api;
import org.treehaul.core.entry.ByteString;

/**
 * A command with places for paths, as GNU parallel has them: {@code {}} is the path, {@code {/}} its last name,
 * {@code {//}} its directory, {@code {.}} the path without the extension, {@code {/.}} the last name without the
 * extension. {@code {@}} is the path of a file that lists many paths, each ended by NUL. Without a place the path
 * follows the last word. No shell reads the words. Immutable.
 *
 * @param words the program and its arguments
 */
@Api
public record CommandTemplate(List<ByteString> words) {

    private static final List<String> PLACES = List.of("{}", "{/}", "{//}", "{.}", "{/.}");
    private static final String LIST = "{@}";

    /**
     * Checks the words.
     *
     * @throws IllegalArgumentException if there is no word, the first is empty, a word contains NUL, or a list and
     *         single paths are both asked for
     */
    public CommandTemplate {
        words = List.copyOf(words);
        if (words.isEmpty() || words.getFirst().length() == 0) {
            throw new IllegalArgumentException("no command is given");
        }
        for (ByteString word : words) {
            if (text(word).indexOf('\0') >= 0) {
                throw new IllegalArgumentException("a word of the command contains NUL: '" + word + "'");
            }
        }
        if (contains(words, List.of(LIST)) && contains(words, PLACES)) {
            throw new IllegalArgumentException("{@}, a list of paths, cannot be combined with {} and its parts");
        }
    }

    private static boolean contains(List<ByteString> words, List<String> places) {
        return words.stream().map(CommandTemplate::text).anyMatch(word -> places.stream().anyMatch(word::contains));
    }

    // Each byte is a character.
    private static String text(ByteString word) {
        return new String(word.toBytes(), StandardCharsets.ISO_8859_1);
    }

    /** Returns whether the command takes the path of a list in place of single paths. */
    public boolean takesList() {
        return contains(words, List.of(LIST));
    }

    /** Returns whether the program itself depends on the path. */
    public boolean hasPlaceInProgram() {
        return contains(words.subList(0, 1), PLACES) || contains(words.subList(0, 1), List.of(LIST));
    }

    /**
     * Returns the words of the command for a path, or for a list.
     *
     * @param path the path of the entry; of the list if the command {@linkplain #takesList takes one}
     */
    public List<ByteString> wordsFor(ByteString path) {
        List<ByteString> all = new ArrayList<>(words.size() + 1);
        boolean isPlaced = false;
        for (ByteString word : words) {
            ByteString filled = filled(word.toBytes(), path.toBytes());
            isPlaced |= filled != null;
            all.add(filled == null ? word : filled);
        }
        if (!isPlaced) {
            all.add(path);
        }
        return all;
    }

    // Returns null for a word without a place.
    private static @Nullable ByteString filled(byte[] word, byte[] path) {
        ByteArrayOutputStream out = null;
        int copied = 0;
        for (int i = 0; i < word.length; i++) {
            String place = word[i] == '{' ? placeAt(word, i) : "";
            if (!place.isEmpty()) {
                out = out == null ? new ByteArrayOutputStream(word.length + path.length) : out;
                out.write(word, copied, i - copied);
                out.writeBytes(part(place, path));
                i += place.length() - 1;
                copied = i + 1;
            }
        }
        if (out == null) {
            return null;
        }
        out.write(word, copied, word.length - copied);
        return ByteString.of(out.toByteArray());
    }

    private static String placeAt(byte[] word, int at) {
        int end = at + 1;
        while (end < word.length && end < at + 4 && word[end] != '}') {
            end++;
        }
        if (end == word.length || word[end] != '}') {
            return "";
        }
        String text = new String(word, at, end + 1 - at, StandardCharsets.ISO_8859_1);
        return PLACES.contains(text) || text.equals(LIST) ? text : "";
    }

    private static byte[] part(String place, byte[] path) {
        int end = path.length;
        while (end > 1 && path[end - 1] == '/') {
            end--;
        }
        int name = end;
        while (name > 0 && path[name - 1] != '/') {
            name--;
        }
        if (name == end) {
            // The path is /.
            return path;
        }
        return switch (place) {
            case "{/}" -> cut(path, name, end);
            case "{//}" -> directory(path, name);
            case "{.}" -> cut(path, 0, extension(path, name, end));
            case "{/.}" -> cut(path, name, extension(path, name, end));
            default -> path;
        };
    }

    private static byte[] directory(byte[] path, int name) {
        if (name == 0) {
            return new byte[]{'.'};
        }
        int end = name;
        while (end > 1 && path[end - 1] == '/') {
            end--;
        }
        return cut(path, 0, end);
    }

    // A name such as .profile has no extension.
    private static int extension(byte[] path, int name, int end) {
        for (int i = end - 1; i > name; i--) {
            if (path[i] == '.') {
                return i;
            }
        }
        return end;
    }

    private static byte[] cut(byte[] path, int from, int to) {
        return Arrays.copyOfRange(path, from, to);
    }
}
