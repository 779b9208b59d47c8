// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.report;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Base64;
import java.util.Optional;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.util.MinimalPrettyPrinter;
import org.treehaul.core.entry.ByteString;

/**
 * Writes NDJSON: one object a line, each with {@code "v"}, the version of what the fields mean, and {@code "type"}.
 * <p>
 * A path is a field with that name where its bytes are UTF-8, else one with {@code _b64} after the name that holds them
 * in Base64. One object serves one thread; several may share an output.
 */
public final class JsonLines {

    private static final int VERSION = 1;
    private static final int FULL = 32 * 1024;
    private static final JsonFactory FACTORY = new JsonFactory();

    private final Output output;
    private final ByteArrayOutputStream lines = new ByteArrayOutputStream(FULL * 2);
    private final JsonGenerator json;

    /** Writes to an output. */
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

    /** Adds a text. */
    public JsonLines text(String name, String value) {
        return write(() -> json.writeStringField(name, value));
    }

    /** Adds a number. */
    public JsonLines number(String name, long value) {
        return write(() -> json.writeNumberField(name, value));
    }

    /** Adds a number of 64 bits without a sign. */
    public JsonLines unsigned(String name, long value) {
        return value >= 0 ? number(name, value) : write(() -> {
            json.writeFieldName(name);
            json.writeNumber(Long.toUnsignedString(value));
        });
    }

    /** Adds yes or no. */
    public JsonLines flag(String name, boolean value) {
        return write(() -> json.writeBooleanField(name, value));
    }

    /** Adds bytes that are a path, or part of one. */
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

    /** Begins a list of objects as the value of a field. */
    public JsonLines list(String name) {
        return write(() -> json.writeArrayFieldStart(name));
    }

    /** Begins an object in a list. */
    public JsonLines element() {
        return write(json::writeStartObject);
    }

    /** Adds a text to a list. */
    public JsonLines textElement(String value) {
        return write(() -> json.writeString(value));
    }

    /** Ends the object begun last. */
    public JsonLines endObject() {
        return write(json::writeEndObject);
    }

    /** Ends the list begun last. */
    public JsonLines endList() {
        return write(json::writeEndArray);
    }

    /** Ends the line, and hands it on with those before it when they are many. */
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

    /** Hands on all lines. */
    public void flush() {
        byte[] bytes = lines.toByteArray();
        lines.reset();
        output.write(bytes, bytes.length);
    }

    private interface Writing {
        void run() throws IOException;
    }

    private JsonLines write(Writing writing) {
        try {
            writing.run();
            return this;
        } catch (IOException e) {
            // The bytes go to memory.
            throw new UncheckedIOException(e);
        }
    }
}
