// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy.data;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.linux.Linux;

class CopyRulesTest {

    private static final long EXT4 = 0xEF53;
    private static final long FUSE = 0x65735546;

    private static FileStatus file(long size, long blocks) {
        int mode = EntryKind.REGULAR.typeBits() | 0644;
        return new FileStatus(mode, 1, 1, 1, 2, 3, 0, size, blocks, 0, 0, 0, 0, 0, 0, false, 0, 0);
    }

    private static boolean maySparse(CopyOptions.When when, long size, long blocks) {
        try (FileAccess access = FileAccess.open(Linux.calls())) {
            CopyOptions options = CopyOptions.builder().sparse(when).build();
            return new CopyRules(options, new FileSystemPairs(), access).maySparse(file(size, blocks));
        }
    }

    @ParameterizedTest
    @CsvSource({"AUTO,8192,8,true", "AUTO,8192,9,false", "AUTO,8192,16,false", "AUTO,100,0,false",
            "ALWAYS,8192,16,true", "ALWAYS,4095,0,false", "NEVER,8192,0,false"})
    void aFileIsSearchedForHolesWhereItMayHaveOne(CopyOptions.When when, long size, long blocks, boolean expected) {
        assertThat(maySparse(when, size, blocks)).isEqualTo(expected);
    }

    private static boolean byKernel(CopyOptions options, long targetDevice, long type) {
        FileSystemPairs fileSystems = new FileSystemPairs();
        fileSystems.nature(targetDevice, () -> type);
        try (FileAccess access = FileAccess.open(Linux.calls())) {
            return new CopyRules(options, fileSystems, access).byKernel(file(8192, 16), targetDevice, -1);
        }
    }

    @Test
    void theKernelCopiesDataThatNeedNotBeReadWithinOneKnownFileSystem() {
        CopyOptions plain = CopyOptions.builder().build();
        assertThat(byKernel(plain, 3, EXT4)).isTrue();
        assertThat(byKernel(plain, 4, EXT4)).isFalse();
        assertThat(byKernel(plain, 3, FUSE)).isFalse();
        assertThat(byKernel(CopyOptions.builder().verify(CopyOptions.Verify.XXH3).build(), 3, EXT4)).isFalse();
        assertThat(byKernel(CopyOptions.builder().sparse(CopyOptions.When.ALWAYS).build(), 3, EXT4)).isFalse();
        assertThat(byKernel(CopyOptions.builder().reflink(CopyOptions.When.NEVER).build(), 3, EXT4)).isFalse();
    }
}
