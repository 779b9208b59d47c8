// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.treehaul.core.state.StateFile;

/** Directories that may be the one of which a file has the identity. */
class StateIdentityTest {

    private static final long EXT4 = 0xEF53;
    private static final long BTRFS = 0x9123683EL;
    private static final long XFS = 0x58465342;

    private static boolean isOf(String recorded, String own) {
        return StateIdentity.isOf(StateFile.empty().with("inode", 2).with("file-system", recorded), "2", own);
    }

    @Test
    void rootsOfFileSystemsWithTheSameInodeNumberAreKeptApart() {
        String first = StateIdentity.fileSystem(EXT4, 11);
        assertThat(isOf(first, first)).isTrue();
        assertThat(isOf(first, StateIdentity.fileSystem(EXT4, 12))).isFalse();
        assertThat(isOf(first, StateIdentity.fileSystem(BTRFS, 11))).isFalse();
        assertThat(StateIdentity.isOf(StateFile.empty().with("inode", 2).with("file-system", first), "3", first))
                .isFalse();
    }

    @Test
    void nodesThatSeeTheDirectoryOverANetworkGoByTheInodeAlone() {
        String server = StateIdentity.fileSystem(EXT4, 11);
        String client = StateIdentity.fileSystem(0x6969, 4711);
        assertThat(isOf(server, client)).isTrue();
        assertThat(isOf(client, server)).isTrue();
        assertThat(StateIdentity.fileSystem(XFS, 0x801)).as("the number of a device, which may change").isEmpty();
        assertThat(StateIdentity.isOf(StateFile.empty(), "2", server)).as("of an earlier version").isTrue();
    }
}
