// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.postgresql.connection;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.store.SpaceException.Reason;

/** The connection service file of libpq: parameters by the name of a service. */
final class ServiceFile {

    private ServiceFile() {}

    /**
     * Returns the parameters of a service: from the user's file, else from that of the system.
     *
     * @throws SpaceException PROVIDER when no file defines it
     */
    static Map<String, String> service(String name, Environment environment) {
        List<Path> files = new ArrayList<>();
        String own = environment.get("PGSERVICEFILE");
        files.add(own == null ? environment.home().resolve(".pg_service.conf") : Path.of(own));
        String system = environment.get("PGSYSCONFDIR");
        files.add(Path.of(system == null ? "/etc/postgresql-common" : system).resolve("pg_service.conf"));
        for (Path file : files) {
            Map<String, String> found = read(file, name);
            if (found != null) {
                return found;
            }
        }
        throw new SpaceException(Reason.PROVIDER, "no service \"" + name + "\" of PostgreSQL is defined in "
                + files.get(0) + " or " + files.get(1) + "; PGSERVICEFILE names another file");
    }

    private static @Nullable Map<String, String> read(Path file, String name) {
        Map<String, String> found = null;
        try {
            for (String raw : Files.readAllLines(file, StandardCharsets.UTF_8)) {
                String line = raw.strip();
                int equals = line.indexOf('=');
                if (line.startsWith("[")) {
                    if (found != null) {
                        break;
                    }
                    found = line.equals("[" + name + "]") ? new HashMap<>() : null;
                } else if (found != null && !line.startsWith("#") && equals > 0) {
                    found.putIfAbsent(line.substring(0, equals).strip(), line.substring(equals + 1).strip());
                }
            }
            return found;
        } catch (NoSuchFileException absent) {
            return null;
        } catch (IOException e) {
            throw new SpaceException(Reason.IO, "the service file " + file + " cannot be read: " + e.getMessage(), e);
        }
    }
}
