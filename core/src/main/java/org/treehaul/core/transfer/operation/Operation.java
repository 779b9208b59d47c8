// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer.operation;

import java.util.List;
import java.util.Optional;

/**
 * The operation that a transfer applies to the entries of its plan. The engine decides by the methods of this type, or
 * by an exhaustive {@code switch}, never by the name. Immutable.
 */
public sealed interface Operation {

    /** Returns all operations that this program knows. */
    static List<Operation> known() {
        return List.of(new Copy(), new Verify(), new Remove());
    }

    /**
     * Returns the operation of a name and version from the file of a transfer; empty if this program does not know it.
     */
    static Optional<Operation> find(String name, String version) {
        return known().stream()
                .filter(one -> one.name().equals(name) && String.valueOf(one.version()).equals(version))
                .findFirst();
    }

    /** Returns the name in the file of a transfer and in the output of {@code status --json}. */
    String name();

    /**
     * Returns the version of the operation's meaning. A program of another version must not carry out the transfer.
     */
    default int version() {
        return 1;
    }

    /** Returns the past participle for messages, such as {@code copied}. */
    String participle();

    /** Returns the property that makes a second attempt at an entry safe. */
    Repetition repetition();

    /** Returns whether the transfer is planned from the command of the user; otherwise it is created with its plan. */
    boolean isPlanned();

    /** Returns whether planning writes tokens into the destinations, by which workers recognize them. */
    boolean hasTokens();

    /** Returns whether killed workers may leave temporary files in the destinations. */
    boolean hasTemporaryFiles();

    /** Returns whether the bandwidth limit of the user applies. */
    boolean isLimited();

    /** Returns whether a finished transfer can be verified. */
    boolean isVerifiable();

    /** Copies each entry to its place in the destination. */
    record Copy() implements Operation {

        @Override
        public String name() {
            return "copy";
        }

        @Override
        public String participle() {
            return "copied";
        }

        @Override
        public Repetition repetition() {
            return Repetition.IDEMPOTENT;
        }

        @Override
        public boolean isPlanned() {
            return true;
        }

        @Override
        public boolean hasTokens() {
            return true;
        }

        @Override
        public boolean hasTemporaryFiles() {
            return true;
        }

        @Override
        public boolean isLimited() {
            return true;
        }

        @Override
        public boolean isVerifiable() {
            return true;
        }
    }

    /** Compares each entry that a finished transfer copied with its source. Uses the plan and tokens of the copy. */
    record Verify() implements Operation {

        @Override
        public String name() {
            return "verify";
        }

        @Override
        public String participle() {
            return "compared";
        }

        @Override
        public Repetition repetition() {
            return Repetition.READ_ONLY;
        }

        @Override
        public boolean isPlanned() {
            return false;
        }

        @Override
        public boolean hasTokens() {
            return false;
        }

        @Override
        public boolean hasTemporaryFiles() {
            return false;
        }

        @Override
        public boolean isLimited() {
            return false;
        }

        @Override
        public boolean isVerifiable() {
            return false;
        }
    }

    /** Removes each entry. */
    record Remove() implements Operation {

        @Override
        public String name() {
            return "remove";
        }

        @Override
        public String participle() {
            return "removed";
        }

        @Override
        public Repetition repetition() {
            return Repetition.COMPARED_WITH_PLAN;
        }

        @Override
        public boolean isPlanned() {
            return false;
        }

        @Override
        public boolean hasTokens() {
            return false;
        }

        @Override
        public boolean hasTemporaryFiles() {
            return false;
        }

        @Override
        public boolean isLimited() {
            return false;
        }

        @Override
        public boolean isVerifiable() {
            return false;
        }
    }
}
