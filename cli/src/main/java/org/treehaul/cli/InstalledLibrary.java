// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli;

import java.nio.file.Files;
import java.nio.file.Path;

/** The native library of SQLite, which an installation of TreeHaul has beside the libraries of its Java. */
final class InstalledLibrary {

    private InstalledLibrary() {}

    /**
     * Makes the driver of SQLite load its native library from the Java that runs this program, if it is there and the
     * user names no other. Otherwise the driver unpacks the library of its jar into a temporary directory.
     */
    static void use() {
        Path library = Path.of(System.getProperty("java.home"), "lib", "libsqlitejdbc.so");
        if (System.getProperty("org.sqlite.lib.path") == null && Files.exists(library)) {
            System.setProperty("org.sqlite.lib.path", library.resolveSibling("").toString());
            System.setProperty("org.sqlite.lib.name", "libsqlitejdbc.so");
        }
    }
}
