// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.args;

import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/**
 * Reads variables of the environment as the kernel stores them. The JVM decodes them as it decodes
 * {@link ExactArguments arguments}.
 */
public final class ExactVariables {

    // The JVM replaces each byte that it cannot decode with this character.
    private static final char LOST = '\uFFFD';
    private static final Charset TEXT = Charset.forName(System.getProperty("sun.jnu.encoding", "UTF-8"));

    private ExactVariables() {}

    /**
     * Returns a variable, with each byte as one character of ISO-8859-1; empty if it is not set.
     *
     * @param environment the variables of this process as the JVM decoded them
     */
    public static String get(Map<String, String> environment, String name) {
        String decoded = environment.getOrDefault(name, "");
        return decoded.indexOf(LOST) < 0 ? encode(decoded, TEXT) : read(name, encode(decoded, StandardCharsets.UTF_8));
    }

    /**
     * Returns the home directory of the user, with each byte as one character of ISO-8859-1. As in other variables, an
     * empty HOME counts as unset.
     *
     * @param environment the variables of this process as the JVM decoded them
     */
    public static String home(Map<String, String> environment) {
        String home = get(environment, "HOME");
        return home.isEmpty() ? encode(System.getProperty("user.home", ""), TEXT) : home;
    }

    private static String encode(String text, Charset charset) {
        return new String(text.getBytes(charset), StandardCharsets.ISO_8859_1);
    }

    // Each variable ends with a NUL, see proc_pid_environ(5).
    private static String read(String name, String otherwise) {
        try {
            String all = Files.readString(Path.of("/proc/self/environ"), StandardCharsets.ISO_8859_1);
            for (String variable : all.split("\0", -1)) {
                if (variable.startsWith(name + "=")) {
                    return variable.substring(name.length() + 1);
                }
            }
        } catch (IOException e) {
            // Without /proc, the bytes are unknown.
        }
        return otherwise;
    }
}
