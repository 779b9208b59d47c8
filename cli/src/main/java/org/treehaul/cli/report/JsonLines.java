// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.report;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Locale;
import java.util.Optional;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.util.MinimalPrettyPrinter;
import org.treehaul.core.entry.ByteString;

/**
 * Writes NDJSON: one object per line, each with {@code "v"}, the version of the fields' meaning, and {@code "type"}.
 *
 * <p>
 * A path is a field with that name if its bytes are UTF-8; otherwise the field's name ends in {@code _b64} and its
 * value is Base64. One object serves one thread; several may share an output.
 */
public final class JsonLines {

    private static final int VERSION = 1;
    private static final int FULL = 32 * 1024;
    private static final JsonFactory FACTORY = new JsonFactory();

    private final Output output;
    private final ByteArrayOutputStream lines = new ByteArrayOutputStream(FULL * 2);
    private final JsonGenerator json;

    /** Creates a writer to an output. */
    public JsonLines(Output output) {
        this.output = output;
        try {
            json = FACTORY.createGenerator(lines);
            json.setPrettyPrinter(new MinimalPrettyPrinter(""));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Begins a line. */
    public JsonLines begin(String type) {
        return write(() -> {
            json.writeStartObject();
            json.writeNumberField("v", VERSION);
            json.writeStringField("type", type);
        });
    }

    /** Adds a string field. */
    public JsonLines text(String name, String value) {
        return write(() -> json.writeStringField(name, value));
    }

    /** Adds a number field. */
    public JsonLines number(String name, long value) {
        return write(() -> json.writeNumberField(name, value));
    }

    /** Adds an unsigned 64-bit number field. */
    public JsonLines unsigned(String name, long value) {
        return value >= 0 ? number(name, value) : write(() -> {
            json.writeFieldName(name);
            json.writeNumber(Long.toUnsignedString(value));
        });
    }

    /** Adds a boolean field. */
    public JsonLines flag(String name, boolean value) {
        return write(() -> json.writeBooleanField(name, value));
    }

    /** Adds the bytes of a path, or of a part of one. */
    public JsonLines path(String name, ByteString value) {
        Optional<String> text = value.utf8();
        return text.isPresent()
                ? text(name, text.get())
                : text(name + "_b64", Base64.getEncoder().encodeToString(value.toBytes()));
    }

    /** Begins an object as the value of a field. */
    public JsonLines object(String name) {
        return write(() -> json.writeObjectFieldStart(name));
    }

    /** Begins a list as the value of a field. */
    public JsonLines list(String name) {
        return write(() -> json.writeArrayFieldStart(name));
    }

    /** Begins an object in a list. */
    public JsonLines element() {
        return write(json::writeStartObject);
    }

    /** Adds a string to a list. */
    public JsonLines textElement(String value) {
        return write(() -> json.writeString(value));
    }

    /** Ends the current object. */
    public JsonLines endObject() {
        return write(json::writeEndObject);
    }

    /** Ends the current list. */
    public JsonLines endList() {
        return write(json::writeEndArray);
    }

    /** Ends the line, and passes all lines on when there are many. */
    public void end() {
        write(() -> {
            json.writeEndObject();
            json.writeRaw('\n');
            json.flush();
        });
        if (lines.size() >= FULL) {
            flush();
        }
    }

    /** Passes all lines on to the output. */
    public void flush() {
        byte[] bytes = lines.toByteArray();
        lines.reset();
        if (output.isTerminal()) {
            bytes = harmless(new String(bytes, StandardCharsets.UTF_8)).getBytes(StandardCharsets.UTF_8);
        }
        output.write(bytes, bytes.length);
    }

    // JSON leaves DEL and all controls above it as they are, which a terminal obeys. They can be in strings only, where an
    // escape means the same.
    private static String harmless(String text) {
        StringBuilder shown = new StringBuilder(text.length());
        text.codePoints().forEach(codePoint -> {
            String character = Character.toString(codePoint);
            if (codePoint == '\n' || ByteString.printable(character).equals(character)) {
                shown.append(character);
            } else {
                character.chars().forEach(unit -> shown.append(String.format(Locale.ROOT, "\\u%04x", unit)));
            }
        });
        return shown.toString();
    }

    private interface Writing {
        void run() throws IOException;
    }

    private JsonLines write(Writing writing) {
        try {
            writing.run();
            return this;
        } catch (IOException e) {
            // Cannot happen: the bytes go to memory.
            throw new UncheckedIOException(e);
        }
    }
}
