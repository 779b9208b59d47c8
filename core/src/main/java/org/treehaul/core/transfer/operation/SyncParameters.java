// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer.operation;

import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

import org.treehaul.core.entry.ByteString;
import org.treehaul.core.sync.SyncOptions;

/** Converts the rules of a sync to the parameters in the file of a transfer and back. */
final class SyncParameters {

    private static final String SOURCE = "source";
    private static final String DESTINATION = "destination";
    private static final String CHECK = "check";
    private static final String WINDOW = "modify-window";
    private static final String DELETE = "delete";
    private static final String MOST = "max-delete";
    private static final String FORCE = "force";
    private static final String BACKUP = "backup-dir";

    private SyncParameters() {}

    static SortedMap<String, String> of(Operation.Sync sync) {
        SyncOptions options = sync.options();
        SortedMap<String, String> all = new TreeMap<>(Map.of( //
                SOURCE, ByteString.escape(sync.source().toBytes()), //
                DESTINATION, ByteString.escape(sync.destination().toBytes()), //
                CHECK, options.check().name().toLowerCase(Locale.ROOT).replace('_', '-'), //
                WINDOW, String.valueOf(options.modifyWindow().toNanos()), //
                DELETE, String.valueOf(options.deletes()), //
                MOST, String.valueOf(options.mostRemovals()), //
                FORCE, String.valueOf(options.isForced())));
        options.backup().ifPresent(path -> all.put(BACKUP, ByteString.escape(path.toBytes())));
        return all;
    }

    /** Returns the operation with these parameters; empty if one is missing or cannot be read. */
    static Optional<Operation.Sync> parse(SortedMap<String, String> parameters) {
        try {
            SyncOptions options = SyncOptions.defaults()
                    .withCheck(SyncOptions.Check
                            .valueOf(text(parameters, CHECK).toUpperCase(Locale.ROOT).replace('-', '_')))
                    .withModifyWindow(Duration.ofNanos(Long.parseLong(text(parameters, WINDOW))))
                    .withDeletion(Boolean.parseBoolean(text(parameters, DELETE))
                            ? SyncOptions.Deletion.AFTER
                            : SyncOptions.Deletion.NONE)
                    .withMostRemovals(Long.parseLong(text(parameters, MOST)))
                    .withForced(Boolean.parseBoolean(text(parameters, FORCE)));
            String backup = parameters.get(BACKUP);
            return Optional.of(new Operation.Sync(path(parameters, SOURCE), path(parameters, DESTINATION),
                    backup == null ? options : options.withBackup(path(parameters, BACKUP))));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    private static String text(SortedMap<String, String> parameters, String name) {
        String text = parameters.get(name);
        if (text == null) {
            throw new IllegalArgumentException("no " + name);
        }
        return text;
    }

    private static ByteString path(SortedMap<String, String> parameters, String name) {
        ByteString path = ByteString.unescape(text(parameters, name));
        if (path.length() == 0 || path.at(0) != '/') {
            throw new IllegalArgumentException("not an absolute path: " + path);
        }
        return path;
    }
}
