// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.locality;

import java.util.Optional;

import org.treehaul.core.entry.ByteString;
import org.treehaul.core.fs.SystemCallException;

/** Layouts of Lustre: the OSTs of a file's components and stripes, by their index. */
final class LustreLocality implements LocalityProvider {

    static final String KIND = "lustre";

    // LL_SUPER_MAGIC of lustre_user.h.
    private static final long MAGIC = 0x0BD00BD0L;

    /** Each user may read the first one. Versions before 2.10 have only the second one, for root. */
    private static final String[] ATTRIBUTES = {"lustre.lov", "trusted.lov"};

    @Override
    public String kind() {
        return KIND;
    }

    @Override
    public boolean isFor(FileSystemType type) {
        return type.magic() == MAGIC || type.name().equals(KIND);
    }

    @Override
    public Optional<DataLayout> layout(LayoutFile file) throws LayoutException, SystemCallException {
        for (String attribute : ATTRIBUTES) {
            Optional<ByteString> value = file.attribute(attribute);
            if (value.isPresent()) {
                return Optional.of(LustreLayout.parse(attribute, value.get()));
            }
        }
        return Optional.empty();
    }
}
