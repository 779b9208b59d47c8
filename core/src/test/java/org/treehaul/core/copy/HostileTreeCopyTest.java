// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy;

import java.util.EnumSet;
import java.util.Set;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.copy.options.CopyOptionsBuilder;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.testing.HostileTree;
import org.treehaul.core.testing.HostileTree.Part;

/** Trees with everything known to cause trouble in copies, copied and compared. */
class HostileTreeCopyTest {

    // Files with 5 GiB of holes take rsync minutes in its walk of the source.
    private static final Set<Part> FOR_RSYNC = EnumSet.complementOf(EnumSet.of(Part.SPARSE, Part.DEEP_PATH));

    static Stream<Arguments> ways() {
        return Stream.of(Arguments.of("tmpfs", "one thread", Copies.archive().threads(1)), Arguments.of("tmpfs",
                "8 threads, chunks, XXH3",
                Copies.archive().threads(8).chunkBytes(HostileTree.CHUNK_BYTES).verify(CopyOptions.Verify.XXH3)),
                Arguments.of("disk", "2 threads, chunks", Copies.archive().chunkBytes(HostileTree.CHUNK_BYTES)),
                Arguments.of("disk", "1 thread, SHA-256",
                        Copies.archive().threads(1).verify(CopyOptions.Verify.SHA256)));
    }

    @ParameterizedTest(name = "{0}, {1}")
    @MethodSource("ways")
    void isCopiedAndCopiedAgainOverItself(String where, String how, CopyOptionsBuilder options) {
        try (Copies copies = where.equals("tmpfs") ? Copies.onTmpfs() : Copies.onDisk()) {
            HostileTree.make(Linux.calls(), copies.source());
            copies.copy(options.build()).succeeds();
            copies.isCopied();
            // Existing devices and FIFOs are written through, so they are not copies of the source's.
            copies.copy(options.build());
            copies.hasNoTemporaries().isCopied();
        }
    }

    @Test
    void anotherProgramSeesNoDifference() {
        try (Copies copies = Copies.onDisk()) {
            HostileTree.make(Linux.calls(), copies.source(), FOR_RSYNC);
            copies.copy(Copies.archive().build()).succeeds();
            copies.agreesWithRsync();
        }
    }
}
