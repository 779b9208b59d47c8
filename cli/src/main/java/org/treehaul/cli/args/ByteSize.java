// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.args;

import java.math.BigDecimal;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * A number of bytes as users write it: {@code 4096}, {@code 64M}, {@code 1.5TiB}, {@code 10MB}. As in GNU coreutils, K,
 * M, G, T, P alone and with iB are powers of 1024, with B powers of 1000.
 *
 * @param bytes the number, zero or more
 */
public record ByteSize(long bytes) {

    private static final String UNITS = "KMGTPE";
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
        int digits = 0;
        while (digits < text.length() && (isDigit(text.charAt(digits)) || text.charAt(digits) == '.')) {
            digits++;
        }
        try {
            BigDecimal number = new BigDecimal(text.substring(0, digits));
            return new ByteSize(number.multiply(unit(text.substring(digits))).longValueExact());
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("'" + text + "' is not a size" + HELP, e);
        } catch (ArithmeticException e) {
            throw new IllegalArgumentException("'" + text + "' is not a whole number of bytes up to 8 EiB" + HELP, e);
        }
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }

    private static BigDecimal unit(String suffix) {
        if (suffix.isEmpty() || suffix.equals("B")) {
            return BigDecimal.ONE;
        }
        int power = UNITS.indexOf(Character.toUpperCase(suffix.charAt(0))) + 1;
        String rest = suffix.substring(1);
        boolean isBinary = rest.isEmpty() || rest.equals("iB");
        if (power == 0 || !isBinary && !rest.equals("B")) {
            throw new NumberFormatException(suffix);
        }
        return BigDecimal.valueOf(isBinary ? 1024 : 1000).pow(power);
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
