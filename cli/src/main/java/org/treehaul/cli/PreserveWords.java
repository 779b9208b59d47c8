// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

import org.treehaul.cli.args.Abbreviations;
import org.treehaul.core.copy.Preserve;

/**
 * What a copy carries over, put together from the options of cp in the order they were given: each adds or takes away.
 */
final class PreserveWords {

    /** The words of cp for {@code -p}. */
    static final String USUAL = "mode,ownership,timestamps";

    private static final List<String> OF_GNU_CP = List.of("mode", "timestamps", "ownership", "links", "context",
            "xattr", "all");
    private static final List<String> WORDS = Stream.concat(OF_GNU_CP.stream(), Stream.of("acl")).toList();

    private final Set<Preserve> preserved = EnumSet.noneOf(Preserve.class);
    private boolean newModes;
    private final Set<Preserve> required = EnumSet.noneOf(Preserve.class);

    /**
     * Adds what a list names. What is named by its own word must succeed; what comes with {@code all} is carried over
     * where that is possible.
     *
     * @throws IllegalArgumentException when a word is not known; the message says which words are
     */
    void add(String list) {
        for (String given : list.split(",", -1)) {
            String word = word(given, "--preserve");
            Set<Preserve> meant = meaning(word, "--preserve");
            preserved.addAll(meant);
            newModes &= !meant.contains(Preserve.MODE);
            if (!word.equals("all")) {
                required.addAll(meant);
            }
        }
    }

    /** Adds what a short option stands for; as with cp it is no error where that cannot be carried over. */
    void addWherePossible(String list) {
        for (String word : list.split(",", -1)) {
            preserved.addAll(meaning(word, "--preserve"));
        }
    }

    /**
     * Takes away what a list names.
     *
     * @throws IllegalArgumentException when a word is not known
     */
    void remove(String list) {
        for (String word : list.split(",", -1)) {
            Set<Preserve> meant = meaning(word(word, "--no-preserve"), "--no-preserve");
            preserved.removeAll(meant);
            newModes |= meant.contains(Preserve.MODE);
            required.removeAll(meant);
        }
    }

    private static String word(String given, String option) {
        boolean isKnown = WORDS.stream().anyMatch(word -> !given.isEmpty() && word.startsWith(given));
        return isKnown ? Abbreviations.word(option, given, WORDS, OF_GNU_CP) : given;
    }

    private static Set<Preserve> meaning(String word, String option) {
        return switch (word) {
            // As with cp an ACL belongs to the mode: its mask is the mode's group bits.
            case "mode" -> EnumSet.of(Preserve.MODE, Preserve.ACL);
            case "ownership" -> EnumSet.of(Preserve.OWNERSHIP);
            case "timestamps" -> EnumSet.of(Preserve.TIMESTAMPS);
            case "links" -> EnumSet.of(Preserve.LINKS);
            case "xattr" -> EnumSet.of(Preserve.XATTR);
            case "acl" -> EnumSet.of(Preserve.ACL);
            case "all" -> EnumSet.allOf(Preserve.class);
            case "context" -> throw new IllegalArgumentException(
                    option + ": SELinux contexts are not carried over; leave out 'context'");
            default -> throw new IllegalArgumentException(option + ": unknown word '" + word
                    + "'; there are mode, ownership, timestamps, links, xattr, acl and all");
        };
    }

    /** Whether modes were refused by name, so that not even those under the umask are taken over. */
    boolean newModes() {
        return newModes;
    }

    Set<Preserve> preserved() {
        return preserved;
    }

    Set<Preserve> required() {
        return required;
    }
}
