// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.fs;

import static org.treehaul.core.fs.LinuxConstants.AT_FDCWD;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileStatus;

/**
 * Detects whether the attribute lists of a file system include a file's ACLs. MooseFS, for example, answers getxattr(2)
 * for ACLs but omits them from listxattr(2): a copy that takes such a file for one without an ACL would open it to its
 * group as far as the ACL's mask allows. ACLs are therefore requested by name unless the file system is known to list
 * them.
 *
 * <p>
 * Safe for any number of threads; the type of each file system is read only once.
 */
public final class AclListing {

    // linux/magic.h: ext2 to ext4, XFS, Btrfs, tmpfs. ListedAclsTest checks each of them.
    private static final Set<Long> LISTING = Set.of(0xEF53L, 0x58465342L, 0x9123683EL, 0x01021994L);

    private static final List<ByteString> OF_FILE = List.of(ExtendedAttributes.ACL_ACCESS);
    private static final List<ByteString> OF_DIRECTORY = List.of(ExtendedAttributes.ACL_ACCESS,
            ExtendedAttributes.ACL_DEFAULT);

    private record Known(long device, boolean isListing) {}

    private final Map<Long, Boolean> listing = new ConcurrentHashMap<>();

    // Most files are on the same device as the file before.
    private volatile @Nullable Known last;

    /**
     * Returns the ACLs that the caller must request by name. Overwrites the access's buffer.
     *
     * @param descriptor the file, or the directory that contains it
     * @param file its status
     */
    public List<ByteString> unlisted(FileAccess access, int descriptor, FileStatus file) {
        if (file.kind() == EntryKind.SYMLINK || isListing(access, descriptor, file.device())) {
            return List.of();
        }
        return file.kind() == EntryKind.DIRECTORY ? OF_DIRECTORY : OF_FILE;
    }

    /**
     * Returns whether the attribute lists of a file system are known to include ACLs.
     *
     * @param descriptor a file on it, or the directory that contains one
     * @param device its device
     */
    public boolean isListing(FileAccess access, int descriptor, long device) {
        Known before = last;
        if (before != null && before.device() == device) {
            return before.isListing();
        }
        Boolean known = listing.get(device);
        if (known != null) {
            last = new Known(device, known);
            return known;
        }
        if (descriptor == AT_FDCWD) {
            // There is no open descriptor whose file system could be asked.
            return false;
        }
        boolean isListing = LISTING.contains(access.fileSystemType(descriptor));
        listing.put(device, isListing);
        return isListing;
    }
}
