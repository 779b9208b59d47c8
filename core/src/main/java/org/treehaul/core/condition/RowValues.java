// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.condition;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.annotation.Internal;
import org.treehaul.core.entry.ByteString;

/** The values of one row in the fields of conditions. */
@Internal
public interface RowValues {

    /** Returns the bytes of the row in a field of text; null if it has none. */
    @Nullable ByteString text(Field field);

    /** Returns the number of the row in any other field; null if it has none. */
    @Nullable Long number(Field field);
}
