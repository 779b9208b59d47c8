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
import org.treehaul.tuplespace.postgresql.connection.Parameters.Setting;
import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.store.SpaceException.Reason;

/** The connection service file of libpq: parameters by the name of a service. */
final class ServiceFile {
    private static final String VARIABLE = "PGSERVICEFILE";

    private ServiceFile() {}

    /**
     * Returns the parameters of a service: from the user's file, else from that of the system.
     *
     * @throws SpaceException PROVIDER when no file defines it, PGSERVICEFILE names none, or a line of it is not that of
     *         a parameter; DENIED or IO when a file cannot be read
     */
    static Map<String, Setting> service(String name, Environment environment) {
        Path own = environment.path(VARIABLE, environment.home().resolve(".pg_service.conf"));
        Path system = environment.path("PGSYSCONFDIR", Path.of("/etc/postgresql-common")).resolve("pg_service.conf");
        if (environment.get(VARIABLE) != null && !Files.exists(own)) {
            // As libpq, which does not look further then.
            throw new SpaceException(Reason.PROVIDER, "there is no file " + own + ", which " + VARIABLE + " names");
        }
        for (Path file : List.of(own, system)) {
            Map<String, Setting> found = read(file, name);
            if (found != null) {
                return found;
            }
        }
        throw new SpaceException(Reason.PROVIDER, "no service \"" + name + "\" of PostgreSQL is defined in " + own
                + " or " + system + "; " + VARIABLE + " names another file");
    }

    private static @Nullable Map<String, Setting> read(Path file, String name) {
        Map<String, Setting> found = null;
        int number = 0;
        String section = bytes("[" + name + "]");
        try {
            // A character for each byte: another service may have any encoding.
            for (String raw : Files.readAllLines(file, StandardCharsets.ISO_8859_1)) {
                String line = raw.strip();
                number++;
                String origin = "line " + number + " of the service file " + file;
                if (line.startsWith("[")) {
                    if (found != null) {
                        break;
                    }
                    found = line.equals(section) ? new HashMap<>() : null;
                } else if (found != null && !line.startsWith("#") && !line.isEmpty()) {
                    String parameter = parameter(line, origin);
                    String value = text(line.substring(line.indexOf('=') + 1).strip());
                    found.putIfAbsent(parameter, new Setting(value, origin));
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

    /** Returns the name of the parameter in a line. As libpq, refuses what is none: it may be a misspelt one. */
    private static String parameter(String line, String origin) {
        int equals = line.indexOf('=');
        if (line.startsWith("ldap")) {
            throw Parameters.failure(origin + " names a server of LDAP, which is not supported; write the parameters");
        }
        if (equals < 1) {
            // Without its content, which may be a password.
            throw Parameters.failure(origin + " is not NAME=VALUE");
        }
        String name = text(line.substring(0, equals).strip());
        if (name.equals(Parameters.SERVICE)) {
            throw Parameters.failure(origin + " names another service, as libpq does not allow either");
        }
        if (!Parameters.isKnown(name)) {
            throw Parameters.failure(origin + " has the unknown parameter \"" + name + "\"; known are those of libpq");
        }
        return name;
    }

    private static String bytes(String text) {
        return new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
    }

    private static String text(String bytes) {
        return new String(bytes.getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8);
    }
}
