// SPDX-License-Identifier: Apache-2.0
package org.treehaul.arch.bad.tuplespace;

import org.sqlite.SQLiteErrorCode;
import org.treehaul.arch.bad.core.walk.Walker;

/** A tuple space that knows of walks, and of the driver of SQLite where it should not. */
record KnowsFiles(Walker walker, SQLiteErrorCode code) {}
