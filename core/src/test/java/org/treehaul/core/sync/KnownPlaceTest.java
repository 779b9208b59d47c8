// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.sync;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;

import org.junit.jupiter.api.Test;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.testing.TestDirectory;

class KnownPlaceTest {

    private static final long NFS = 0x6969;
    private static final long EXT4 = 0xEF53;
    private static final long BTRFS = 0x9123683EL;
    private static final long ZFS = 0x2FC12FC1L;

    // Lines of /proc/self/mountinfo.
    private static final String MOUNTS = """
            22 27 0:21 / /proc rw,relatime - proc proc rw
            45 27 0:52 / /data rw,relatime shared:3 - nfs4 server:/export/data rw,vers=4.2
            46 27 0:60 / /pool rw - zfs tank/home@monday rw,xattr,posixacl
            47 27 0:61 / /live rw - zfs tank/home rw,xattr,posixacl
            48 27 8:1 / /disk rw shared:9 - ext4 /dev/sda1 rw
            """;

    private static String identity(long type, long number, long device) {
        return KnownPlace.identity(type, number, device, MOUNTS);
    }

    @Test
    void aNumberIdentifiesAFileSystemWhateverItsDevice() {
        assertThat(identity(EXT4, 77, 0x801)).isEqualTo(identity(EXT4, 77, 0x811))
                .isNotEqualTo(identity(EXT4, 78, 0x801));
    }

    @Test
    void aServerIdentifiesAFileSystemWithoutANumber() {
        assertThat(identity(NFS, 0, 52)).isEqualTo("6969 server:/export/data");
        assertThat(identity(NFS, 0, 53)).isEqualTo("6969 ");
    }

    @Test
    void aSnapshotHasTheIdentityOfWhatItShows() {
        assertThat(identity(ZFS, 5, 60)).isEqualTo(identity(ZFS, 6, 61)).isEqualTo("2fc12fc1 tank/home");
        assertThat(identity(BTRFS, 0x105L << 32 | 0xABCDEF01L, 70))
                .isEqualTo(identity(BTRFS, 0x106L << 32 | 0xABCDEF01L, 71));
    }

    @Test
    void twoDirectoriesOfAFileSystemDifferInTheirInode() throws Exception {
        try (TestDirectory place = TestDirectory.onTmpfs()) {
            Path one = place.directory("one");
            KnownPlace first = KnownPlace.of(Linux.calls(), SyncTrees.bytes(one.toString()));
            KnownPlace second = KnownPlace.of(Linux.calls(), SyncTrees.bytes(place.directory("two").toString()));
            assertThat(first.fileSystem()).isEqualTo(second.fileSystem());
            assertThat(first.id()).isNotEqualTo(second.id());
            assertThat(first).isEqualTo(KnownPlace.of(Linux.calls(), SyncTrees.bytes(one + "/.")));
        }
    }
}
