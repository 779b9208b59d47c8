// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.locality;

import java.util.Optional;

import org.treehaul.core.entry.ByteString;
import org.treehaul.core.fs.SystemCallException;

/**
 * Layouts of GlusterFS: the bricks that have a file, of volumes that distribute, replicate, disperse or stripe files. A
 * sharded volume hides the shards from its clients, and names only the bricks of the first one.
 */
final class GlusterLocality implements LocalityProvider {

    /** Each user may read it; {@code trusted.glusterfs.pathinfo} has the same value for root only. */
    static final String ATTRIBUTE = "glusterfs.pathinfo";

    static final String KIND = "glusterfs";

    @Override
    public String kind() {
        return KIND;
    }

    @Override
    public boolean isFor(FileSystemType type) {
        return type.name().equals("fuse.glusterfs");
    }

    @Override
    public Optional<DataLayout> layout(LayoutFile file) throws LayoutException, SystemCallException {
        Optional<ByteString> value = file.attribute(ATTRIBUTE);
        return value.isEmpty() ? Optional.empty() : Optional.of(PathInfo.parse(value.get(), file.name()));
    }
}
