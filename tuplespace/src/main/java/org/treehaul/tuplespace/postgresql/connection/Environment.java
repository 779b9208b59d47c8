// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.postgresql.connection;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;
import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.store.SpaceException.Reason;

/**
 * The parts of the process that libpq reads.
 *
 * @param variables returns the value of an environment variable; null if it is not set
 * @param home home directory of the user
 * @param user name of the user
 * @param sockets directory in which a server of this machine has its socket by default
 */
public record Environment(Function<String, @Nullable String> variables, Path home, String user, Path sockets) {
    /** That of the packages of most distributions. */
    private static final Path SOCKETS = Path.of("/var/run/postgresql");
    private static final int ASCII = 128;

    /** Creates one without a server on this machine. */
    public Environment(Function<String, @Nullable String> variables, Path home, String user) {
        this(variables, home, user, Path.of("/nonexistent"));
    }

    /** Returns that of this process. */
    public static Environment ofProcess() {
        return new Environment(Environment::variable, path("user.home", System.getProperty("user.home", "/")),
                System.getProperty("user.name", ""), SOCKETS);
    }

    /**
     * Returns the value of an environment variable. Its bytes are decoded as UTF-8 in every locale if they are valid
     * UTF-8, because in the C locale the JVM replaces each byte that is not ASCII, which would change a password.
     */
    private static @Nullable String variable(String name) {
        String decoded = System.getenv(name);
        if (decoded == null || decoded.chars().allMatch(c -> c < ASCII)) {
            return decoded;
        }
        String begin = name + "=";
        try {
            // Each variable ends with a NUL, see proc_pid_environ(5).
            for (String one : Files.readString(Path.of("/proc/self/environ"), StandardCharsets.ISO_8859_1)
                    .split("\0", -1)) {
                if (one.startsWith(begin)) {
                    byte[] value = one.substring(begin.length()).getBytes(StandardCharsets.ISO_8859_1);
                    return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(value)).toString();
                }
            }
        } catch (IOException e) {
            // Without /proc, the bytes are unknown, and bytes that are not UTF-8 are those of the locale.
        }
        return decoded;
    }

    /** Returns the value of a variable; null if it is not set or empty. */
    @Nullable String get(String variable) {
        String value = variables.apply(variable);
        return value == null || value.isEmpty() ? null : value;
    }

    /**
     * Returns the path in a variable; the default if it is not set or empty.
     *
     * @throws SpaceException PROVIDER when the text is not a path
     */
    Path path(String variable, Path byDefault) {
        String value = get(variable);
        return value == null ? byDefault : path(variable, value);
    }

    /** Converts the path in a parameter or variable. */
    static Path path(String name, String value) {
        try {
            return Path.of(value);
        } catch (InvalidPathException e) {
            throw new SpaceException(Reason.PROVIDER, "the path in " + name
                    + " has characters that this locale cannot represent; set LC_ALL=C.UTF-8, or name another file", e);
        }
    }
}
