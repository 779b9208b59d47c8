// SPDX-License-Identifier: Apache-2.0
package org.treehaul.arch.bad.tuplespace;

import org.sqlite.SQLiteErrorCode;
import org.treehaul.arch.bad.core.walk.Walker;

/** A tuple space class that knows walks, and the driver of SQLite outside its package. */
record KnowsFiles(Walker walker, SQLiteErrorCode code) {}
