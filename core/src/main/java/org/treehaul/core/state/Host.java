// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.state;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** The name of this host, as the kernel reports it; never asks a name server, which may hang. */
public final class Host {

    private static final Path FILE = Path.of("/proc/sys/kernel/hostname");

    private Host() {}

    /**
     * Returns the name, which may change at any time.
     *
     * @throws IOException if it cannot be read
     */
    public static String name() throws IOException {
        return Files.readString(FILE, StandardCharsets.ISO_8859_1).strip();
    }

    /** Returns the name, or a substitute if it cannot be read. */
    public static String nameOr(String substitute) {
        try {
            return name();
        } catch (IOException e) {
            return substitute;
        }
    }
}
