// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.launch;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/**
 * Finds the Java installations of a machine. The {@code treehaul} script searches the same places in the same order.
 */
final class JavaHomes {
    private final Map<String, String> environment;
    private final List<File> shelves;
    private final Set<File> notExecutable = new LinkedHashSet<File>();

    private JavaHomes(Map<String, String> environment, List<File> shelves) {
        this.environment = environment;
        this.shelves = shelves;
    }

    /**
     * Returns the usual places: {@code JAVA_HOME}, {@code PATH}, then the directories whose subdirectories are Java
     * installations.
     */
    static JavaHomes usual(Map<String, String> environment, @Nullable String userHome) {
        List<File> shelves = new ArrayList<File>();
        shelves.add(new File("/usr/lib/jvm"));
        shelves.add(new File("/usr/java"));
        shelves.add(new File("/opt"));
        shelves.add(new File("/opt/java"));
        if (userHome != null) {
            shelves.add(new File(userHome, ".sdkman/candidates/java"));
        }
        return of(environment, shelves);
    }

    static JavaHomes of(Map<String, String> environment, List<File> shelves) {
        return new JavaHomes(environment, shelves);
    }

    /** Returns the {@code java} programs of at least this version, the preferred one first. */
    List<File> atLeast(int required) {
        List<File> found = new ArrayList<File>();
        for (File java : candidates()) {
            if (version(java) >= required) {
                found.add(java);
            }
        }
        return found;
    }

    /** Returns the {@code java} programs that the last search found but that this user may not execute. */
    List<File> notExecutable() {
        return new ArrayList<File>(notExecutable);
    }

    /** Returns the searched places, in words for a message. */
    String places() {
        StringBuilder words = new StringBuilder();
        String home = environment.get("JAVA_HOME");
        words.append("JAVA_HOME (").append(home == null || home.isEmpty() ? "not set" : home).append("), PATH");
        for (File shelf : shelves) {
            words.append(", ").append(shelf).append("/*");
        }
        return words.toString();
    }

    private Set<File> candidates() {
        Set<File> all = new LinkedHashSet<File>();
        add(all, environment.get("JAVA_HOME"), "bin/java");
        String path = environment.get("PATH");
        if (path != null) {
            for (String directory : path.split(":")) {
                add(all, directory, "java");
            }
        }
        for (File shelf : shelves) {
            File[] homes = shelf.listFiles();
            if (homes != null) {
                Arrays.sort(homes);
                for (File home : homes) {
                    add(all, home.getPath(), "bin/java");
                }
            }
        }
        return all;
    }

    private void add(Set<File> all, @Nullable String directory, String name) {
        if (directory == null || directory.isEmpty()) {
            return;
        }
        File java = new File(directory, name);
        if (java.isFile() && !java.canExecute()) {
            notExecutable.add(java);
        } else if (java.isFile()) {
            try {
                // /usr/bin/java is a link; the release file is beside its target.
                all.add(java.getCanonicalFile());
            } catch (IOException e) {
                all.add(java);
            }
        }
    }

    /** Returns the major version of a {@code java} program, or 0 if it cannot be determined. */
    static int version(File java) {
        File bin = java.getParentFile();
        File home = bin == null ? null : bin.getParentFile();
        if (bin != null && home != null && bin.getName().equals("bin")) {
            try {
                for (String line : Files.readAllLines(new File(home, "release").toPath(), StandardCharsets.UTF_8)) {
                    if (line.startsWith("JAVA_VERSION=")) {
                        return major(line.substring("JAVA_VERSION=".length()).replace("\"", ""));
                    }
                }
            } catch (IOException e) {
                // There is no readable release file: asks the program.
            }
        }
        return ask(java);
    }

    private static int ask(File java) {
        try {
            Process process = new ProcessBuilder(java.getPath(), "-version").redirectErrorStream(true).start();
            process.getOutputStream().close();
            int major = 0;
            try (BufferedReader lines = new BufferedReader(
                    new InputStreamReader(process.getInputStream(), StandardCharsets.US_ASCII))) {
                for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                    int quote = line.indexOf(" version \"");
                    if (major == 0 && quote >= 0) {
                        major = major(line.substring(quote + " version \"".length()));
                    }
                }
            }
            return process.waitFor() == 0 ? major : 0;
        } catch (IOException e) {
            return 0;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return 0;
        }
    }

    /** Returns 8 for "1.8.0_402", 25 for "25", "25.0.3" and "25-ea"; 0 for text that is not a version. */
    static int major(@Nullable String version) {
        if (version == null) {
            return 0;
        }
        String rest = version.startsWith("1.") ? version.substring(2) : version;
        int major = 0;
        for (int i = 0; i < rest.length() && i < 4 && Character.isDigit(rest.charAt(i)); i++) {
            major = 10 * major + (rest.charAt(i) - '0');
        }
        return major;
    }

}
