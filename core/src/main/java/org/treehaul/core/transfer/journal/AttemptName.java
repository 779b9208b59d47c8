// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer.journal;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Identifies an attempt at a batch, or at finishing.
 *
 * @param batch the number of the batch; in finishing the generation
 * @param number 1 for the first attempt
 */
public record AttemptName(int batch, int number) {

    private static final String SUFFIX = ".journal";
    private static final Pattern FORM = Pattern.compile("(\\d{1,9})\\.(\\d{1,9})\\.journal");

    static Optional<AttemptName> of(String fileName) {
        Matcher matcher = FORM.matcher(fileName);
        return matcher.matches()
                ? Optional.of(new AttemptName(Integer.parseInt(matcher.group(1)), Integer.parseInt(matcher.group(2))))
                : Optional.empty();
    }

    boolean isOf(JournalRecord.Header header) {
        return header.batch() == batch && header.attempt() == number;
    }

    public AttemptName next() {
        return new AttemptName(batch, number + 1);
    }

    String journal() {
        return this + SUFFIX;
    }

    @Override
    public String toString() {
        return batch + "." + number;
    }
}
