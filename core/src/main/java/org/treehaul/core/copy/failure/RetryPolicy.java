// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy.failure;

import java.util.function.BooleanSupplier;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.SystemCallException;

/** Decides whether the copy of a file that failed is tried again. Safe for any number of threads. */
public final class RetryPolicy {

    private static final int CHANGED_TRIES = 2;
    private static final int PASSING_TRIES = 4;

    private final BooleanSupplier freesDescriptors;

    /**
     * Creates a policy.
     *
     * @param freesDescriptors closes descriptors that are not in use, and returns whether there were any
     */
    public RetryPolicy(BooleanSupplier freesDescriptors) {
        this.freesDescriptors = freesDescriptors;
    }

    /** One attempt to copy an entry or its data. */
    public interface Attempt {

        /**
         * Tries once.
         *
         * @param tries the number of this try, from 1
         */
        void run(int tries)
                throws SystemCallException, TargetException, ChangedException, CorruptException, WithdrawnException;
    }

    /**
     * The end of an attempt without success.
     *
     * @param cause the error of the last try, or a {@link WithdrawnException}
     * @param tries the number of tries
     */
    public record Failure(Exception cause, int tries) {}

    /**
     * Runs an attempt until it succeeds, or until its error does not permit another one.
     *
     * @param triesBefore the number of earlier tries
     * @return null after success
     */
    @Nullable public Failure run(int triesBefore, Attempt attempt) {
        return run(triesBefore, attempt, cause -> true);
    }

    /** Does the same as {@link #run(int, Attempt)}, but tries again only after errors that the predicate accepts. */
    @Nullable public Failure run(int triesBefore, Attempt attempt, Predicate<Exception> mayRepeat) {
        for (int tries = triesBefore + 1;; tries++) {
            try {
                attempt.run(tries);
                return null;
            } catch (SystemCallException | TargetException | ChangedException | CorruptException
                    | WithdrawnException e) {
                if (!mayRepeat.test(e) || !mayRetry(e, tries)) {
                    return new Failure(e, tries);
                }
            }
        }
    }

    /**
     * Returns whether another try may succeed.
     *
     * @param tries the number of tries so far
     */
    public boolean mayRetry(Exception cause, int tries) {
        return switch (cause) {
            case ChangedException e -> tries < CHANGED_TRIES;
            case SystemCallException e -> isPassing(e, tries);
            case TargetException e -> isPassing(e.call(), tries) || tries < PASSING_TRIES && isSwept(e.call());
            default -> false;
        };
    }

    /**
     * Returns whether an error may be transient and another try is allowed. Servers return such errors while they fail
     * over.
     *
     * @param tries the number of tries so far
     */
    public static boolean mayPass(SystemCallException e, int tries) {
        return tries < PASSING_TRIES && Errno.mayPass(e.errno());
    }

    // A lack of descriptors is transient if unused ones can be closed.
    private boolean isPassing(SystemCallException e, int tries) {
        return mayPass(e, tries) || tries < PASSING_TRIES && switch (e.errno()) {
            case Errno.EMFILE, Errno.ENFILE -> freesDescriptors.getAsBoolean();
            default -> false;
        };
    }

    // A second run of the same command may mistake a temporary file, closed a moment before it is renamed, for one of a
    // dead run. An unnamed file that had a temporary name and lost it cannot get another one.
    private static boolean isSwept(SystemCallException e) {
        return e.errno() == Errno.ENOENT && (e.operation().equals("rename") || e.operation().equals("link"));
    }
}
