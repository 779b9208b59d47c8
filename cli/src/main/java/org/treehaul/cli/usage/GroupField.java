// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.usage;

import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;

import org.treehaul.core.condition.Accounts;
import org.treehaul.core.condition.FileField;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.walk.summary.UsageGrouping;

/** The properties of entries by which {@code du --by} makes groups. */
enum GroupField {
    /** The numeric user ID. */
    owner,
    /** The numeric group ID. */
    group,
    /** The end of the name of a regular file; entries of other kinds are groups of their own. */
    extension,
    /** The time since the last change of the data. */
    age;

    /** Longer ends of names are hardly types of files. */
    private static final int LONGEST_EXTENSION = 16;

    private static final long DAY = 86_400;
    private static final List<String> AGES = List.of("in the future", "up to 1 day", "1 to 7 days", "7 to 30 days",
            "30 to 90 days", "90 to 365 days", "1 to 2 years", "2 to 5 years", "more than 5 years");
    private static final long[] AGE_BOUNDS = {0, DAY, 7 * DAY, 30 * DAY, 90 * DAY, 365 * DAY, 730 * DAY, 1825 * DAY};

    /**
     * The key of a group.
     *
     * @param number the ID of an owner or group, the position of an age, 0 for an extension; -1 for all others
     * @param text the extension; empty for all else
     */
    record Key(long number, ByteString text) implements Comparable<Key> {

        static final Key OTHERS = new Key(-1, ByteString.empty());

        static Key of(long number) {
            return new Key(number, ByteString.empty());
        }

        @Override
        public int compareTo(Key other) {
            int byNumber = Long.compare(number, other.number);
            return byNumber == 0 ? text.compareTo(other.text) : byNumber;
        }
    }

    /**
     * Returns the grouping by this property.
     *
     * @param now seconds since 1970 from which ages are counted
     */
    UsageGrouping<Key> grouping(long now) {
        return new UsageGrouping<>() {
            @Override
            public Key keyOf(FileStatus status, Supplier<byte[]> name) {
                return switch (GroupField.this) {
                    case owner -> Key.of(status.uid());
                    case group -> Key.of(status.gid());
                    case extension -> extension(status.kind(), name);
                    case age -> Key.of(ageClass(now - status.mtimeSeconds()));
                };
            }

            @Override
            public Key others() {
                return Key.OTHERS;
            }
        };
    }

    private static Key extension(EntryKind kind, Supplier<byte[]> name) {
        return kind == EntryKind.REGULAR ? new Key(0, extension(name.get())) : Key.of(1 + FileField.KINDS.indexOf(kind));
    }

    /** Returns what follows the last dot of a name: empty if nothing does, or nothing precedes it. */
    static ByteString extension(byte[] path) {
        int dot = path.length - 1;
        while (dot >= 0 && path[dot] != '.' && path[dot] != '/') {
            dot--;
        }
        boolean isExtension = dot > 0 && path[dot] == '.' && path[dot - 1] != '/'
                && path.length - 1 - dot <= LONGEST_EXTENSION;
        return isExtension ? ByteString.of(Arrays.copyOfRange(path, dot + 1, path.length)) : ByteString.empty();
    }

    private static int ageClass(long seconds) {
        int at = 0;
        while (at < AGE_BOUNDS.length && seconds >= AGE_BOUNDS[at]) {
            at++;
        }
        return at;
    }

    /** Returns whether the groups have an order of their own. */
    boolean isOrdered() {
        return this == age;
    }

    /** Returns the value of a group as programs read it. */
    ByteString value(Key key) {
        return ByteString.of(switch (this) {
            case owner, group -> key.equals(Key.OTHERS) ? "(others)" : Long.toString(key.number());
            case extension, age -> label(key, Accounts.system()).toString();
        });
    }

    /** Returns the label of a group as people read it. */
    ByteString label(Key key, Accounts accounts) {
        if (key.equals(Key.OTHERS)) {
            return ByteString.of("(others)");
        }
        return switch (this) {
            case owner -> ByteString.of(accounts.userName(key.number()));
            case group -> ByteString.of(accounts.groupName(key.number()));
            case extension -> key.number() > 0
                    ? ByteString.of("(" + FileField.KINDS.get((int) key.number() - 1).label() + ")")
                    : key.text().length() == 0 ? ByteString.of("(no extension)") : key.text();
            case age -> ByteString.of(AGES.get((int) key.number()));
        };
    }
}
