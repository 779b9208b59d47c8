// SPDX-License-Identifier: Apache-2.0
package org.treehaul.arch.bad.tuplespace;

import org.postgresql.PGNotification;
import org.sqlite.SQLiteErrorCode;
import org.treehaul.arch.bad.core.walk.Walker;

/** A tuple space class that knows walks, and the drivers outside their packages. */
record KnowsFiles(Walker walker, SQLiteErrorCode code, PGNotification notification) {}
