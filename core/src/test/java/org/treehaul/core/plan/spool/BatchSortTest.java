// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.plan.spool;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.LongStream;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.plan.format.ChunkRange;
import org.treehaul.core.plan.format.ManifestWriter;
import org.treehaul.core.plan.format.SpooledStatus;

class BatchSortTest {

    private static final int CHUNKS = 1_000;
    private static final SpooledStatus STATUS = new SpooledStatus(EntryKind.REGULAR, CHUNKS, 8, 1, 2, 3, 4, 5, 6);

    @TempDir
    private Path directory;

    private static SpoolKey key(String name) {
        return SpoolKey.parse(SpoolKey.of(0, new byte[0], name.getBytes(StandardCharsets.UTF_8)), 0);
    }

    private long fileBytes() throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.mapToLong(file -> file.toFile().length()).sum();
        }
    }

    @Test
    void aChunkTakesTheSameBytesHoweverManyChunksTheFileHas() throws IOException {
        SpooledEntry cut = new SpooledEntry(SpooledEntry.Role.FIRST, 0, STATUS, Collections.nCopies(CHUNKS, 9),
                LongStream.range(1, CHUNKS).boxed().toList());
        try (BatchSort sort = new BatchSort(new ExternalSort(directory, "x", false, 4096))) {
            for (int i = 0; i < CHUNKS; i++) {
                sort.add(0, key("cut"), cut, 1, 1, new ChunkRange(i, CHUNKS, i, i + 1));
            }
            assertThat(fileBytes()).isBetween(CHUNKS * 50L, CHUNKS * 200L);
        }
    }

    @Test
    void manifestsAreThoseThatAreWrittenSideBySide() throws IOException {
        SpooledStatus withoutChangeTime = new SpooledStatus(EntryKind.SYMLINK, 3, 0, 1, 2, 3, 4);
        List<SpooledEntry> entries = List.of(
                new SpooledEntry(SpooledEntry.Role.FIRST, 0, STATUS, List.of(1, 2), List.of(500L)),
                new SpooledEntry(SpooledEntry.Role.SINGLE, 0, withoutChangeTime));
        List<byte[]> expected = new ArrayList<>();
        List<ByteArrayOutputStream> written = new ArrayList<>();
        try (BatchSort sort = new BatchSort(new ExternalSort(directory, "x", false, 4096))) {
            for (int batch = 0; batch < 2; batch++) {
                ByteArrayOutputStream out = new ByteArrayOutputStream();
                try (ManifestWriter manifest = new ManifestWriter(out, 100, batch)) {
                    for (int i = 0; i < entries.size(); i++) {
                        SpooledEntry entry = entries.get(i);
                        SpoolKey key = key("f" + i);
                        ChunkRange chunk = entry.cuts().isEmpty() ? null : new ChunkRange(0, 2, 0, 500);
                        manifest.add(0, key.path(), key.nameStart(), entry.status(), 7, 1 - i, chunk);
                        sort.add(batch, key, entry, 7, 1 - i, chunk);
                    }
                    assertThat(manifest.end().entries()).isEqualTo(2);
                }
                expected.add(out.toByteArray());
            }
            sort.write(batch -> {
                written.add(new ByteArrayOutputStream());
                return new ManifestWriter(written.getLast(), 100, batch);
            }, batch -> assertThat(batch.entries()).isEqualTo(2));
        }
        assertThat(written).extracting(ByteArrayOutputStream::toByteArray).containsExactlyElementsOf(expected);
    }
}
