// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.condition;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The fields that the conditions of a query can name. */
final class Vocabulary {

    private static final class Files {
        static final Vocabulary ALL = new Vocabulary(fields());

        private static List<Field> fields() {
            List<Field> fields = new ArrayList<>();
            for (FileField field : FileField.values()) {
                fields.add(Field.of(field));
            }
            return fields;
        }
    }

    private final Map<String, Field> fields = new LinkedHashMap<>();

    /** Creates a vocabulary; of two fields with one name the first counts. */
    Vocabulary(List<Field> all) {
        for (Field field : all) {
            fields.putIfAbsent(field.label(), field);
        }
    }

    /** Returns the fields of files. */
    static Vocabulary ofFiles() {
        return Files.ALL;
    }

    Optional<Field> named(String name) {
        return Optional.ofNullable(fields.get(name));
    }

    /** Returns the names of all fields, for messages. */
    String names() {
        return String.join(" ", fields.keySet());
    }
}
