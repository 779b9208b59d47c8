// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.compare;

import static org.treehaul.core.fs.LinuxConstants.O_NONBLOCK;
import static org.treehaul.core.fs.LinuxConstants.O_RDONLY;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.StringJoiner;
import java.util.TreeSet;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.fs.AclListing;
import org.treehaul.core.fs.AttributePolicy;
import org.treehaul.core.fs.ExtendedAttributes;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.SystemCallException;

/** Compares the extended attributes and ACLs of two entries. */
final class AttributeComparison {

    // Reported values are cut to this length; attribute names are reported whole.
    private static final int SHOWN_BYTES = 64;

    private static final long NO_DEVICE = -1;

    private final AttributePolicy policy;
    private final AclListing aclListing = new AclListing();

    // The devices on each side of which the last file was, if the attribute lists of their file systems include ACLs.
    private long listingDeviceA = NO_DEVICE;
    private long listingDeviceB = NO_DEVICE;

    AttributeComparison(CompareOptions options) {
        boolean attributes = options.compares(DifferenceKind.XATTR);
        policy = new AttributePolicy(attributes, options.compares(DifferenceKind.ACL), attributes && options.trusted());
    }

    void compare(EntryPair pair, FileAccess access, Consumer<Difference> sink) throws SideException {
        // A symbolic link has no ACL, and the kernel allows no user.* on it (xattr(7)).
        if (policy.isEmpty() || pair.kind() == EntryKind.SYMLINK && !policy.trusted()) {
            return;
        }
        SortedMap<ByteString, ByteString> a = read(pair, Side.A, access);
        SortedMap<ByteString, ByteString> b = read(pair, Side.B, access);
        if (!a.equals(b)) {
            TreePath path = pair.found().path();
            report(DifferenceKind.XATTR, path, a, b, sink);
            report(DifferenceKind.ACL, path, a, b, sink);
        }
    }

    /**
     * Returns whether neither of two regular files has an attribute to compare, as far as the lists of attributes show.
     *
     * @param index the position of both files among the statuses that were read ahead
     * @param descriptorA the first file, open for reading, or its directory
     * @param descriptorB the second one, or its directory
     * @param name the name of both in their directories; null if they are open
     */
    boolean areAbsent(FileAccess access, int index, int descriptorA, int descriptorB, @Nullable MemorySegment name)
            throws SideException {
        if (policy.isEmpty()) {
            return true;
        }
        long deviceA = access.seen().device(index);
        long deviceB = access.otherSeen().device(index);
        if (policy.acl() && (deviceA != listingDeviceA || deviceB != listingDeviceB)) {
            if (!aclListing.isListing(access, descriptorA, deviceA)
                    || !aclListing.isListing(access, descriptorB, deviceB)) {
                return false;
            }
            listingDeviceA = deviceA;
            listingDeviceB = deviceB;
        }
        return isEmpty(Side.A, access, descriptorA, name) && isEmpty(Side.B, access, descriptorB, name);
    }

    private boolean isEmpty(Side side, FileAccess access, int descriptor, @Nullable MemorySegment name)
            throws SideException {
        try {
            return (name == null
                    ? ExtendedAttributes.list(access, descriptor, policy)
                    : ExtendedAttributes.list(access, descriptor, name, policy)).isEmpty();
        } catch (SystemCallException e) {
            throw SideException.of(side, e);
        }
    }

    private SortedMap<ByteString, ByteString> read(EntryPair pair, Side side, FileAccess access) throws SideException {
        try {
            return pair.follow(side)
                    ? readFollowed(pair, side, access)
                    : ExtendedAttributes.read(access, pair.directory(side), pair.name(side), pair.status(side), policy,
                            aclListing);
        } catch (SystemCallException e) {
            throw SideException.of(side, e);
        }
    }

    // The calls by name apply to a link itself, so the target of a followed link must be opened; devices are better not
    // opened.
    private SortedMap<ByteString, ByteString> readFollowed(EntryPair pair, Side side, FileAccess access)
            throws SystemCallException {
        EntryKind kind = pair.kind();
        if (kind != EntryKind.REGULAR && kind != EntryKind.DIRECTORY) {
            return Collections.emptySortedMap();
        }
        int descriptor = access.open(pair.directory(side), pair.name(side), O_RDONLY | O_NONBLOCK, 0);
        try {
            return ExtendedAttributes.read(access, descriptor, pair.status(side), policy, aclListing);
        } finally {
            access.closeQuietly(descriptor);
        }
    }

    private static void report(DifferenceKind kind, TreePath path, SortedMap<ByteString, ByteString> a,
            SortedMap<ByteString, ByteString> b, Consumer<Difference> sink) {
        SortedSet<ByteString> names = new TreeSet<>(a.keySet());
        names.addAll(b.keySet());
        List<ByteString> differing = new ArrayList<>();
        for (ByteString name : names) {
            boolean isAcl = name.equals(ExtendedAttributes.ACL_ACCESS) || name.equals(ExtendedAttributes.ACL_DEFAULT);
            if (isAcl == (kind == DifferenceKind.ACL) && !Objects.equals(a.get(name), b.get(name))) {
                differing.add(name);
            }
        }
        if (!differing.isEmpty()) {
            sink.accept(Difference.ofAttributes(kind, path, text(differing, a), text(differing, b), differing));
        }
    }

    private static String text(List<ByteString> names, SortedMap<ByteString, ByteString> values) {
        StringJoiner text = new StringJoiner(" ");
        for (ByteString name : names) {
            text.add(text(name, values.get(name)));
        }
        return text.toString();
    }

    private static String text(ByteString name, @Nullable ByteString value) {
        if (name.equals(ExtendedAttributes.ACL_ACCESS) || name.equals(ExtendedAttributes.ACL_DEFAULT)) {
            String which = name.equals(ExtendedAttributes.ACL_DEFAULT) ? "default:" : "";
            return which + (value == null ? "none" : AclText.of(value));
        }
        if (value == null) {
            return name + " absent";
        }
        byte[] bytes = value.toBytes();
        boolean isCut = bytes.length > SHOWN_BYTES;
        String shown = isCut ? ByteString.escape(Arrays.copyOf(bytes, SHOWN_BYTES)) : value.toString();
        return name + "=\"" + shown + (isCut ? "\"... (" + bytes.length + " bytes)" : "\"");
    }
}
