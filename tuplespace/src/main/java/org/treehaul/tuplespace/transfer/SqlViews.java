// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.transfer;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.treehaul.core.annotation.Internal;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.transfer.AttemptRecord;
import org.treehaul.core.transfer.BatchStatus;
import org.treehaul.core.transfer.TransferStatus;
import org.treehaul.tuplespace.Lease;
import org.treehaul.tuplespace.TupleSpace;
import org.treehaul.tuplespace.files.FileTuple;
import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.store.SpaceUri;
import org.treehaul.tuplespace.tuple.Template;

/**
 * Views for SQL programs on the transfers in a durable space: {@code transfers}, {@code batches}, {@code attempts} and
 * {@code failures}. Their columns have the names and the meaning of the fields in JSON; further ones may be added at
 * the end.
 */
@Internal
public final class SqlViews {

    private static final Pattern SCHEMA = Pattern.compile("[?&]schema=([^&]*)");
    private static final String DEFAULT_SCHEMA = "treehaul";

    private final boolean isSqlite;
    private final String schema;
    private final boolean hasFiles;
    private final StringBuilder script = new StringBuilder();

    private SqlViews(SpaceUri space, boolean hasFiles) {
        this.isSqlite = space.scheme().equals(SpaceUri.SQLITE);
        this.hasFiles = hasFiles;
        schema = isSqlite ? "" : schema(space);
    }

    /** Returns the schema that an address means: the last one counts, and an empty one is none. */
    private static String schema(SpaceUri space) {
        String named = "";
        for (Matcher next = SCHEMA.matcher(space.address()); next.find();) {
            named = next.group(1);
        }
        return named.isEmpty() ? DEFAULT_SCHEMA : URLDecoder.decode(named.replace("+", "%2B"), StandardCharsets.UTF_8);
    }

    /**
     * Returns the statements that make the views, or replace those of an older version.
     *
     * @param hasFiles whether the space has an index of files, so that failures have the columns of their entries
     * @throws SpaceException UNSUPPORTED if the space is over several stores
     */
    public static String script(SpaceUri space, boolean hasFiles) {
        if (space.scheme().equals(SpaceUri.PARTITIONS)) {
            throw new SpaceException(SpaceException.Reason.UNSUPPORTED, "the tuples of " + space
                    + " are in several databases, so no view in one of them shows all: use 'treehaul query', or publish"
                    + " into a space in one database");
        }
        return new SqlViews(space, hasFiles).script();
    }

    /** Makes the tables of a space on which the views are defined, which exist only after a tuple was written. */
    public static void prepare(TupleSpace space) {
        space.atomically(inside -> {
            inside.writeAll(List.of(
                    new TransferTuple("", "", TransferStatus.State.PLANNING, "", "", "", ByteString.empty(), 0, null, 0,
                            null, 0, false, 0, 0, 0, 0, 0, 0, 0, null, false, ByteString.empty(), 0, null),
                    new BatchTuple("", 0, BatchStatus.State.WAITING, 0, "", "", 0, 0, 0, 0, 0, 0, 0, null, null),
                    new AttemptTuple("", 0, 0, 0, AttemptRecord.State.OPEN, "", "", 0, 0, 0, 0, 0),
                    new FailureTuple("", null, 0, 0, "", ByteString.empty(), ByteString.empty(),
                            EntryFailure.Kind.ERROR, "", 0, "", ByteString.empty(), 0, false),
                    new LiveCommand("", "", 0)), Lease.FOREVER);
            TransferPublisher.TYPES.forEach(type -> inside.remove(Template.of(type).equal(WorkColumns.TRANSFER, "")));
            return space;
        });
    }

    private String script() {
        script.append(isSqlite ? "BEGIN;\n" : "BEGIN;\nSET LOCAL search_path = " + quote(schema) + ";\n");
        for (String name : List.of("failures", "attempts", "batches", "transfers")) {
            script.append("DROP VIEW IF EXISTS ").append(name).append(";\n");
        }
        view("transfers", transfers(), table(TransferTuple.class) + " t");
        view("batches", batches(), table(BatchTuple.class) + " b LEFT JOIN transfers t USING (transfer)");
        view("attempts", attempts(), table(AttemptTuple.class) + " a LEFT JOIN transfers t USING (transfer)");
        view("failures", failures(), table(FailureTuple.class) + " f LEFT JOIN transfers t USING (transfer)"
                + (hasFiles
                        ? " LEFT JOIN " + table(FileTuple.class) + " e ON e.directory = f.directory AND e.name = f.name"
                        : ""));
        return script.append("COMMIT;\n").toString();
    }

    private void view(String name, List<String> columns, String from) {
        script.append("CREATE VIEW ").append(name);
        if (!isSqlite) {
            // The rights and the row security of the reader count, not those of the owner of the view.
            script.append(" WITH (security_invoker = true)");
        }
        script.append(" AS SELECT\n  ")
                .append(String.join(",\n  ", columns))
                .append("\nFROM ")
                .append(from)
                .append(";\n");
    }

    private List<String> transfers() {
        String mine = "v.verifies = t.transfer AND v.state = 'COMPLETE'";
        String lost = "CASE WHEN " + isLost() + " THEN ";
        return List.of("t.transfer", "t.operation", word(lost + "'INCOMPLETE' ELSE t.state END", "state"), "t.\"user\"",
                "t.node", text("t.source", "source"), "t.sources", text("t.destination", "destination"),
                time("t.created", "created"), time("(" + lost + "t.updated ELSE t.ended END)", "ended"), "t.generation",
                flag("t.planned", "planned"), "t.batches", "t.\"batchesDone\" AS batches_done", "t.entries",
                "t.\"entriesDone\" AS entries_done", "t.bytes", "t.\"bytesDone\" AS bytes_done", "t.failed",
                flag("CASE WHEN t.checked <> 0 AND t.state = 'COMPLETE' OR EXISTS (SELECT 1 FROM "
                        + table(TransferTuple.class) + " v WHERE " + mine + ") THEN 1 ELSE 0 END", "verified"),
                "t.verifies",
                text("NULLIF(t.\"stateDirectory\", " + (isSqlite ? "x''" : "''::bytea") + ")", "state_directory"),
                time("t.updated", "updated"), "t.command");
    }

    // As TransferTuple.mayBeLost.
    private String isLost() {
        String now = isSqlite
                ? "CAST(strftime('%s', 'now') AS INTEGER) * 1000"
                : "CAST(extract(epoch FROM clock_timestamp()) * 1000 AS bigint)";
        return "t.state = 'RUNNING' AND length(t.\"stateDirectory\") = 0 AND t.updated < (" + now + " - "
                + LiveCommand.LEASE.toMillis() + ") * 1000000 AND NOT EXISTS (SELECT 1 FROM " + table(LiveCommand.class)
                + " l WHERE l.transfer = t.transfer AND l.\"$expires\" > " + now + ")";
    }

    private static List<String> ofTransfer() {
        return List.of("t.operation", "t.state AS transfer_state", "t.\"user\"", "t.source", "t.destination",
                "t.command");
    }

    private List<String> batches() {
        List<String> columns = new ArrayList<>(List.of("b.transfer", "b.batch", word("b.state", "state"), "b.attempts",
                "b.node", "b.job", "b.entries", "b.\"entriesDone\" AS entries_done", "b.files",
                "b.\"filesDone\" AS files_done", "b.bytes", "b.\"bytesDone\" AS bytes_done", "b.failed",
                time("b.started", "started"), time("b.reported", "reported")));
        columns.addAll(ofTransfer());
        columns.add("t.verified");
        return columns;
    }

    private List<String> attempts() {
        List<String> columns = new ArrayList<>(List.of("a.transfer", "a.batch", "a.attempt", "a.generation",
                word("a.state", "state"), "a.node", "a.worker", time("a.started", "started"), time("a.ended", "ended"),
                "a.entries", "a.bytes", "a.failed"));
        columns.addAll(ofTransfer());
        columns.add("t.verified");
        return columns;
    }

    private List<String> failures() {
        String path = "CASE WHEN length(f.directory) = 0 THEN f.name WHEN length(f.directory) = 1 THEN "
                + concatenated("f.directory", "f.name") + " ELSE "
                + concatenated("f.directory", isSqlite ? "'/'" : "'/'::bytea", "f.name") + " END";
        List<String> columns = new ArrayList<>(
                List.of(text(path, "path"), text("f.directory", "directory"), text("f.name", "name"), "f.transfer",
                        "f.batch", "f.attempt", "f.generation", "f.node", word("f.failure", "failure"), "f.call",
                        "f.errno", "f.error", text("f.place", "place"), "f.tries", flag("f.resolved", "resolved")));
        columns.addAll(ofTransfer());
        String verification = table(TransferTuple.class)
                + " v WHERE v.verifies = f.transfer AND v.state IN ('COMPLETE', 'PARTIAL') AND NOT EXISTS (SELECT 1 FROM "
                + table(FailureTuple.class)
                + " d WHERE d.transfer = v.transfer AND d.directory = f.directory AND d.name = f.name)";
        columns.add(flag("CASE WHEN f.resolved <> 0 AND (EXISTS (SELECT 1 FROM " + table(TransferTuple.class)
                + " c WHERE c.transfer = f.transfer AND c.checked <> 0) OR EXISTS (SELECT 1 FROM " + verification
                + ")) THEN 1 ELSE 0 END", "verified"));
        if (hasFiles) {
            columns.addAll(List.of(word("e.kind", "kind"), "e.size", "e.blocks", time("e.atime", "atime"),
                    time("e.mtime", "mtime"), time("e.ctime", "ctime"), "e.mode", "e.owner", "e.\"group\"", "e.links"));
        }
        return columns;
    }

    private String table(Class<? extends Record> type) {
        // Tuples of transactions that have not ended are not there yet.
        return "(SELECT * FROM " + quote(type.getName()) + " WHERE \"$writer\" IS NULL)";
    }

    private static String quote(String name) {
        return "\"" + name.replace("\"", "\"\"") + "\"";
    }

    private String concatenated(String... parts) {
        return String.join(" || ", parts);
    }

    private String text(String bytes, String name) {
        return (isSqlite ? "CAST(" + bytes + " AS TEXT)" : "encode(" + bytes + ", 'escape')") + " AS " + name;
    }

    private String time(String nanos, String name) {
        return (isSqlite
                ? "strftime('%Y-%m-%dT%H:%M:%SZ', " + nanos + " / 1000000000, 'unixepoch')"
                : "to_timestamp(" + nanos + " / 1e9)") + " AS " + name;
    }

    private static String word(String constant, String name) {
        return "lower(replace(" + constant + ", '_', '-')) AS " + name;
    }

    private String flag(String number, String name) {
        return (isSqlite ? number : "(" + number + ") <> 0") + " AS " + name;
    }
}
