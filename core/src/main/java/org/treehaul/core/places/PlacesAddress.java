// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.places;

import java.io.IOException;
import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.SortedMap;
import java.util.TreeMap;

import org.treehaul.core.annotation.Api;
import org.treehaul.core.annotation.Internal;
import org.treehaul.core.entry.ByteString;

/**
 * The address of files that are in no mounted tree. Immutable.
 *
 * @param scheme the name of their provider
 * @param parameters what the provider needs to reach them: strings by name, of letters, digits, dots and hyphens. No
 *        secret is among them: they are kept with the transfer, and shown
 */
@Api
public record PlacesAddress(String scheme, SortedMap<String, String> parameters) {

    private static final String SCHEME = "at";
    private static final String PARAMETER = "at.";

    /** Copies the parameters. */
    public PlacesAddress {
        parameters = Collections.unmodifiableSortedMap(new TreeMap<>(parameters));
        if (scheme.isEmpty()) {
            throw new IllegalArgumentException("an address without a scheme");
        }
    }

    /** Returns the address as parameters of an operation, all printable. */
    public SortedMap<String, String> lines() {
        SortedMap<String, String> lines = new TreeMap<>();
        lines.put(SCHEME, scheme);
        parameters.forEach((key, value) -> lines.put(PARAMETER + key, ByteString.of(value).toString()));
        return lines;
    }

    /**
     * Returns the address among the parameters of an operation; empty if there is none.
     *
     * @throws IllegalArgumentException if a value cannot be read
     */
    public static Optional<PlacesAddress> of(Map<String, String> lines) {
        String scheme = lines.get(SCHEME);
        if (scheme == null) {
            return Optional.empty();
        }
        SortedMap<String, String> parameters = new TreeMap<>();
        lines.forEach((key, value) -> {
            if (key.startsWith(PARAMETER)) {
                parameters.put(key.substring(PARAMETER.length()),
                        ByteString.unescape(value)
                                .utf8()
                                .orElseThrow(() -> new IllegalArgumentException("not a text: " + value)));
            }
        });
        return Optional.of(new PlacesAddress(scheme, parameters));
    }

    /**
     * Opens the files.
     *
     * @throws IOException if this program has no provider of the scheme, or they cannot be reached
     */
    @Internal
    public FilePlaces open() throws IOException {
        try {
            for (FilePlacesProvider provider : ServiceLoader.load(FilePlacesProvider.class,
                    PlacesAddress.class.getClassLoader())) {
                if (provider.scheme().equals(scheme)) {
                    return provider.open(parameters);
                }
            }
        } catch (ServiceConfigurationError | LinkageError e) {
            throw new IOException(
                    "cannot load a provider of files: " + (e instanceof ServiceConfigurationError ? e.getMessage() : e),
                    e);
        }
        throw new IOException("this program has no provider of the files at '" + scheme + "'");
    }
}
