// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.postgresql.connection;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.store.SpaceException.Reason;

/** The connection service file of libpq: parameters by the name of a service. */
final class ServiceFile {
    private static final String VARIABLE = "PGSERVICEFILE";

    private ServiceFile() {}

    /**
     * Returns the parameters of a service: from the user's file, else from that of the system.
     *
     * @throws SpaceException PROVIDER when no file defines it or PGSERVICEFILE names none; DENIED or IO when a file
     *         cannot be read
     */
    static Map<String, String> service(String name, Environment environment) {
        Path own = environment.path(VARIABLE, environment.home().resolve(".pg_service.conf"));
        Path system = environment.path("PGSYSCONFDIR", Path.of("/etc/postgresql-common")).resolve("pg_service.conf");
        if (environment.get(VARIABLE) != null && !Files.exists(own)) {
            // As libpq, which does not look further then.
            throw new SpaceException(Reason.PROVIDER, "there is no file " + own + ", which " + VARIABLE + " names");
        }
        for (Path file : List.of(own, system)) {
            Map<String, String> found = read(file, name);
            if (found != null) {
                return found;
            }
        }
        throw new SpaceException(Reason.PROVIDER, "no service \"" + name + "\" of PostgreSQL is defined in " + own
                + " or " + system + "; " + VARIABLE + " names another file");
    }

    private static @Nullable Map<String, String> read(Path file, String name) {
        Map<String, String> found = null;
        String section = bytes("[" + name + "]");
        try {
            // A character for each byte: another service may have any encoding.
            for (String raw : Files.readAllLines(file, StandardCharsets.ISO_8859_1)) {
                String line = raw.strip();
                int equals = line.indexOf('=');
                if (line.startsWith("[")) {
                    if (found != null) {
                        break;
                    }
                    found = line.equals(section) ? new HashMap<>() : null;
                } else if (found != null && !line.startsWith("#") && equals > 0) {
                    found.putIfAbsent(line.substring(0, equals).strip(), text(line.substring(equals + 1).strip()));
                }
            }
            return found;
        } catch (NoSuchFileException absent) {
            return null;
        } catch (AccessDeniedException e) {
            throw new SpaceException(Reason.DENIED, "no permission to read the service file " + file, e);
        } catch (IOException e) {
            throw new SpaceException(Reason.IO, "the service file " + file + " cannot be read: " + e.getMessage(), e);
        }
    }

    private static String bytes(String text) {
        return new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
    }

    private static String text(String bytes) {
        return new String(bytes.getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8);
    }
}
