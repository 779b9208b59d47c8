// SPDX-License-Identifier: Apache-2.0
package org.treehaul.peers;

import java.util.List;

/**
 * What became of a case.
 *
 * @param grade how bad it is
 * @param text a few words
 * @param detail more of them, or nothing
 */
record Verdict(Grade grade, String text, String detail) {

    /** From the best to the worst. */
    enum Grade {
        /** All that could be done was done, and what could not was told. */
        RIGHT,
        /** Not tried, and why. */
        NOT_RUN,
        /** Something is wrong, and the exit code says so. */
        TOLD,
        /** Something is wrong, and nobody is told; or the tool never ends, or dies. */
        BAD
    }

    /** What a case expects of the exit code. */
    enum Expected {
        /** All can be copied: 0. */
        DONE,
        /** Not all can be copied: not 0. */
        TOLD,
        /** Either, as long as the rest is right. */
        EITHER
    }

    static Verdict notRun(String why) {
        return new Verdict(Grade.NOT_RUN, "–", why);
    }

    /**
     * Weighs what was found wrong against what the tool said. A wrong that begins with {@code !} is harm done, which no
     * exit code undoes.
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
        return new Verdict(Grade.RIGHT, told && !outcome.killedOnPurpose() ? "told, exit " + code : "right", "");
    }

    private static String rest(List<String> wrongs, String said) {
        String rest = String.join("; ", wrongs.subList(1, wrongs.size()));
        return rest + (rest.isEmpty() || said.isEmpty() ? "" : "; ") + said;
    }
}
