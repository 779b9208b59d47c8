// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.fs;

import static org.treehaul.core.fs.LinuxConstants.AT_FDCWD;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileStatus;

/**
 * Knows where the list of a file's extended attributes names its ACLs. MooseFS, for one, answers getxattr(2) for them
 * and leaves them out of listxattr(2): a file that is taken for one without an ACL would be open to its group as far as
 * the ACL's mask goes. So ACLs are asked for by name wherever it is not known that they are listed.
 *
 * <p>
 * May be used by any number of threads at once; the type of a file system is asked for once.
 */
public final class AclListing {

    // linux/magic.h: ext2 to ext4, XFS, Btrfs, tmpfs. ListedAclsTest holds each to it.
    private static final Set<Long> LISTING = Set.of(0xEF53L, 0x58465342L, 0x9123683EL, 0x01021994L);

    private static final List<ByteString> OF_FILE = List.of(ExtendedAttributes.ACL_ACCESS);
    private static final List<ByteString> OF_DIRECTORY = List.of(ExtendedAttributes.ACL_ACCESS,
            ExtendedAttributes.ACL_DEFAULT);

    private final Map<Long, Boolean> listing = new ConcurrentHashMap<>();

    /**
     * Returns the ACLs that are to be asked for by name. Overwrites the access's buffer.
     *
     * @param descriptor the file, or the directory that it is in
     * @param file its status
     */
    public List<ByteString> unlisted(FileAccess access, int descriptor, FileStatus file) {
        if (file.kind() == EntryKind.SYMLINK || isListing(access, descriptor, file.device())) {
            return List.of();
        }
        return file.kind() == EntryKind.DIRECTORY ? OF_DIRECTORY : OF_FILE;
    }

    private boolean isListing(FileAccess access, int descriptor, long device) {
        Boolean known = listing.get(device);
        if (known != null) {
            return known;
        }
        if (descriptor == AT_FDCWD) {
            // Nothing is open that could be asked.
            return false;
        }
        boolean isListing = LISTING.contains(access.fileSystemType(descriptor));
        listing.put(device, isListing);
        return isListing;
    }
}
