// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy.store;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.copy.options.CopyPair;
import org.treehaul.core.copy.outcome.CopyResult;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.Progress;
import org.treehaul.core.storage.DiscardStore;
import org.treehaul.core.storage.GeneratedTree;
import org.treehaul.core.walk.options.Root;

/**
 * A generated source and a target that discards carry any number of entries through the copy between stores, in the
 * small heap of the tests. Each file has its number as data, so the sums show that each was copied once.
 *
 * <p>
 * {@code -Dtreehaul.entries=NUMBER} sets the number of entries of the campaign.
 */
class StoreCampaignTest {

    private static final int FILES = 999;
    private static final long HUNDRED_MILLION = 100_000_000;

    private static void carries(GeneratedTree tree) {
        DiscardStore target = new DiscardStore();
        CopyPair names = new CopyPair(Root.of(ByteString.of("generated:")), ByteString.of("discard:"));
        CopyResult result = StoreCopier.of(names, () -> tree, target::target, CopyOptions.archive().build())
                .copy(event -> {
                }, new Progress(), new Cancellation());
        assertThat(result.isSuccess()).isTrue();
        long files = tree.fileCount();
        assertThat(result.counts().entries()).isEqualTo(tree.directoryCount() + files + tree.leafCount());
        assertThat(target.sums()).isEqualTo(new DiscardStore.Sums(tree.directoryCount(), tree.directoryCount(), files,
                files * (files - 1) / 2, bytes(files), tree.leafCount(), 0));
        assertThat(result.counts().bytes()).isEqualTo(target.sums().bytes());
    }

    private static long bytes(long files) {
        long bytes = 0;
        for (long number = 0; number < files; number++) {
            bytes += GeneratedTree.size(number);
        }
        return bytes;
    }

    @Test
    void aHundredThousandEntriesAreCarriedOnce() {
        carries(new GeneratedTree(10, FILES));
    }

    @Test
    @Tag("campaign")
    void aHundredMillionEntriesAreCarriedOnce() {
        long entries = Long.getLong("treehaul.entries", HUNDRED_MILLION);
        carries(new GeneratedTree((int) Math.ceil(Math.sqrt(entries / (FILES + 1.0))), FILES));
    }
}
