// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.transfer;

import java.util.HexFormat;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.annotation.Internal;
import org.treehaul.core.condition.Field;
import org.treehaul.core.condition.FileField;
import org.treehaul.core.condition.RowValues;
import org.treehaul.core.condition.ServerNames;
import org.treehaul.core.entry.ByteString;
import org.treehaul.tuplespace.files.FileTuple;

/** A transfer, a batch, an attempt or a failure, with the transfer and the entry of the index to which it belongs. */
@Internal
public final class WorkRow implements RowValues {

    private final WorkKind kind;
    private final Record tuple;
    private final KnownTransfers transfers;
    private final Function<ByteString, Optional<FileTuple>> files;
    // Looked up when a value of it is asked for.
    private @Nullable FileTuple file;
    private boolean isLookedUp;

    WorkRow(WorkKind kind, Record tuple, KnownTransfers transfers, Function<ByteString, Optional<FileTuple>> files) {
        this.kind = kind;
        this.tuple = tuple;
        this.transfers = transfers;
        this.files = files;
    }

    /** Returns which kind of row this is. */
    public WorkKind kind() {
        return kind;
    }

    @Override
    public @Nullable ByteString text(Field field) {
        return WorkColumns.of(kind).column(field).text(this);
    }

    @Override
    public @Nullable Long number(Field field) {
        return WorkColumns.of(kind).column(field).number(this);
    }

    /** Returns the text of a value in the form of conditions; empty if the row has none. */
    public Optional<String> print(Field field) {
        if (field.isText()) {
            return Optional.ofNullable(text(field))
                    .map(text -> field.isOf(FileField.HASH)
                            ? HexFormat.of().formatHex(text.toBytes())
                            : field.isOf(FileField.SERVER) ? ServerNames.text(text) : text.toString());
        }
        return Optional.ofNullable(number(field)).map(field::print);
    }

    /** Returns the absolute path of the entry of a failure. */
    public ByteString path() {
        return FileTuple.join(failure().directory(), failure().name());
    }

    TransferTuple transfer() {
        return (TransferTuple) tuple;
    }

    BatchTuple batch() {
        return (BatchTuple) tuple;
    }

    AttemptTuple attempt() {
        return (AttemptTuple) tuple;
    }

    FailureTuple failure() {
        return (FailureTuple) tuple;
    }

    private String transferId() {
        return switch (kind) {
            case TRANSFERS -> transfer().transfer();
            case BATCHES -> batch().transfer();
            case ATTEMPTS -> attempt().transfer();
            case FAILURES -> failure().transfer();
        };
    }

    /** Returns a value of the transfer to which the row belongs; null if it has none. */
    @Nullable Object known(Function<TransferTuple, @Nullable Object> value) {
        return transfers.find(transferId()).map(value).orElse(null);
    }

    /** Returns the path on which a call failed, if it is not that of the entry. */
    @Nullable ByteString place() {
        return failure().place().length() == 0 ? null : failure().place();
    }

    /** Returns the state directory of a transfer; null if it has none. */
    @Nullable ByteString stateDirectory() {
        return transfer().stateDirectory().length() == 0 ? null : transfer().stateDirectory();
    }

    /**
     * Returns whether the transfer read back all that it wrote, or a verification found no difference; for a failure,
     * whether that is so for its entry.
     */
    boolean isVerified() {
        return kind == WorkKind.FAILURES
                ? failure().resolved() && transfers.isVerified(transferId(), failure().directory(), failure().name())
                : transfers.isVerified(transferId());
    }

    /** Returns a value of the entry in the index; null if the index has no such entry. */
    @Nullable Object ofFile(FileField field) {
        if (!isLookedUp) {
            file = files.apply(path()).orElse(null);
            isLookedUp = true;
        }
        FileTuple entry = file;
        if (entry == null) {
            return null;
        }
        return field.isText() ? entry.text(field) : entry.number(field);
    }

    @Override
    public String toString() {
        return Objects.toString(tuple);
    }
}
