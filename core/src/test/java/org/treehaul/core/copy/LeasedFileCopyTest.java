// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.treehaul.core.copy.Copies.archive;
import static org.treehaul.core.copy.Copies.path;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.testing.LeaseHolder;

/** Copies of and over files on which another process holds a lease: they wait for the lease, like cp. */
class LeasedFileCopyTest {

    @ParameterizedTest
    @ValueSource(ints = {10, 1_000_000})
    void aSourceIsWaitedFor(int size) {
        try (Copies copies = Copies.onTmpfs()) {
            copies.with(writer -> writer.file(path("d/f"), size, 1));
            try (LeaseHolder holder = LeaseHolder.of(copies.source().resolve("d/f"))) {
                copies.copy(holder.calls(), archive().build()).succeeds();
                assertThat(holder.wasAsked()).isTrue();
            }
            copies.isCopied();
        }
    }

    @Test
    void aSourceThatAnArgumentLinksToIsWaitedFor() {
        try (Copies copies = Copies.onTmpfs()) {
            copies.with(writer -> writer.file(path("f"), 10, 1).symlink(path("link"), path("f")))
                    .there(writer -> writer.directory(path("")));
            try (LeaseHolder holder = LeaseHolder.of(copies.source().resolve("f"))) {
                copies.copyOne(holder.calls(), CopyOptions.builder().threads(2).build(), "link", "f").succeeds();
                assertThat(holder.wasAsked()).isTrue();
            }
            assertThat(copies.at("f")).hasSameBinaryContentAs(copies.source().resolve("f"));
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aTargetIsWaitedForWhereItIsWrittenTo(boolean inPlace) {
        try (Copies copies = Copies.onTmpfs()) {
            copies.with(writer -> writer.file(path("d/f"), 10, 1)).there(writer -> writer.file(path("d/f"), 20, 2));
            CopyOptions options = archive().inPlace(inPlace).verify(CopyOptions.Verify.XXH3).build();
            try (LeaseHolder holder = LeaseHolder.of(copies.at("d/f"))) {
                copies.copy(holder.calls(), options).succeeds();
                // A replaced file is not opened, so its lease does not matter.
                assertThat(holder.wasAsked()).isEqualTo(inPlace);
            }
            copies.isCopied();
        }
    }
}
