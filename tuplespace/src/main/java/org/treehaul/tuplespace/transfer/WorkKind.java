// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.transfer;

import java.util.List;
import java.util.Locale;

import org.treehaul.core.annotation.Internal;
import org.treehaul.core.condition.Field;

/** The kinds of rows that a query about transfers can return. */
@Internal
public enum WorkKind {
    TRANSFERS,
    BATCHES,
    ATTEMPTS,
    FAILURES;

    Class<? extends Record> type() {
        return switch (this) {
            case TRANSFERS -> TransferTuple.class;
            case BATCHES -> BatchTuple.class;
            case ATTEMPTS -> AttemptTuple.class;
            case FAILURES -> FailureTuple.class;
        };
    }

    /** Returns the word for several of them. */
    public String title() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Returns the word for one of them. */
    public String one() {
        return switch (this) {
            case TRANSFERS -> "transfer";
            case BATCHES -> "batch";
            case ATTEMPTS -> "attempt";
            case FAILURES -> "failure";
        };
    }

    /** Returns the fields that conditions can name, first those of the tuple itself. */
    public List<Field> fields() {
        return WorkColumns.of(this).fields();
    }
}
