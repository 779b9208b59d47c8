// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.places;

import java.io.IOException;
import java.util.SortedMap;

/**
 * Opens files of one kind. {@link java.util.ServiceLoader} finds the providers: public classes with a public
 * constructor without parameters.
 */
public interface FilePlacesProvider {

    /** Returns the name of the kind: lower-case letters, digits and hyphens. */
    String scheme();

    /**
     * Opens the files at an address.
     *
     * @throws IOException if they cannot be reached; the message names the remedy
     */
    FilePlaces open(SortedMap<String, String> parameters) throws IOException;
}
