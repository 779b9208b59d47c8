// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy;

import static org.treehaul.core.copy.Copies.archive;
import static org.treehaul.core.copy.Copies.noUnnamedFiles;
import static org.treehaul.core.copy.Copies.path;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.treehaul.core.copy.batch.Batches;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.copy.options.CopyOptionsBuilder;
import org.treehaul.core.copy.options.Preserve;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.fs.FaultInjectingCalls;
import org.treehaul.core.testing.PosixAcl;
import org.treehaul.core.testing.Privilege;
import org.treehaul.core.testing.TreeWriter;

/** At no moment of a copy may a group or a user have more rights on a file than before it or after it. */
class RightsWhileCopyingTest {

    private static final int OWNER = 5;
    private static final int GROUP = 6;
    private static final int OTHER_GROUP = 7;
    private static final int NAMED = 1234;
    private static final Set<Integer> GROUPS = Set.of(GROUP, OTHER_GROUP, NAMED);
    private static final Set<Integer> USERS = Set.of(NAMED, 99);
    private static final int CHUNK = 1 << 20;

    // Each excludes a user or group whom the mode bits, which contain the mask, seem to include.
    private static final List<String> ACLS = List.of("u::rw-,u:1234:rw-,g::---,m::rw-,o::---",
            "u::rwx,u:1234:---,g::r--,m::rwx,o::r--", "u::rw-,g::r--,g:1234:rw-,m::rw-,o::---",
            "u::rwx,u:99:r-x,g::rwx,m::r-x,o::---");

    @BeforeAll
    static void asRoot() {
        Privilege.requireRoot("gives files away");
    }

    private static void source(TreeWriter writer) {
        Map<String, Integer> sizes = Map.of("empty", 0, "small", 10, "large", 300_000, "chunked", CHUNK + 1);
        for (int i = 0; i <= ACLS.size(); i++) {
            for (Map.Entry<String, Integer> size : sizes.entrySet()) {
                ByteString file = path("d" + i + "/" + size.getKey());
                if (size.getValue() < 1000) {
                    writer.file(file, size.getValue(), 1);
                } else {
                    writer.sparse(file, size.getValue(), 0);
                }
                writer.owner(file, OWNER, GROUP);
                access(writer, file, i, 04640);
            }
            ByteString fifo = path("d" + i + "/fifo");
            writer.special(fifo, EntryKind.FIFO, 0).owner(fifo, OWNER, GROUP);
            access(writer, fifo, i, 0620);
            ByteString directory = path("d" + i);
            writer.owner(directory, OWNER, GROUP);
            access(writer, directory, i, 02750);
        }
    }

    private static void access(TreeWriter writer, ByteString file, int acl, int mode) {
        if (acl == ACLS.size()) {
            writer.mode(file, mode);
        } else {
            writer.attribute(file, PosixAcl.ACCESS, PosixAcl.parse(ACLS.get(acl)));
        }
    }

    // The existing files: the same names with other data and rights.
    private static void existing(TreeWriter writer, String acl, int mode) {
        for (int i = 0; i <= ACLS.size(); i++) {
            for (String name : List.of("empty", "small", "large", "chunked")) {
                ByteString file = path("d" + i + "/" + name);
                writer.file(file, 20, 2).owner(file, 0, OTHER_GROUP).mode(file, mode);
                if (!acl.isEmpty()) {
                    writer.attribute(file, PosixAcl.ACCESS, PosixAcl.parse(acl));
                }
            }
            ByteString directory = path("d" + i);
            writer.owner(directory, 0, OTHER_GROUP).mode(directory, mode | 0700);
            if (!acl.isEmpty()) {
                writer.attribute(directory, PosixAcl.ACCESS, PosixAcl.parse(acl));
            }
        }
    }

    private static Map<String, Consumer<TreeWriter>> starts() {
        return Map.of("new", writer -> {
        }, "in a directory with a default ACL",
                writer -> writer.attribute(path("."), PosixAcl.DEFAULT,
                        PosixAcl.parse("u::rwx,u:1234:rwx,g::rwx,m::rwx,o::r-x")),
                "existing 0666", writer -> existing(writer, "", 0666), "existing 0600",
                writer -> existing(writer, "", 0600), "existing with an ACL",
                writer -> existing(writer, "u::rw-,u:1234:rw-,g::---,m::rw-,o::---", 0660),
                "existing with an ACL whose mask shuts out",
                writer -> existing(writer, "u::rw-,u:1234:rw-,g::rw-,m::---,o::---", 0600),
                "existing with a narrower mask",
                writer -> existing(writer, "u::rw-,u:1234:rw-,g::rw-,m::r--,o::---", 0640));
    }

    private static CopyOptionsBuilder plain() {
        return CopyOptions.builder().recursive(true).threads(2);
    }

    static Stream<Arguments> cases() {
        Map<String, CopyOptionsBuilder> ways = Map.of("archive", archive(), "in place", archive().inPlace(true),
                "plain", plain(), "plain in place", plain().inPlace(true), "mode alone",
                plain().preserve(EnumSet.of(Preserve.MODE, Preserve.ACL)), "ACL alone",
                plain().preserve(EnumSet.of(Preserve.ACL)), "owner alone",
                plain().preserve(EnumSet.of(Preserve.OWNERSHIP)));
        List<Arguments> cases = new ArrayList<>();
        ways.forEach((way, options) -> starts().forEach((start, making) -> {
            for (boolean unnamed : new boolean[]{true, false}) {
                cases.add(Arguments.of(way, start, unnamed, options.chunkBytes(CHUNK).build(), making));
            }
        }));
        return cases.stream();
    }

    // The other cases differ little from these.
    static Stream<Arguments> telling() {
        Set<Object> ways = Set.of("archive", "plain", "in place");
        return cases().filter(c -> ways.contains(c.get()[0]) && c.get()[2].equals(false));
    }

    @ParameterizedTest(name = "{0}, {1}")
    @MethodSource("telling")
    void noFileGrantsMoreWhileItIsCopied(String way, String start, boolean hasUnnamed, CopyOptions options,
            Consumer<TreeWriter> making) {
        copyAtOnce(start, hasUnnamed, options, making);
        copyInBatches(start, hasUnnamed, options, making);
    }

    @Tag("campaign")
    @ParameterizedTest(name = "{0}, {1}, unnamed temporaries {2}")
    @MethodSource("cases")
    void noOptionsGrantMoreWhileAFileIsCopied(String way, String start, boolean hasUnnamed, CopyOptions options,
            Consumer<TreeWriter> making) {
        copyAtOnce(start, hasUnnamed, options, making);
        copyInBatches(start, hasUnnamed, options, making);
    }

    private static void copyAtOnce(String start, boolean hasUnnamed, CopyOptions options, Consumer<TreeWriter> making) {
        try (Copies copies = Copies.onTmpfs()) {
            copies.with(RightsWhileCopyingTest::source).there(making);
            RightsRecorder recorder = new RightsRecorder(copies.target(), GROUPS, USERS);
            copies.copy(recorder.calls(), options, noUnnamedFiles(!hasUnnamed)).succeeds();
            recorder.neverMoreThanBeforeOrAfter(start);
        }
    }

    private static void copyInBatches(String start, boolean hasUnnamed, CopyOptions options,
            Consumer<TreeWriter> making) {
        try (Copies copies = Copies.onTmpfs()) {
            copies.with(RightsWhileCopyingTest::source).there(making);
            RightsRecorder recorder = new RightsRecorder(copies.target(), GROUPS, USERS);
            Batches.of(copies, options, 3, 1, CHUNK,
                    FaultInjectingCalls.over(recorder.calls(), noUnnamedFiles(!hasUnnamed)))
                    .copyAll(new Random(1))
                    .finish();
            recorder.neverMoreThanBeforeOrAfter(start + ", by jobs");
        }
    }
}
