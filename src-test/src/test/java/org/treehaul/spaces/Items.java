// SPDX-License-Identifier: Apache-2.0
package org.treehaul.spaces;

import java.io.Serializable;

import net.jini.core.entry.Entry;
import org.jspecify.annotations.Nullable;

/** The tuples of the race, with nine fields: as records, and with public fields. */
public final class Items {
    /** The number of owners. */
    static final int OWNERS = 100;
    /** The number of kinds. */
    static final int KINDS = 5;
    /** The state of every second one. */
    static final String NEW = "new";

    private Items() {}

    /** As a record. */
    public record Item(int number, String owner, String kind, String state, String path, long size, long mtime,
            int mode, long inode) implements Serializable {

        static Item of(int number) {
            return new Item(number, ownerOf(number), kindOf(number), number % 2 == 0 ? NEW : "old",
                    "/scratch/project/run" + number % 1000 + "/file" + number, number * 37L % 1_000_000,
                    1_700_000_000L + number, 0644, number + 100_000L);
        }
    }

    /** As an entry of JavaSpaces. */
    public static final class ItemEntry implements Entry {
        private static final long serialVersionUID = 1;

        public @Nullable Integer number;
        public @Nullable String owner;
        public @Nullable String kind;
        public @Nullable String state;
        public @Nullable String path;
        public @Nullable Long size;
        public @Nullable Long mtime;
        public @Nullable Integer mode;
        public @Nullable Long inode;

        static ItemEntry of(int number) {
            Item item = Item.of(number);
            ItemEntry entry = numbered(number);
            entry.owner = item.owner();
            entry.kind = item.kind();
            entry.state = item.state();
            entry.path = item.path();
            entry.size = item.size();
            entry.mtime = item.mtime();
            entry.mode = item.mode();
            entry.inode = item.inode();
            return entry;
        }

        static ItemEntry numbered(int number) {
            ItemEntry entry = new ItemEntry();
            entry.number = number;
            return entry;
        }

        static ItemEntry like(String owner, String kind) {
            ItemEntry entry = new ItemEntry();
            entry.owner = owner;
            entry.kind = kind;
            return entry;
        }

        static ItemEntry inState(String state) {
            ItemEntry entry = new ItemEntry();
            entry.state = state;
            return entry;
        }

        static ItemEntry sized(long size) {
            ItemEntry entry = new ItemEntry();
            entry.size = size;
            return entry;
        }
    }

    static String ownerOf(int number) {
        return "owner" + number % OWNERS;
    }

    static String kindOf(int number) {
        return "kind" + number / OWNERS % KINDS;
    }
}
