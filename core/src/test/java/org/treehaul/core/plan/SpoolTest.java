// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.plan;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.plan.format.BatchLimits;
import org.treehaul.core.plan.format.Plan;
import org.treehaul.core.plan.format.SpooledStatus;
import org.treehaul.core.plan.spool.EntrySink;
import org.treehaul.core.plan.spool.ExternalSort;
import org.treehaul.core.plan.spool.RunBuffer;
import org.treehaul.core.plan.spool.SpoolKey;
import org.treehaul.core.plan.spool.SpooledEntry;
import org.treehaul.core.testing.TreeWriter;

/** Files with more names than a block holds. */
class SpoolTest {

    // With the first name in each key, ten blocks.
    private static final int NAMES = 1_000;
    private static final String LONG = "x".repeat(150);

    @TempDir
    private Path directory;

    private static void addName(Spool spool, int inode, String name) throws IOException {
        SpooledStatus status = new SpooledStatus(EntryKind.REGULAR, 1, 8, 1, 0, inode, 1);
        byte[] key = SpoolKey.of(0, new byte[0], name.getBytes(StandardCharsets.UTF_8));
        byte[] content = new byte[SpooledEntry.bytes(status)];
        SpooledEntry.put(status, content, 0);
        byte[] linkKey = new byte[Spool.LINK_KEY + key.length];
        Spool.putLinkKey(status, linkKey, 0);
        System.arraycopy(key, 0, linkKey, Spool.LINK_KEY, key.length);
        spool.links().add(linkKey, content);
    }

    @Test
    void namesOfOneFileArePassedOnInBlocks() throws IOException {
        List<Integer> blocks = new ArrayList<>();
        List<String> expected = new ArrayList<>();
        List<String> found = new ArrayList<>();
        try (Spool spool = new Spool(directory.resolve("spool"), ExternalSort.defaultRunBytes())) {
            for (int i = 0; i < NAMES; i++) {
                String name = LONG + (NAMES + i);
                addName(spool, 2, name);
                expected.add((i == 0 ? "FIRST " : "FURTHER ") + name);
            }
            addName(spool, 1, "a");
            addName(spool, 3, "z1");
            addName(spool, 3, "z2");
            expected.addFirst("SINGLE a");
            expected.addAll(List.of("FIRST z1", "FURTHER z2"));
            spool.resolveLinks(block -> {
                blocks.add(block.usedBytes());
                spool.entries().addAll(block);
            });
            try (ExternalSort.Records records = spool.entries().open()) {
                while (records.advance()) {
                    SpooledEntry entry = SpooledEntry.decode(records.content());
                    found.add(entry.role() + " " + new String(SpoolKey.parse(records.key(), entry.keyStart()).path(),
                            StandardCharsets.UTF_8));
                }
            }
        }
        assertThat(found).isEqualTo(expected);
        // A record more than a block is full.
        assertThat(blocks).hasSizeGreaterThan(9).allMatch(bytes -> bytes <= PlanHandler.BLOCK_BYTES + 1_000);
    }

    @Test
    void aBlockHasAllNamesOfOneFileIfTheyMustStayTogether() throws IOException {
        List<Integer> blocks = new ArrayList<>();
        try (Spool spool = new Spool(directory.resolve("spool"), ExternalSort.defaultRunBytes())) {
            for (int inode = 1; inode <= 3; inode++) {
                for (int i = 0; i < NAMES; i++) {
                    addName(spool, inode, LONG + inode + i);
                }
            }
            spool.resolveLinks(new EntrySink() {
                @Override
                public void addAll(RunBuffer block) {
                    blocks.add(block.count());
                }

                @Override
                public boolean needsAllNames() {
                    return true;
                }
            });
        }
        assertThat(blocks).containsExactly(NAMES, NAMES, NAMES);
    }

    @Test
    void allNamesOfOneFileAreInOneBatchOrBesideItsChunks() throws IOException {
        for (Batching batching : List.of(Batchings.DEALT, Batchings.STREAMED)) {
            try (Plans plans = new Plans()) {
                ByteString whole = ByteString.of("w" + LONG);
                ByteString cut = ByteString.of("c" + LONG);
                try (TreeWriter writer = TreeWriter.in(Linux.calls(), plans.source())) {
                    writer.file(whole, 1, 1).sparse(cut, 2 << 20, 0);
                    for (int i = 1; i < NAMES; i++) {
                        writer.hardLink(whole, ByteString.of("w" + LONG + i))
                                .hardLink(cut, ByteString.of("c" + LONG + i));
                    }
                }
                plans.write(plans.request(batching).withChunkBytes(1 << 20).withLimits(1, new BatchLimits(3, 100, 0)));
                Plan plan = plans.open();
                assertThat(Plans.entries(plan).values())
                        .extracting(batch -> batch.stream().filter(entry -> entry.chunk() == null).count())
                        .filteredOn(names -> names > 0)
                        .containsExactly((long) NAMES);
                assertThat(Plans.all(plan.chunked())).singleElement()
                        .satisfies(file -> assertThat(file.links()).hasSize(NAMES - 1));
            }
        }
    }
}
