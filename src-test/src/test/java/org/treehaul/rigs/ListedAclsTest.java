// SPDX-License-Identifier: Apache-2.0
package org.treehaul.rigs;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.fs.AclListing;
import org.treehaul.core.fs.AttributePolicy;
import org.treehaul.core.fs.ExtendedAttributes;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.LinuxConstants;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.programs.Programs;

/** File systems on which the list of attributes is the only place to find ACLs do list them. */
@Tag("rig")
class ListedAclsTest {

    private static final AttributePolicy ACLS = new AttributePolicy(false, true, false);

    private static Mount mount(String type) {
        return switch (type) {
            case "ext2" -> Mount.ext2(16);
            case "ext4" -> Mount.ext4(16);
            case "xfs" -> Mount.xfs();
            case "btrfs" -> Mount.btrfs();
            default -> Mount.tmpfs("size=16m");
        };
    }

    @ParameterizedTest
    @ValueSource(strings = {"ext2", "ext4", "xfs", "btrfs", "tmpfs"})
    void aclsAreListedWhereTheyAreNotAskedForByName(String type) throws Exception {
        Programs.require("setfacl", "acl");
        try (Mount mount = mount(type); FileAccess access = FileAccess.open(Linux.calls())) {
            Path directory = mount.resolve("d");
            Programs.run("mkdir", directory);
            Programs.run("setfacl", "-m", "u:1234:r,d:u:1234:r", directory);
            int flags = LinuxConstants.O_DIRECTORY;
            int descriptor = access.open(LinuxConstants.AT_FDCWD,
                    access.name(directory.toString().getBytes(StandardCharsets.UTF_8)), flags, 0);
            try {
                FileStatus status = access.status(descriptor);
                assertThat(new AclListing().unlisted(access, descriptor, status)).isEmpty();
                assertThat(ExtendedAttributes.list(access, descriptor, ACLS))
                        .isEqualTo(List.of(ExtendedAttributes.ACL_ACCESS, ExtendedAttributes.ACL_DEFAULT));
            } finally {
                access.closeQuietly(descriptor);
            }
        }
    }
}
