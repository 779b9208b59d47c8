// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.condition;

import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;

/**
 * The surroundings on which the meaning of conditions depends.
 *
 * @param accounts resolves the names of users and groups
 * @param clock the current time, from which ages are counted; its zone applies to dates without one
 * @param files reads the times of the files that {@code newer-than} names
 * @param isIndex whether the entries are those of an index, which have absolute paths and a few more fields; else those
 *        of live trees, whose paths begin with the roots as the user gave them
 */
public record ConditionContext(Accounts accounts, Clock clock, FileTimes files, boolean isIndex) {

    /** Returns the surroundings of an index, with the accounts and the clock of this machine. */
    public static ConditionContext ofIndex(FileTimes files) {
        return new ConditionContext(Accounts.system(), new SystemClock(), files, true);
    }

    /** Returns the surroundings of live trees, with the accounts and the clock of this machine. */
    public static ConditionContext ofTrees(FileTimes files) {
        return new ConditionContext(Accounts.system(), new SystemClock(), files, false);
    }

    // Determining the time zone opens every jar of the class path, and few conditions need it.
    private static final class SystemClock extends Clock {

        @Override
        public ZoneId getZone() {
            return ZoneId.systemDefault();
        }

        @Override
        public Clock withZone(ZoneId zone) {
            return Clock.system(zone);
        }

        @Override
        public Instant instant() {
            return Instant.now();
        }
    }
}
