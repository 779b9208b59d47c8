// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.store;

import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The address of a tuple space: a scheme that selects the kind of store, and a rest that only this kind understands.
 *
 * @param scheme two or more lower-case letters, digits, {@code +}, {@code .} or {@code -}, beginning with a letter
 * @param address the directory of {@code sqlite}, the name of {@code mem}, the file of {@code partitions}, or what
 *        another provider expects; not empty
 */
public record SpaceUri(String scheme, String address) {

    /** A durable space in a directory. */
    public static final String SQLITE = "sqlite";

    /** A space in the memory of this process. */
    public static final String MEMORY = "mem";

    /** A space over several stores, which a file lists. */
    public static final String PARTITIONS = "partitions";

    // RFC 3986, section 3.1, in lower case; one letter alone would look like the drive of a path.
    private static final Pattern SCHEME = Pattern.compile("[a-z][a-z0-9+.-]+");
    private static final Pattern PASSWORD = Pattern
            .compile("(?s)(?<=://[^:/?#@]{0,999}:)[^?]*(?=@)|(?<=[?&]password=)[^&]*");
    private static final Pattern URI = Pattern.compile("(?s)(" + SCHEME.pattern() + "):(.*)");

    /**
     * Checks the parts.
     *
     * @throws IllegalArgumentException if the scheme is not valid, or the address is empty
     */
    public SpaceUri {
        if (!SCHEME.matcher(scheme).matches()) {
            throw new IllegalArgumentException("'" + scheme + "' is not a scheme of a tuple space");
        }
        if (address.isEmpty()) {
            throw new IllegalArgumentException("'" + scheme + ":' names no tuple space");
        }
    }

    /** Returns the address of the durable space in a directory. */
    public static SpaceUri of(Path directory) {
        String path = directory.toString();
        return new SpaceUri(SQLITE, path.isEmpty() ? "." : path);
    }

    /**
     * Parses {@code SCHEME:ADDRESS}. Any other text is the directory of a durable space, also one with a slash before
     * the first colon, so {@code ./a:b} is a directory.
     *
     * @throws IllegalArgumentException if the address is empty
     */
    public static SpaceUri parse(String text) {
        Matcher uri = URI.matcher(text);
        return uri.matches() ? new SpaceUri(uri.group(1), uri.group(2)) : new SpaceUri(SQLITE, text);
    }

    /** Returns whether a text has a scheme, so that {@link #parse} does not take it for a directory. */
    public static boolean hasScheme(String text) {
        return URI.matcher(text).matches();
    }

    /** Returns the address as a path. */
    public Path path() {
        return Path.of(address);
    }

    /**
     * Returns the address for messages and logs: a password in it, as in {@code //USER:PASSWORD@HOST} or
     * {@code ?password=PASSWORD}, is replaced by an asterisk.
     */
    public String withoutPassword() {
        return withoutPassword(toString());
    }

    /** Replaces a password in a text that may be an address, as the other method does. */
    public static String withoutPassword(String text) {
        return PASSWORD.matcher(text).replaceAll("*");
    }

    /** Returns the form that {@link #parse} reads. */
    @Override
    public String toString() {
        return scheme + ":" + address;
    }
}
