// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.postgresql.connection;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

import org.jspecify.annotations.Nullable;
import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.store.SpaceException.Reason;

/** The password file of libpq: lines {@code HOST:PORT:DATABASE:USER:PASSWORD}. */
final class PasswordFile {
    private static final int FIELDS = 5;

    private PasswordFile() {}

    /**
     * Returns the password for a role; null if the file does not exist or has none.
     *
     * @throws SpaceException UNSAFE when others may read the file; libpq would ignore it
     */
    static @Nullable String password(Path file, String host, String port, String database, String user) {
        try {
            List<String> lines = Files.readAllLines(file, StandardCharsets.UTF_8);
            Set<PosixFilePermission> others = Files.getPosixFilePermissions(file);
            others.removeAll(Set.of(PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE,
                    PosixFilePermission.OWNER_EXECUTE));
            if (!others.isEmpty()) {
                throw new SpaceException(Reason.UNSAFE,
                        "the password file " + file + " is open to others, so it is not used: chmod 600 " + file);
            }
            for (String line : lines) {
                List<String> fields = fields(line);
                if (!line.startsWith("#") && fields.size() == FIELDS && is(fields.get(0), host)
                        && is(fields.get(1), port) && is(fields.get(2), database) && is(fields.get(3), user)) {
                    return fields.get(FIELDS - 1);
                }
            }
            return null;
        } catch (NoSuchFileException absent) {
            return null;
        } catch (IOException e) {
            throw new SpaceException(Reason.IO, "the password file " + file + " cannot be read: " + e.getMessage(), e);
        }
    }

    private static boolean is(String field, String value) {
        return field.equals("*") || field.equals(value);
    }

    /** Splits a line at colons; a backslash makes the next character one of the field. */
    private static List<String> fields(String line) {
        List<String> fields = new ArrayList<>();
        StringBuilder field = new StringBuilder();
        for (int i = 0; i < line.length(); i++) {
            char c = line.charAt(i);
            if (c == '\\' && i + 1 < line.length()) {
                field.append(line.charAt(++i));
            } else if (c == ':' && fields.size() < FIELDS - 1) {
                fields.add(field.toString());
                field.setLength(0);
            } else {
                field.append(c);
            }
        }
        fields.add(field.toString());
        return fields;
    }
}
