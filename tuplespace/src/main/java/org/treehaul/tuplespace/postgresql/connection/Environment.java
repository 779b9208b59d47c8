// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.postgresql.connection;

import java.nio.file.Path;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

/**
 * The parts of the process that libpq reads.
 *
 * @param variables returns the value of an environment variable; null if it is not set
 * @param home home directory of the user
 * @param user name of the user
 */
public record Environment(Function<String, @Nullable String> variables, Path home, String user) {

    /** Returns that of this process. */
    public static Environment ofProcess() {
        return new Environment(System::getenv, Path.of(System.getProperty("user.home", "/")),
                System.getProperty("user.name", ""));
    }

    /** Returns the value of a variable; null if it is not set or empty. */
    @Nullable String get(String variable) {
        String value = variables.apply(variable);
        return value == null || value.isEmpty() ? null : value;
    }
}
