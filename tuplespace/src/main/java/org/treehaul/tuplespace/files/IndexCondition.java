// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.files;

import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

import org.treehaul.core.annotation.Internal;
import org.treehaul.core.entry.ByteString;
import org.treehaul.tuplespace.TupleOperations;
import org.treehaul.tuplespace.tuple.Template;

/**
 * The conditions that the entries of an index meet, as the user gave them: stored as a tuple beside those of the
 * entries.
 *
 * @param text the words of the conditions, each ended by a NUL, which no word contains
 */
@Internal
public record IndexCondition(ByteString text) {

    public IndexCondition {
        Objects.requireNonNull(text);
    }

    /** Returns the tuple for conditions. */
    public static IndexCondition of(List<ByteString> words) {
        ByteArrayOutputStream text = new ByteArrayOutputStream();
        for (ByteString word : words) {
            text.writeBytes(word.toBytes());
            text.write(0);
        }
        return new IndexCondition(ByteString.of(text.toByteArray()));
    }

    /** Returns the conditions of the index in a space; empty if it has all entries. */
    static Optional<IndexCondition> in(TupleOperations tuples) {
        try (Stream<IndexCondition> found = tuples.contents(Template.of(IndexCondition.class))) {
            return found.findFirst();
        }
    }

    /** Returns the words of the conditions. */
    public List<ByteString> words() {
        List<ByteString> words = new ArrayList<>();
        byte[] bytes = text.toBytes();
        int start = 0;
        for (int i = 0; i < bytes.length; i++) {
            if (bytes[i] == 0) {
                words.add(ByteString.of(Arrays.copyOfRange(bytes, start, i)));
                start = i + 1;
            }
        }
        return words;
    }
}
