// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.help;

import java.util.List;

/**
 * The values of an option or operand.
 *
 * @param kind the kind of value
 * @param words the possible values; for transfers, the words that are not ids
 */
public record Values(Kind kind, List<String> words) {

    /** A kind of value. */
    public enum Kind {
        /** A path. */
        FILE,
        /** The path of a directory. */
        DIRECTORY,
        /** One of the words. */
        WORD,
        /** Some of the words, separated by commas. */
        LIST,
        /** The beginning of a condition, which continues after the word. */
        CONDITION,
        /** A transfer. */
        TRANSFER,
        /** A preset of the settings. */
        PRESET,
        /** Text or a number, which cannot be completed. */
        TEXT
    }

    static final Values FILE = new Values(Kind.FILE, List.of());
    static final Values DIRECTORY = new Values(Kind.DIRECTORY, List.of());
    static final Values PRESET = new Values(Kind.PRESET, List.of());
    static final Values TEXT = new Values(Kind.TEXT, List.of());

    /** Copies the words. */
    public Values {
        words = List.copyOf(words);
    }

    static Values words(String... words) {
        return new Values(Kind.WORD, List.of(words));
    }

    static Values list(String... words) {
        return new Values(Kind.LIST, List.of(words));
    }

    static Values transfers(String... words) {
        return new Values(Kind.TRANSFER, List.of(words));
    }

    /** Returns the words, separated by blanks. */
    String text() {
        return String.join(" ", words);
    }
}
