// SPDX-License-Identifier: Apache-2.0
package org.treehaul.packaged;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;

/** Reads a list of components in the format of CycloneDX. */
final class Sbom {

    private Sbom() {}

    /** Returns the licence of each component by its name and version, such as {@code picocli-4.7.7}. */
    static Map<String, String> licences(Path file) throws IOException {
        Map<String, String> licences = new TreeMap<>();
        try (JsonParser parser = new JsonFactory().createParser(file.toFile())) {
            String name = "";
            String version = "";
            String licence = "";
            for (JsonToken token = parser.nextToken(); token != null; token = parser.nextToken()) {
                String path = parser.getParsingContext().pathAsPointer().toString().replaceAll("/\\d+", "");
                if (token == JsonToken.VALUE_STRING) {
                    switch (path) {
                        case "/components/name" -> name = parser.getText();
                        case "/components/version" -> version = parser.getText();
                        case "/components/licenses/license/id", "/components/licenses/license/name",
                                "/components/licenses/expression" ->
                            licence = parser.getText();
                        default -> {
                        }
                    }
                } else if (token == JsonToken.END_OBJECT && path.equals("/components")) {
                    licences.put(name + "-" + version, licence);
                    licence = "";
                }
            }
        }
        return licences;
    }
}
