// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.plan;

import java.io.IOException;

/** Takes spooled entries, each with the key that it is sorted by. Safe for any number of threads. */
@FunctionalInterface
interface EntrySink {

    void addAll(RunBuffer block) throws IOException;
}
