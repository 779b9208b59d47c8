// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.args;

import org.treehaul.core.entry.Amounts;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * A number of bytes as users write it; see {@link Amounts#parseBytes}.
 *
 * @param bytes the number, zero or more
 */
public record ByteSize(long bytes) {

    private static final String HELP = "; write a size as 4096, 64M, 1.5GiB or 10MB";

    /** Validates the size. */
    public ByteSize {
        if (bytes < 0) {
            throw new IllegalArgumentException("a negative size: " + bytes);
        }
    }

    /**
     * Parses a size.
     *
     * @throws IllegalArgumentException if the text is not a size, is not a whole number of bytes, or exceeds 2^63-1
     */
    public static ByteSize parse(String text) {
        try {
            return new ByteSize(Amounts.parseBytes(text));
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("'" + text + "' is not a size" + HELP, e);
        } catch (ArithmeticException e) {
            throw new IllegalArgumentException("'" + text + "' is not a whole number of bytes up to 8 EiB" + HELP, e);
        }
    }

    /** Converts option values for Picocli. */
    public static final class Converter implements ITypeConverter<ByteSize> {

        /** Creates a converter. */
        public Converter() {}

        @Override
        public ByteSize convert(String argument) {
            try {
                return parse(argument);
            } catch (IllegalArgumentException e) {
                throw new TypeConversionException(String.valueOf(e.getMessage()));
            }
        }
    }
}
