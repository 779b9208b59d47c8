// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.mpj;

import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.transfer.directory.Listing;
import org.treehaul.strategies.ranks.communicator.RanksException;

/**
 * An installation of MPJ Express. This class builds its class path, because the class paths that its jars name are
 * wrong in the Debian package, and each rank in one process needs classes of its own.
 *
 * @param lib the directory of its jars
 * @param log4j the jar without which it does not start
 */
public record MpjHome(Path lib, Path log4j) {

    private static final Path PACKAGED = Path.of("/usr/share/mpj");
    private static final Path JAVA_LIBRARIES = Path.of("/usr/share/java");

    /**
     * Finds MPJ Express through the property {@code mpj.home}, the variable {@code MPJ_HOME} and the location of the
     * Debian package, in this order; a named installation is used or rejected.
     *
     * @throws RanksException if it is not found; the message contains the remedy
     */
    public static MpjHome find() {
        return find(System.getProperty("mpj.home"), System.getenv());
    }

    static MpjHome find(@Nullable String property, Map<String, String> environment) {
        String variable = environment.get("MPJ_HOME");
        if (property != null && !property.isEmpty()) {
            return in(Path.of(property), "-Dmpj.home=" + property);
        }
        return variable != null && !variable.isEmpty()
                ? in(Path.of(variable), "MPJ_HOME=" + variable)
                : in(PACKAGED, PACKAGED.toString());
    }

    private static MpjHome in(Path home, String named) {
        Path lib = home.resolve("lib");
        if (!Files.isReadable(lib.resolve("mpj.jar"))) {
            throw new RanksException("cannot find MPJ Express: " + named + " has no lib/mpj.jar. Install it (Debian, "
                    + "Ubuntu: apt-get install libmpj-java), or set MPJ_HOME to its directory");
        }
        Path log4j = jar(lib, "{log4j-1.2,reload4j}*.jar").or(() -> jar(JAVA_LIBRARIES, "{log4j-1.2,reload4j}*.jar"))
                .orElseThrow(() -> new RanksException(
                        "MPJ Express in " + home + " needs log4j 1.2 or reload4j: no such jar is in " + lib + " or "
                                + JAVA_LIBRARIES + " (Debian, Ubuntu: apt-get install liblog4j1.2-java)"));
        return new MpjHome(lib, log4j);
    }

    private static Optional<Path> jar(Path directory, String glob) {
        try (Listing found = Listing.of(directory, glob)) {
            return Optional.ofNullable(found.next());
        } catch (IOException e) {
            // A directory that does not exist has no such jar.
            return Optional.empty();
        }
    }

    /** Returns the classes of a rank that communicates with other processes. */
    ClassLoader network() {
        return loader(ClassLoader.getPlatformClassLoader(), List.of(jar("mpj"), log4j));
    }

    /** Returns the classes that the ranks of one group in one process share. */
    ClassLoader shared() {
        return loader(ClassLoader.getPlatformClassLoader(),
                List.of(jar("smpdev"), jar("xdev"), jar("mpjbuf"), jar("mpiExp"), log4j));
    }

    /** Returns the classes that each of these ranks has for itself. */
    ClassLoader own(ClassLoader shared) {
        return loader(shared, List.of(jar("mpi"), jar("mpjdev")));
    }

    private Path jar(String name) {
        Path jar = lib.resolve(name + ".jar");
        if (!Files.isReadable(jar)) {
            throw new RanksException("MPJ Express in " + lib + " has no " + name + ".jar");
        }
        return jar;
    }

    private static ClassLoader loader(ClassLoader parent, List<Path> jars) {
        URL[] urls = new URL[jars.size()];
        for (int i = 0; i < urls.length; i++) {
            try {
                urls[i] = jars.get(i).toUri().toURL();
            } catch (MalformedURLException e) {
                throw new IllegalArgumentException(e);
            }
        }
        return new URLClassLoader(urls, parent);
    }
}
