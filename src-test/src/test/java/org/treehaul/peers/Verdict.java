// SPDX-License-Identifier: Apache-2.0
package org.treehaul.peers;

import java.util.List;

/**
 * The verdict on a case.
 *
 * @param grade how bad the result is
 * @param text a few words
 * @param detail a longer explanation, or empty
 */
record Verdict(Grade grade, String text, String detail) {

    /** The grades from the best to the worst. */
    enum Grade {
        /** The tool did everything possible, and reported the rest. */
        RIGHT,
        /** The case was not run; the verdict gives the reason. */
        NOT_RUN,
        /** Something is wrong, and the exit code shows it. */
        TOLD,
        /** Something is wrong without a report; or the tool never ends, or dies. */
        BAD
    }

    /** The exit code that a case expects. */
    enum Expected {
        /** Everything can be copied: 0. */
        DONE,
        /** Some entries cannot be copied: not 0. */
        TOLD,
        /** Any code, as long as the copy is right. */
        EITHER
    }

    static Verdict notRun(String why) {
        return new Verdict(Grade.NOT_RUN, "–", why);
    }

    /**
     * Judges the differences together with the tool's exit code. A difference that begins with {@code !} is damage,
     * which no exit code excuses.
     */
    static Verdict of(Expected expected, Outcome outcome, List<String> wrongs) {
        if (outcome.timedOut()) {
            return new Verdict(Grade.BAD, "hangs", "was killed after " + Trial.LONGEST.toSeconds() + " s");
        }
        int code = outcome.code();
        if (!outcome.killedOnPurpose() && code > 128 && code < 160) {
            return new Verdict(Grade.BAD, "dies of signal " + (code - 128), outcome.said());
        }
        boolean told = code != 0;
        if (!wrongs.isEmpty()) {
            String first = wrongs.getFirst().replaceFirst("^!", "");
            boolean harm = wrongs.stream().anyMatch(wrong -> wrong.startsWith("!"));
            if (!told || outcome.killedOnPurpose()) {
                return new Verdict(Grade.BAD, (outcome.killedOnPurpose() ? "" : "exit 0: ") + first, rest(wrongs, ""));
            }
            return new Verdict(harm ? Grade.BAD : Grade.TOLD, "exit " + code + ": " + first,
                    rest(wrongs, outcome.said()));
        }
        if (expected == Expected.DONE && told && !outcome.killedOnPurpose()) {
            return new Verdict(Grade.TOLD, "nothing wrong, but exit " + code, outcome.said());
        }
        if (expected == Expected.TOLD && !told) {
            return new Verdict(Grade.BAD, "exit 0", outcome.said());
        }
        return new Verdict(Grade.RIGHT, told && !outcome.killedOnPurpose() ? "reported, exit " + code : "right", "");
    }

    private static String rest(List<String> wrongs, String said) {
        String rest = String.join("; ", wrongs.subList(1, wrongs.size()));
        return rest + (rest.isEmpty() || said.isEmpty() ? "" : "; ") + said;
    }
}
