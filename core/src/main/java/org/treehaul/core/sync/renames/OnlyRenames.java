// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.sync.renames;

import java.lang.foreign.MemorySegment;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.copy.links.EarlierCopies;
import org.treehaul.core.fs.FileAccess;

/** The renames of a run whose files others copy: a file that cannot be renamed is left out. */
public record OnlyRenames(Renames renames) implements EarlierCopies {

    @Override
    public Lookup open(FileAccess access) {
        RenameLookup lookup = renames.open(access);
        return new Lookup() {
            @Override
            public Taken take(Source source, int directory, MemorySegment name) {
                @Nullable Taken taken = lookup.take(source, directory, name);
                return taken == null ? new Taken(null) : taken;
            }

            @Override
            public String operation() {
                return lookup.operation();
            }

            @Override
            public void close() {
                lookup.close();
            }
        };
    }
}
