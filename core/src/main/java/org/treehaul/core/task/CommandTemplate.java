// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.task;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.annotation.Api;
import org.treehaul.core.annotation.Internal;
import org.treehaul.core.entry.ByteString;

/**
 * A command with places for paths, as GNU parallel has them: {@code {}} is the path, {@code {/}} its last name,
 * {@code {//}} its directory, {@code {.}} the path without the extension, {@code {/.}} the last name without the
 * extension. {@code {@}} is the path of a file that lists many paths, each ended by NUL. Without a place the path
 * follows the last word. A task that divides files has three further places: {@code {offset}} and {@code {length}} are
 * the range in bytes, {@code {segment}} is its number. No shell reads the words. Immutable.
 *
 * @param words the program and its arguments
 */
@Api
public record CommandTemplate(List<ByteString> words) implements TaskBody {

    private static final List<String> PLACES = List.of("{}", "{/}", "{//}", "{.}", "{/.}");
    private static final String LIST = "{@}";
    private static final List<String> RANGES = List.of("{offset}", "{length}", "{segment}");
    private static final int LONGEST_PLACE = "{segment}".length();

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

    @Override
    public boolean takesList() {
        return contains(words, List.of(LIST));
    }

    /** Returns whether the command has a place for the range of a segment. */
    @Override
    public boolean takesSegment() {
        return contains(words, RANGES);
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
        return wordsFor(TaskInput.of(path));
    }

    /**
     * Returns the words of the command for an input. Without a segment, the places for its range are ordinary text.
     */
    @Internal
    public List<ByteString> wordsFor(TaskInput input) {
        byte[] path = input.path().toBytes();
        List<ByteString> all = new ArrayList<>(words.size() + 1);
        boolean isPlaced = false;
        for (ByteString word : words) {
            Filled filled = Filled.of(word.toBytes(), path, input.segment());
            isPlaced |= filled.hasPath;
            all.add(filled.hasPlace ? filled.word() : word);
        }
        if (!isPlaced) {
            all.add(input.path());
        }
        return all;
    }

    /** A word whose places are filled. */
    private static final class Filled {

        private final ByteArrayOutputStream out = new ByteArrayOutputStream();
        private boolean hasPlace;
        private boolean hasPath;

        static Filled of(byte[] word, byte[] path, @Nullable Segment segment) {
            Filled filled = new Filled();
            int copied = 0;
            for (int i = 0; i < word.length; i++) {
                String place = word[i] == '{' ? placeAt(word, i, segment != null) : "";
                if (!place.isEmpty()) {
                    filled.out.write(word, copied, i - copied);
                    filled.add(place, path, segment);
                    i += place.length() - 1;
                    copied = i + 1;
                }
            }
            filled.out.write(word, copied, word.length - copied);
            return filled;
        }

        private void add(String place, byte[] path, @Nullable Segment segment) {
            hasPlace = true;
            if (segment != null && RANGES.contains(place)) {
                out.writeBytes(range(place, segment));
            } else {
                hasPath = true;
                out.writeBytes(part(place, path));
            }
        }

        ByteString word() {
            return ByteString.of(out.toByteArray());
        }
    }

    private static byte[] range(String place, Segment segment) {
        long number = switch (place) {
            case "{offset}" -> segment.offset();
            case "{length}" -> segment.length();
            default -> segment.number();
        };
        return String.valueOf(number).getBytes(StandardCharsets.US_ASCII);
    }

    private static String placeAt(byte[] word, int at, boolean hasRanges) {
        int end = at + 1;
        while (end < word.length && end < at + LONGEST_PLACE && word[end] != '}') {
            end++;
        }
        if (end == word.length || word[end] != '}') {
            return "";
        }
        String text = new String(word, at, end + 1 - at, StandardCharsets.ISO_8859_1);
        return PLACES.contains(text) || text.equals(LIST) || hasRanges && RANGES.contains(text) ? text : "";
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
