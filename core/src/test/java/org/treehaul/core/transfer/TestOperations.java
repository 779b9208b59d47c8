// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SortedMap;
import java.util.concurrent.atomic.AtomicInteger;

import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.operation.EntryOperation;
import org.treehaul.core.operation.OperationTarget;
import org.treehaul.core.operation.Repetition;
import org.treehaul.core.testing.NamedOperation;

/** Operations as another jar adds them: each sets modes, or tries to, and differs in its property of repetition. */
public final class TestOperations {

    private TestOperations() {}

    /** Sets the mode {@code mode}; ends the process before entry {@code halt-before}, from 1, while the file exists. */
    private static final class SetModes implements EntryOperation {
        private final int mode;
        private final int haltBefore;
        private final Path haltWhile;
        private final AtomicInteger begun = new AtomicInteger();

        SetModes(SortedMap<String, String> parameters) {
            String text = parameters.get("mode");
            if (text == null) {
                throw new IllegalArgumentException("parameter 'mode' is missing");
            }
            mode = Integer.parseInt(text, 8);
            haltBefore = Integer.parseInt(parameters.getOrDefault("halt-before", "0"));
            haltWhile = Path.of(parameters.getOrDefault("halt-while", ""));
        }

        private void set(OperationTarget target) throws SystemCallException {
            if (begun.incrementAndGet() == haltBefore && Files.exists(haltWhile)) {
                // Like a kill: nothing is written or closed.
                Runtime.getRuntime().halt(137);
            }
            if (target.status().kind() == EntryKind.SYMLINK) {
                return;
            }
            int result = target.calls().fchmodat(target.directory(), target.name(), mode);
            if (result < 0) {
                throw new SystemCallException("chmod", -result);
            }
        }

        @Override
        public void entry(OperationTarget target) throws SystemCallException {
            set(target);
        }

        @Override
        public void directory(OperationTarget target) throws SystemCallException {
            set(target);
        }
    }

    /** Sets modes, again and again. */
    public static final class Modes extends NamedOperation {
        public Modes() {
            super("test-modes", 3, Repetition.IDEMPOTENT);
        }

        @Override
        public EntryOperation create(SortedMap<String, String> parameters) {
            return new SetModes(parameters);
        }
    }

    /** Sets the modes of planned entries only. */
    public static final class Once extends NamedOperation {
        public Once() {
            super("test-once", 1, Repetition.COMPARED_WITH_PLAN);
        }

        @Override
        public EntryOperation create(SortedMap<String, String> parameters) {
            return new SetModes(parameters);
        }
    }

    /** Declares to read only, and tries to set modes nevertheless. */
    public static final class Reader extends NamedOperation {
        public Reader() {
            super("test-reader", 1, Repetition.READ_ONLY);
        }

        @Override
        public EntryOperation create(SortedMap<String, String> parameters) {
            return new SetModes(parameters);
        }
    }

    /** Has a fault: fails at entries and directories whose names end with a digit that is given. */
    public static final class Faulty extends NamedOperation {
        public Faulty() {
            super("test-faulty", 1, Repetition.IDEMPOTENT);
        }

        @Override
        public EntryOperation create(SortedMap<String, String> parameters) {
            String digit = parameters.getOrDefault("digit", "");
            return new EntryOperation() {
                @Override
                public void entry(OperationTarget target) {
                    if (target.path().toString().endsWith(digit)) {
                        throw new IllegalStateException("a fault");
                    }
                }

                @Override
                public void directory(OperationTarget target) {
                    entry(target);
                }
            };
        }
    }
}
