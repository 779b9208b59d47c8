// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.fs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.treehaul.core.fs.LinuxConstants.AT_FDCWD;
import static org.treehaul.core.fs.LinuxConstants.O_DIRECTORY;
import static org.treehaul.core.fs.LinuxConstants.O_NOFOLLOW;
import static org.treehaul.core.fs.LinuxConstants.O_PATH;
import static org.treehaul.core.fs.LinuxConstants.O_RDONLY;

import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.testing.Privilege;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.core.testing.TreeWriter;

class ExtendedAttributesTest {

    private static final AttributePolicy ALL = new AttributePolicy(true, true, true);
    private static final ByteString A = ByteString.of("user.a");
    private static final ByteString B = ByteString.of("user.b");

    private final TestDirectory tree = TestDirectory.make();
    private final FileAccess access = FileAccess.open(Linux.calls());
    private int directory;

    @BeforeEach
    void makeFiles() throws SystemCallException {
        try (TreeWriter writer = TreeWriter.in(Linux.calls(), tree.path())) {
            writer.file(ByteString.of("f"), 1, 1)
                    .symlink(ByteString.of("l"), ByteString.of("f"))
                    .special(ByteString.of("p"), EntryKind.FIFO, 0);
        }
        directory = access.open(AT_FDCWD, access.name(tree.path().toString().getBytes(StandardCharsets.UTF_8)),
                O_PATH | O_DIRECTORY, 0);
    }

    @AfterEach
    void removeFiles() {
        access.closeQuietly(directory);
        access.close();
        tree.close();
    }

    private MemorySegment name(String name) throws SystemCallException {
        return access.name(name.getBytes(StandardCharsets.UTF_8));
    }

    private void set(String name, ByteString attribute, ByteString value) throws SystemCallException {
        int node = access.open(directory, name(name), O_PATH | O_NOFOLLOW, 0);
        try {
            ExtendedAttributes.setAtNode(access, node, attribute, value);
        } finally {
            access.closeQuietly(node);
        }
    }

    @Test
    void attributesSetByNameAreReadByDescriptorAndTheOtherWayRound() throws SystemCallException {
        ByteString value = ByteString.of(new byte[]{0, 1, -1, '\n'});
        set("f", A, value);
        int file = access.open(directory, name("f"), 0, 0);
        int node = access.open(directory, name("f"), O_PATH | O_NOFOLLOW, 0);
        try {
            assertThat(ExtendedAttributes.get(access, file, A)).contains(value);
            ExtendedAttributes.set(access, file, B, ByteString.empty());
            assertThat(ExtendedAttributes.read(access, directory, name("f"), access.status(directory, name("f")), ALL,
                    new AclListing())).containsEntry(A, value).containsEntry(B, ByteString.empty()).hasSize(2);
            assertThat(ExtendedAttributes.list(access, file, ALL)).containsExactly(A, B);
            ExtendedAttributes.remove(access, file, A);
            ExtendedAttributes.removeAtNode(access, node, B);
            ExtendedAttributes.removeAtNode(access, node, B);
            assertThat(ExtendedAttributes.read(access, file, access.status(file), ALL, new AclListing())).isEmpty();
            assertThat(ExtendedAttributes.get(access, directory, name("f"), A)).isEmpty();
        } finally {
            access.closeQuietly(node);
            access.closeQuietly(file);
        }
    }

    @Test
    void aLinkIsNotFollowedAndAFifoNotOpened() throws SystemCallException {
        set("f", A, ByteString.of("of the file"));
        assertThat(ExtendedAttributes.read(access, directory, name("l"), access.status(directory, name("l")), ALL,
                new AclListing())).isEmpty();
        assertThat(ExtendedAttributes.read(access, directory, name("p"), access.status(directory, name("p")), ALL,
                new AclListing())).isEmpty();
        assertThatThrownBy(() -> set("l", A, ByteString.of("x"))).isInstanceOf(SystemCallException.class);
    }

    @Test
    void aLinksOwnAttributesAreRead() throws SystemCallException {
        Privilege.requireCapability(Privilege.SYS_ADMIN, "links have trusted.* only");
        ByteString trusted = ByteString.of("trusted.test");
        set("l", trusted, ByteString.of("of the link"));
        assertThat(ExtendedAttributes.get(access, directory, name("l"), trusted))
                .contains(ByteString.of("of the link"));
        assertThat(ExtendedAttributes.get(access, directory, name("f"), trusted)).isEmpty();
        assertThat(ExtendedAttributes.list(access, directory, name("l"), new AttributePolicy(true, true, false)))
                .isEmpty();
    }

    @Test
    void aFileSystemWithoutAttributesHasNone() throws SystemCallException {
        try (FileAccess faulty = FileAccess.open(FaultInjectingCalls.over(Linux.calls(),
                Fault.on(Call.LLISTXATTR, Call.FLISTXATTR).fails(Errno.EOPNOTSUPP)))) {
            assertThat(ExtendedAttributes.read(faulty, directory, faulty.name("f".getBytes(StandardCharsets.UTF_8)),
                    faulty.status(directory, faulty.name("f".getBytes(StandardCharsets.UTF_8))), ALL, new AclListing()))
                    .isEmpty();
        }
    }

    @Test
    void attributesThatChangeBetweenListAndReadAreReadAgainOrOmitted() throws SystemCallException {
        set("f", A, ByteString.of("1"));
        set("f", B, ByteString.of("2"));
        FaultInjectingCalls calls = FaultInjectingCalls.over(Linux.calls(),
                Fault.on(Call.LLISTXATTR).times(2).fails(Errno.ERANGE),
                Fault.on(Call.LGETXATTR).nth(1).fails(Errno.ENODATA),
                Fault.on(Call.LGETXATTR).nth(2).fails(Errno.ERANGE));
        try (FileAccess faulty = FileAccess.open(calls)) {
            assertThat(ExtendedAttributes.read(faulty, directory, faulty.name("f".getBytes(StandardCharsets.UTF_8)),
                    faulty.status(directory, faulty.name("f".getBytes(StandardCharsets.UTF_8))), ALL, new AclListing()))
                    .containsOnlyKeys(B);
        }
    }

    @Test
    void longListsAndValuesAreReadWhole() throws SystemCallException {
        ByteString value = ByteString.of("v".repeat(1500));
        List<ByteString> names = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            names.add(ByteString.of("user.attribute" + i + "-".repeat(200)));
            set("f", names.get(i), i == 0 ? value : ByteString.of("1"));
        }
        int file = access.open(directory, name("f"), O_RDONLY, 0);
        assertThat(ExtendedAttributes.list(access, file, ALL)).isEqualTo(names);
        assertThat(ExtendedAttributes.list(access, directory, name("f"), ALL)).isEqualTo(names);
        assertThat(ExtendedAttributes.get(access, file, names.getFirst())).contains(value);
        assertThat(ExtendedAttributes.get(access, directory, name("f"), names.getFirst())).contains(value);
        access.close(file);
    }

    @ParameterizedTest
    @ValueSource(ints = {Errno.ENOSYS, Errno.EPERM})
    void aKernelWithoutTheCallByDescriptorListsByPath(int errno) throws SystemCallException {
        set("f", A, ByteString.of("1"));
        try (FileAccess faulty = FileAccess
                .open(FaultInjectingCalls.over(Linux.calls(), Fault.on(Call.LLISTXATTR).nth(1).fails(errno)))) {
            assertThat(ExtendedAttributes.list(faulty, directory, name("f"), ALL)).containsExactly(A);
            assertThat(ExtendedAttributes.list(faulty, directory, name("f"), ALL)).containsExactly(A);
        }
    }

    @Test
    void otherErrorsAreThrown() {
        try (FileAccess faulty = FileAccess
                .open(FaultInjectingCalls.over(Linux.calls(), Fault.on(Call.LLISTXATTR).fails(Errno.EIO)))) {
            assertThatThrownBy(() -> ExtendedAttributes.read(faulty, directory,
                    faulty.name("f".getBytes(StandardCharsets.UTF_8)),
                    faulty.status(directory, faulty.name("f".getBytes(StandardCharsets.UTF_8))), ALL, new AclListing()))
                    .isInstanceOf(SystemCallException.class)
                    .hasMessageContaining("listxattr");
        }
    }

    @ParameterizedTest
    @CsvSource({"user.x,true,false,false", "security.capability,true,false,false",
            "system.posix_acl_access,false,true,false", "system.posix_acl_default,false,true,false",
            "trusted.mine,false,false,true", "trusted.lov,false,false,false", "trusted.gfid,false,false,false",
            "trusted.glusterfs.dht,false,false,false", "trusted.afr.dirty,false,false,false",
            "lustre.lov,false,false,false", "glusterfs.x,false,false,false", "security.selinux,false,false,false",
            "system.nfs4_acl,false,false,false", "btrfs.compression,false,false,false"})
    void thePolicyPermitsEachNamespaceByItself(String name, boolean user, boolean acl, boolean trusted) {
        assertThat(new AttributePolicy(true, false, false).permits(name)).isEqualTo(user);
        assertThat(new AttributePolicy(false, true, false).permits(name)).isEqualTo(acl);
        assertThat(new AttributePolicy(false, false, true).permits(name)).isEqualTo(trusted);
        assertThat(ALL.permits(name)).isEqualTo(user || acl || trusted);
    }
}
