// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.locality;

import java.io.IOException;

import org.treehaul.core.entry.ByteString;

/**
 * A file system described the layout of a file in a way that is malformed, or unknown here. It contains no path; the
 * code that catches it knows the entry.
 *
 * <p>
 * It has no stack trace, because each of many files may have such a value.
 */
public final class LayoutException extends IOException {

    private static final long serialVersionUID = 1L;
    // A value may have 64 KiB.
    private static final int SHOWN = 200;

    /**
     * Creates the exception.
     *
     * @param message one line that says what is wrong
     */
    public LayoutException(String message) {
        super(ByteString.printable(message), null);
    }

    /**
     * Creates the exception for the value of an attribute.
     *
     * @param attribute the name of the attribute
     * @param value the value, whose beginning the message shows, with all but printable characters escaped
     * @param problem a few words that say what is wrong
     */
    public LayoutException(String attribute, ByteString value, String problem) {
        this(attribute + ": " + problem + ": " + shown(value));
    }

    private static String shown(ByteString value) {
        return value.length() <= SHOWN
                ? "'" + value + "'"
                : "'" + ByteString.of(value.toBytes(), 0, SHOWN) + "'... (" + value.length() + " bytes)";
    }

    @Override
    public synchronized Throwable fillInStackTrace() {
        return this;
    }
}
