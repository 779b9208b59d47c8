// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.transfer;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import org.treehaul.core.condition.Field;
import org.treehaul.core.condition.FileField;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.transfer.AttemptRecord;
import org.treehaul.core.transfer.BatchStatus;
import org.treehaul.core.transfer.TransferStatus;

/** The fields of the rows of a kind, by their names in conditions. */
final class WorkColumns {

    static final String TRANSFER = "transfer";
    static final String BATCH = "batch";
    static final String STATE_IDENTITY = "stateIdentity";

    private static final Map<WorkKind, WorkColumns> ALL = new EnumMap<>(Map.of(WorkKind.TRANSFERS,
            new WorkColumns(ofTransfers()), WorkKind.BATCHES, new WorkColumns(ofBatches()), WorkKind.ATTEMPTS,
            new WorkColumns(ofAttempts()), WorkKind.FAILURES, new WorkColumns(ofFailures())));

    private final Map<String, WorkColumn> columns = new LinkedHashMap<>();
    private final List<Field> fields;

    private WorkColumns(List<WorkColumn> all) {
        all.forEach(column -> columns.put(column.field().label(), column));
        List<Field> named = new ArrayList<>(all.stream().map(WorkColumn::field).toList());
        if (columns.containsKey(FileField.MTIME.label())) {
            // Other ways to write a condition on the time.
            named.add(Field.of(FileField.AGE));
            named.add(Field.of(FileField.NEWER_THAN));
        }
        fields = List.copyOf(named);
    }

    static WorkColumns of(WorkKind kind) {
        return Objects.requireNonNull(ALL.get(kind));
    }

    /** Returns the fields that conditions can name. */
    List<Field> fields() {
        return fields;
    }

    WorkColumn column(Field field) {
        WorkColumn column = columns.get(field.label());
        if (column == null) {
            throw new IllegalArgumentException(field.label());
        }
        return column;
    }

    private static Field transferState(String label) {
        return Field.words(label, TransferStatus.State.class, List.of(
                Map.entry("failed",
                        List.of(TransferStatus.State.NOT_SUBMITTED, TransferStatus.State.PARTIAL,
                                TransferStatus.State.INCOMPLETE)),
                Map.entry("active",
                        Arrays.stream(TransferStatus.State.values()).filter(TransferStatus.State::isActive).toList())));
    }

    private static List<WorkColumn> ofTransfers() {
        return List.of( //
                WorkColumn.own(Field.text("transfer"), row -> row.transfer().transfer()),
                WorkColumn.own(Field.text("operation"), row -> row.transfer().operation()),
                // Not as the tuple says, if the command was killed.
                WorkColumn.of(transferState("state"), row -> row.transfer().state()),
                WorkColumn.own(Field.text("user"), row -> row.transfer().user()),
                WorkColumn.own(Field.text("node"), row -> row.transfer().node()),
                WorkColumn.own(Field.path("source"), row -> row.transfer().source()),
                WorkColumn.of(Field.count("sources"), row -> row.transfer().sources()),
                WorkColumn.own(Field.path("destination").optional(), row -> row.transfer().destination()),
                WorkColumn.own(Field.time("created"), row -> row.transfer().created()),
                WorkColumn.of(Field.time("ended").optional(), row -> row.transfer().ended()),
                WorkColumn.of(Field.count("generation"), row -> row.transfer().generation()),
                WorkColumn.of(Field.flag("planned"), row -> row.transfer().planned()),
                WorkColumn.of(Field.count("batches"), row -> row.transfer().batches()),
                WorkColumn.of(Field.count("batches-done"), row -> row.transfer().batchesDone()),
                WorkColumn.of(Field.count("entries"), row -> row.transfer().entries()),
                WorkColumn.of(Field.count("entries-done"), row -> row.transfer().entriesDone()),
                WorkColumn.of(Field.size("bytes"), row -> row.transfer().bytes()),
                WorkColumn.of(Field.size("bytes-done"), row -> row.transfer().bytesDone()),
                WorkColumn.of(Field.count("failed"), row -> row.transfer().failed()),
                WorkColumn.of(Field.flag("verified"), WorkRow::isVerified),
                WorkColumn.own(Field.text("verifies").optional(), row -> row.transfer().verifies()),
                WorkColumn.of(Field.path("state-directory").optional(), WorkRow::stateDirectory),
                WorkColumn.of(Field.time("updated"), row -> row.transfer().updated()),
                WorkColumn.of(Field.text("command"), row -> row.transfer().command()));
    }

    /** The columns of its transfer that other rows have too. */
    private static List<WorkColumn> joined() {
        return List.of(WorkColumn.of(Field.text("operation").optional(), row -> row.known(TransferTuple::operation)),
                WorkColumn.of(transferState("transfer-state").optional(), row -> row.known(TransferTuple::state)),
                WorkColumn.of(Field.text("user").optional(), row -> row.known(TransferTuple::user)),
                WorkColumn.of(Field.path("source").optional(), row -> row.known(TransferTuple::source)),
                WorkColumn.of(Field.path("destination").optional(), row -> row.known(TransferTuple::destination)),
                WorkColumn.of(Field.text("command").optional(), row -> row.known(TransferTuple::command)),
                WorkColumn.of(Field.flag("verified"), WorkRow::isVerified));
    }

    private static List<WorkColumn> ofBatches() {
        List<WorkColumn> columns = new ArrayList<>(List.of( //
                WorkColumn.own(Field.text("transfer"), row -> row.batch().transfer()),
                WorkColumn.own(Field.count("batch"), row -> row.batch().batch()),
                WorkColumn.own(Field.words("state", BatchStatus.State.class, List.of()), row -> row.batch().state()),
                WorkColumn.own(Field.count("attempts"), row -> row.batch().attempts()),
                WorkColumn.own(Field.text("node"), row -> row.batch().node()),
                WorkColumn.own(Field.text("job"), row -> row.batch().job()),
                WorkColumn.own(Field.count("entries"), row -> row.batch().entries()),
                WorkColumn.of(Field.count("entries-done"), row -> row.batch().entriesDone()),
                WorkColumn.own(Field.count("files"), row -> row.batch().files()),
                WorkColumn.of(Field.count("files-done"), row -> row.batch().filesDone()),
                WorkColumn.own(Field.size("bytes"), row -> row.batch().bytes()),
                WorkColumn.of(Field.size("bytes-done"), row -> row.batch().bytesDone()),
                WorkColumn.own(Field.count("failed"), row -> row.batch().failed()),
                WorkColumn.own(Field.time("started").optional(), row -> row.batch().started()),
                WorkColumn.own(Field.time("reported").optional(), row -> row.batch().reported())));
        columns.addAll(joined());
        return columns;
    }

    private static List<WorkColumn> ofAttempts() {
        List<WorkColumn> columns = new ArrayList<>(List.of( //
                WorkColumn.own(Field.text("transfer"), row -> row.attempt().transfer()),
                WorkColumn.own(Field.count("batch"), row -> row.attempt().batch()),
                WorkColumn.own(Field.count("attempt"), row -> row.attempt().attempt()),
                WorkColumn.own(Field.count("generation"), row -> row.attempt().generation()),
                WorkColumn.own(Field.words("state", AttemptRecord.State.class, List.of()),
                        row -> row.attempt().state()),
                WorkColumn.own(Field.text("node"), row -> row.attempt().node()),
                WorkColumn.own(Field.text("worker"), row -> row.attempt().worker()),
                WorkColumn.own(Field.time("started"), row -> row.attempt().started()),
                WorkColumn.own(Field.time("ended"), row -> row.attempt().ended()),
                WorkColumn.own(Field.count("entries"), row -> row.attempt().entries()),
                WorkColumn.own(Field.size("bytes"), row -> row.attempt().bytes()),
                WorkColumn.own(Field.count("failed"), row -> row.attempt().failed())));
        columns.addAll(joined());
        return columns;
    }

    private static List<WorkColumn> ofFailures() {
        List<WorkColumn> columns = new ArrayList<>(List.of( //
                WorkColumn.of(Field.of(FileField.PATH), row -> row.path()),
                WorkColumn.own(Field.of(FileField.DIRECTORY), row -> row.failure().directory()),
                WorkColumn.own(Field.of(FileField.NAME), row -> row.failure().name()),
                WorkColumn.of(Field.of(FileField.EXTENSION), row -> FileField.extension(row.failure().name())),
                WorkColumn.own(Field.text("transfer"), row -> row.failure().transfer()),
                WorkColumn.own(Field.count("batch").optional(), row -> row.failure().batch()),
                WorkColumn.own(Field.count("attempt"), row -> row.failure().attempt()),
                WorkColumn.own(Field.text("node"), row -> row.failure().node()),
                WorkColumn.own(Field.words("failure", EntryFailure.Kind.class, List.of()),
                        row -> row.failure().failure()),
                WorkColumn.own(Field.text("call"), row -> row.failure().call()),
                WorkColumn.own(Field.count("errno"), row -> row.failure().errno()),
                WorkColumn.own(Field.text("error"), row -> row.failure().error()),
                WorkColumn.of(Field.path("place").optional(), WorkRow::place),
                WorkColumn.own(Field.count("tries"), row -> row.failure().tries()),
                WorkColumn.own(Field.flag("resolved"), row -> row.failure().resolved())));
        columns.addAll(joined());
        for (FileField field : FileField.values()) {
            boolean isHere = columns.stream().anyMatch(column -> column.field().label().equals(field.label()));
            if (field.isStored() && !isHere && field != FileField.GENERATION) {
                columns.add(WorkColumn.of(Field.joined(field), row -> row.ofFile(field)));
            }
        }
        return columns;
    }
}
