// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.move;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

import org.treehaul.core.copy.options.CopyPair;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.event.Event;
import org.treehaul.core.event.EventListener;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.SystemCallException;

/**
 * The files with several names whose names are being removed, in a file beside the target of each source that contains
 * some. If the move is killed, the next one removes the remaining names instead of copying them, because their copies
 * are complete; a copy would be a file of its own. Each file has the names in one source.
 */
final class BegunGroups {

    private static final String SUFFIX = "-links";

    private final FileSystemCalls calls;
    private final List<CopyPair> pairs;
    private final EventListener listener;
    private final Map<Integer, ByteString> places = new TreeMap<>();
    private volatile boolean isAnyLeft;

    BegunGroups(FileSystemCalls calls, List<CopyPair> pairs, EventListener listener) {
        this.calls = calls;
        this.pairs = pairs;
        this.listener = listener;
    }

    /** Records files of which all names will be removed, in place of those that were recorded before. */
    void record(List<List<CopiedEntry>> groups) {
        Map<Integer, List<List<CopiedEntry>>> bySource = new TreeMap<>();
        for (List<CopiedEntry> group : groups) {
            if (group.size() > 1) {
                group.stream()
                        .collect(Collectors.groupingBy(CopiedEntry::root))
                        .forEach((root, names) -> bySource.computeIfAbsent(root, r -> new ArrayList<>()).add(names));
            }
        }
        if (bySource.isEmpty()) {
            return;
        }
        try (FileAccess access = FileAccess.open(calls)) {
            for (Map.Entry<Integer, List<List<CopiedEntry>>> one : bySource.entrySet()) {
                try {
                    record(access, one.getKey(), one.getValue());
                } catch (SystemCallException e) {
                    listener.onEvent(new Event.Notice("cannot record beside '" + pairs.get(one.getKey()).target()
                            + "' which files have several names: " + e.getMessage()
                            + "; if this move is killed, the next one may divide some of them"));
                }
            }
        }
    }

    private void record(FileAccess access, int root, List<List<CopiedEntry>> groups) throws SystemCallException {
        ByteString place = places.get(root);
        if (place == null) {
            place = place(access, pairs.get(root));
        }
        PrivateNote.write(access, place, bytes(groups));
        places.put(root, place);
    }

    /** Reports that some names of a recorded file may be left. The next move then needs the record. */
    void leave() {
        isAnyLeft = true;
    }

    /** Removes the records, unless some names may be left. */
    void end() {
        if (isAnyLeft) {
            return;
        }
        try (FileAccess access = FileAccess.open(calls)) {
            for (ByteString place : places.values()) {
                try {
                    UnfinishedMove.end(access, place);
                } catch (SystemCallException e) {
                    listener.onEvent(new Event.Notice(
                            "cannot remove '" + place + "', which is not needed any more: " + e.getMessage()));
                }
            }
        }
    }

    /** Removes the remaining names of files that an earlier move of the pairs recorded, if the copies are complete. */
    static void finish(RemovalContext context) {
        try (NameRemover remover = new NameRemover(context); FileAccess access = FileAccess.open(context.calls())) {
            for (int root = 0; root < context.pairs().size(); root++) {
                try {
                    finish(access, remover, context.pairs().get(root), root);
                } catch (IOException e) {
                    // The names are copied like others.
                }
            }
        }
    }

    private static void finish(FileAccess access, NameRemover remover, CopyPair pair, int root) throws IOException {
        ByteString place = place(access, pair);
        byte[] record = PrivateNote.read(access, place);
        if (record.length > 0) {
            for (List<CopiedEntry> names : groups(record, root)) {
                remover.removeRest(names, pair.target());
            }
            PrivateNote.remove(access, place);
        }
    }

    private static ByteString place(FileAccess access, CopyPair pair) throws SystemCallException {
        return UnfinishedMove.beside(access, pair, SUFFIX);
    }

    private static byte[] bytes(List<List<CopiedEntry>> groups) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            out.writeInt(groups.size());
            for (List<CopiedEntry> names : groups) {
                out.writeInt(names.size());
                for (CopiedEntry name : names) {
                    name.write(out);
                }
            }
        } catch (IOException e) {
            throw new IllegalStateException("in memory", e);
        }
        return bytes.toByteArray();
    }

    private static List<List<CopiedEntry>> groups(byte[] record, int root) throws IOException {
        DataInputStream in = new DataInputStream(new ByteArrayInputStream(record));
        List<List<CopiedEntry>> groups = new ArrayList<>();
        for (int left = in.readInt(); left > 0; left--) {
            List<CopiedEntry> names = new ArrayList<>();
            for (int i = in.readInt(); i > 0; i--) {
                names.add(CopiedEntry.read(in).in(root));
            }
            groups.add(names);
        }
        return groups;
    }
}
