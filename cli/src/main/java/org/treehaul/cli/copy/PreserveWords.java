// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.copy;

import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

import org.treehaul.cli.args.Abbreviations;
import org.treehaul.core.copy.options.Preserve;

/** The attributes that a copy preserves, according to the options of cp in their order: each adds or removes some. */
final class PreserveWords {

    /** The words that {@code -p} represents in cp. */
    static final String USUAL = "mode,ownership,timestamps";

    private static final List<String> OF_GNU_CP = List.of("mode", "timestamps", "ownership", "links", "context",
            "xattr", "all");
    private static final List<String> WORDS = Stream.concat(OF_GNU_CP.stream(), Stream.of("acl")).toList();

    private static final Set<Preserve> NOT_IN_STAGES = EnumSet.of(Preserve.LINKS, Preserve.XATTR, Preserve.ACL);

    private final Set<Preserve> preserved = EnumSet.noneOf(Preserve.class);
    private final Set<Preserve> named = EnumSet.noneOf(Preserve.class);
    private boolean newModes;
    private final Set<Preserve> required = EnumSet.noneOf(Preserve.class);

    /**
     * Adds the attributes in a list. Those named by their own words must succeed; those included in {@code all} are
     * preserved where possible.
     *
     * @throws IllegalArgumentException if a word is unknown; the message lists the known ones
     */
    void add(String list) {
        for (String given : list.split(",", -1)) {
            String word = word(given, "--preserve");
            Set<Preserve> meant = meaning(word, "--preserve");
            preserved.addAll(meant);
            newModes &= !meant.contains(Preserve.MODE);
            if (!word.equals("all")) {
                required.addAll(meant);
                named.addAll(word.equals("mode") ? EnumSet.of(Preserve.MODE) : meant);
            }
        }
    }

    /** Adds the attributes that a short option represents; as in cp, failing to preserve them is not an error. */
    void addWherePossible(String list) {
        for (String word : list.split(",", -1)) {
            preserved.addAll(meaning(word, "--preserve"));
        }
    }

    /**
     * Removes the attributes in a list.
     *
     * @throws IllegalArgumentException if a word is unknown
     */
    void remove(String list) {
        for (String word : list.split(",", -1)) {
            Set<Preserve> meant = meaning(word(word, "--no-preserve"), "--no-preserve");
            preserved.removeAll(meant);
            newModes |= meant.contains(Preserve.MODE);
            required.removeAll(meant);
            named.removeAll(meant);
        }
    }

    private static String word(String given, String option) {
        boolean isKnown = WORDS.stream().anyMatch(word -> !given.isEmpty() && word.startsWith(given));
        return isKnown ? Abbreviations.word(option, given, WORDS, OF_GNU_CP) : given;
    }

    private static Set<Preserve> meaning(String word, String option) {
        return switch (word) {
            // As in cp, the mode includes the ACL, whose mask is the mode's group bits.
            case "mode" -> EnumSet.of(Preserve.MODE, Preserve.ACL);
            case "ownership" -> EnumSet.of(Preserve.OWNERSHIP);
            case "timestamps" -> EnumSet.of(Preserve.TIMESTAMPS);
            case "links" -> EnumSet.of(Preserve.LINKS);
            case "xattr" -> EnumSet.of(Preserve.XATTR);
            case "acl" -> EnumSet.of(Preserve.ACL);
            case "all" -> EnumSet.allOf(Preserve.class);
            case "context" -> throw new IllegalArgumentException(
                    option + ": SELinux contexts are not preserved; leave out 'context'");
            default -> throw new IllegalArgumentException(option + ": unknown word '" + word
                    + "'; use mode, ownership, timestamps, links, xattr, acl or all");
        };
    }

    /** Returns whether modes were excluded by name, so that the source's modes are not used even under the umask. */
    boolean newModes() {
        return newModes;
    }

    /** Returns an attribute that was requested by its own word, but that stages do not keep. */
    Optional<Preserve> beyondStages() {
        return named.stream().filter(NOT_IN_STAGES::contains).findFirst();
    }

    Set<Preserve> preserved() {
        return preserved;
    }

    Set<Preserve> required() {
        return required;
    }
}
