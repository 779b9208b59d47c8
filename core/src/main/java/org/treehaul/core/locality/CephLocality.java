// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.locality;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.treehaul.core.entry.ByteString;
import org.treehaul.core.fs.SystemCallException;

/**
 * Layouts of CephFS: the stripes and the pool of a file. The OSDs of its objects follow from the map of the cluster,
 * which no attribute shows.
 */
final class CephLocality implements LocalityProvider {

    static final String KIND = "cephfs";
    static final String ATTRIBUTE = "ceph.file.layout";

    // CEPH_SUPER_MAGIC of linux/magic.h.
    private static final long MAGIC = 0x00C36400L;

    // As the kernel and ceph-fuse write it; a namespace in the pool follows if there is one.
    private static final Pattern VALUE = Pattern.compile(
            "stripe_unit=(\\d{1,18}) stripe_count=(\\d{1,9}) object_size=(\\d{1,18}) pool=(.+?)( pool_namespace=.*)?",
            Pattern.DOTALL);

    @Override
    public String kind() {
        return KIND;
    }

    @Override
    public boolean isFor(FileSystemType type) {
        return type.magic() == MAGIC || type.name().equals("fuse.ceph") || type.name().equals("fuse.ceph-fuse");
    }

    @Override
    public Optional<DataLayout> layout(LayoutFile file) throws LayoutException, SystemCallException {
        Optional<ByteString> value = file.attribute(ATTRIBUTE);
        return value.isEmpty() ? Optional.empty() : Optional.of(parse(value.get()));
    }

    static DataLayout parse(ByteString value) throws LayoutException {
        Matcher text = VALUE.matcher(new String(value.toBytes(), StandardCharsets.UTF_8));
        if (!text.matches()) {
            throw new LayoutException(ATTRIBUTE, value, "unknown format");
        }
        long size = Long.parseLong(text.group(1));
        int count = Integer.parseInt(text.group(2));
        if (size == 0 || count == 0) {
            throw new LayoutException(ATTRIBUTE, value, "no stripes");
        }
        return DataLayout.of(KIND, new DataExtent(0, Long.MAX_VALUE, size, count, List.of(), text.group(4)));
    }
}
