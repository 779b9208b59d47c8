// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.args;

import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/**
 * Time limits of jobs as Slurm's {@code --time} accepts them, except that two numbers are hours and minutes. The same
 * applies to PBS, so a single number is minutes there too.
 */
public final class Walltime {

    private static final Pattern CLOCK = Pattern.compile("(?:(\\d+)-)?(?:(\\d+):)?(\\d+)(?::(\\d{2}))?");

    private Walltime() {}

    /**
     * Returns the time limit in a text.
     *
     * @return at least a minute and less than ten years
     * @throws IllegalArgumentException if it is none; the message says what the text must be
     */
    public static Duration parse(String text) {
        Matcher clock = CLOCK.matcher(text);
        if (!clock.matches() || clock.group(1) != null && clock.group(2) == null && clock.group(4) != null) {
            throw malformed(text);
        }
        Duration limit;
        try {
            limit = Duration.ofDays(number(clock.group(1)));
            boolean isDaysAndHours = clock.group(1) != null && clock.group(2) == null;
            boolean hasHours = clock.group(2) != null;
            if (hasHours && number(clock.group(3)) > 59 || number(clock.group(4)) > 59) {
                throw malformed(text);
            }
            limit = isDaysAndHours
                    ? limit.plusHours(number(clock.group(3)))
                    : limit.plusHours(number(clock.group(2)))
                            .plusMinutes(number(clock.group(3)))
                            .plusSeconds(number(clock.group(4)));
        } catch (NumberFormatException | ArithmeticException e) {
            throw malformed(text);
        }
        if (limit.compareTo(Duration.ofMinutes(1)) < 0 || limit.compareTo(Duration.ofDays(3650)) > 0) {
            throw new IllegalArgumentException("must be at least a minute and less than ten years, not '" + text + "'");
        }
        return limit;
    }

    private static IllegalArgumentException malformed(String text) {
        return new IllegalArgumentException("must be minutes, H:MM, H:MM:SS or D-HH:MM, not '" + text + "'");
    }

    private static long number(@Nullable String digits) {
        return digits == null ? 0 : Long.parseLong(digits);
    }
}
