// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.testing;

import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;

import org.assertj.core.api.AbstractAssert;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileStatus;

/** Compares two {@link TreeListing}s and reports their differences. */
public final class TreeAssert extends AbstractAssert<TreeAssert, TreeListing> {

    private static final int MOST_DIFFERENCES = 50;
    private static final int BLOCK_BYTES = 512; // the unit of st_blocks, stat(2)

    // Two file systems may allocate the same file in extents of different sizes.
    private static final long ALLOCATION_SLACK = 128 * 1024;

    private Set<Aspect> aspects = EnumSet.allOf(Aspect.class);

    /** The compared aspects; by default all of these. The set of entries and their kinds are always compared. */
    public enum Aspect {
        /** Data of regular files and targets of symbolic links. */
        CONTENT,
        /** Permission bits with set-id and sticky bits. */
        MODE,
        /** Numeric owner and group. */
        OWNER,
        /** Modification times, except those of directories. */
        TIMES,
        /** Modification times of directories. */
        DIRECTORY_TIMES,
        /** Which paths are the same file. */
        LINKS,
        /** Extended attributes, without ACLs. */
        ATTRIBUTES,
        /** POSIX ACLs. */
        ACLS,
        /** Numbers of device files. */
        DEVICES,
        /** Whether a sparse file takes no more space than the original. */
        HOLES,
        /** All of the above for the root itself. */
        ROOT
    }

    private TreeAssert(TreeListing actual) {
        super(actual, TreeAssert.class);
    }

    /** Starts an assertion about a listing. */
    public static TreeAssert assertThat(TreeListing actual) {
        return new TreeAssert(actual);
    }

    /** Excludes these aspects. */
    public TreeAssert ignoring(Aspect aspect, Aspect... more) {
        aspects = EnumSet.copyOf(aspects);
        aspects.removeAll(EnumSet.of(aspect, more));
        return this;
    }

    /** Compares only these aspects. */
    public TreeAssert comparingOnly(Aspect aspect, Aspect... more) {
        aspects = EnumSet.of(aspect, more);
        return this;
    }

    /** Fails if the tree is not a copy of the expected one. */
    public TreeAssert isCopyOf(TreeListing expected) {
        isNotNull();
        List<String> differences = differences(expected);
        if (!differences.isEmpty()) {
            int shown = Math.min(MOST_DIFFERENCES, differences.size());
            failWithMessage("%s",
                    differences.size() + " differences:\n  " + String.join("\n  ", differences.subList(0, shown))
                            + (shown < differences.size() ? "\n  ..." : ""));
        }
        return this;
    }

    private List<String> differences(TreeListing expected) {
        SortedSet<ByteString> paths = new TreeSet<>(expected.byPath().keySet());
        paths.addAll(actual.byPath().keySet());
        List<String> differences = new ArrayList<>();
        for (ByteString path : paths) {
            ListedEntry wanted = expected.byPath().get(path);
            ListedEntry found = actual.byPath().get(path);
            if (wanted == null || found == null) {
                ListedEntry one = Objects.requireNonNull(wanted == null ? found : wanted);
                differences
                        .add((wanted == null ? "unexpected " : "missing ") + one.status().kind().label() + ": " + path);
            } else if (path.length() > 0 || aspects.contains(Aspect.ROOT)) {
                compare(wanted, found, differences);
            }
        }
        return differences;
    }

    private void compare(ListedEntry wanted, ListedEntry found, Collection<String> differences) {
        FileStatus was = wanted.status();
        FileStatus is = found.status();
        EntryKind kind = was.kind();
        String path = wanted.path().toString();
        if (kind != is.kind()) {
            differences.add(difference(path, "kind", kind.label(), is.kind().label()));
            return;
        }
        class Check {
            void that(Aspect aspect, String what, Object expected, Object actual) {
                if (aspects.contains(aspect) && !expected.equals(actual)) {
                    differences.add(difference(path, what, expected, actual));
                }
            }
        }
        Check check = new Check();
        if (kind == EntryKind.REGULAR) {
            check.that(Aspect.CONTENT, "size", was.size(), is.size());
        }
        check.that(Aspect.CONTENT, "content", wanted.content(), found.content());
        check.that(Aspect.MODE, "mode", Integer.toOctalString(was.permissions()),
                Integer.toOctalString(is.permissions()));
        check.that(Aspect.OWNER, "owner", was.uid() + ":" + was.gid(), is.uid() + ":" + is.gid());
        check.that(kind == EntryKind.DIRECTORY ? Aspect.DIRECTORY_TIMES : Aspect.TIMES, "mtime", was.mtime(),
                is.mtime());
        check.that(Aspect.LINKS, "same file as", wanted.linkGroup(), found.linkGroup());
        check.that(Aspect.DEVICES, "device", was.specialDevice(), is.specialDevice());
        SortedSet<ByteString> names = new TreeSet<>(wanted.attributes().keySet());
        names.addAll(found.attributes().keySet());
        for (ByteString name : names) {
            boolean isAcl = name.equals(PosixAcl.ACCESS) || name.equals(PosixAcl.DEFAULT);
            check.that(isAcl ? Aspect.ACLS : Aspect.ATTRIBUTES, name.toString(), value(wanted, name),
                    value(found, name));
        }
        long room = was.blocks() * BLOCK_BYTES;
        if (kind == EntryKind.REGULAR && room < was.size() && is.blocks() * BLOCK_BYTES > room + ALLOCATION_SLACK) {
            check.that(Aspect.HOLES, "allocated bytes", room, is.blocks() * BLOCK_BYTES);
        }
    }

    private static String value(ListedEntry entry, ByteString name) {
        ByteString value = entry.attributes().get(name);
        return value == null ? "none" : "'" + value + "'";
    }

    private static String difference(String path, String what, Object expected, Object actual) {
        return path + ": " + what + " should be " + expected + ", is " + actual;
    }
}
