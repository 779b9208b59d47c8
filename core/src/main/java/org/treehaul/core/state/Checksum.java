// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.state;

import java.util.HexFormat;
import java.util.zip.CRC32C;

/** The CRC-32C (Castagnoli, RFC 3720 appendix B.4) of the files that the program writes, and its written form. */
public final class Checksum {

    /** The key of the last line of a text file, which holds the checksum of all lines before it. */
    public static final String KEY = "crc32c";

    private Checksum() {}

    /** Returns the checksum of bytes. */
    public static int of(byte[] bytes) {
        return of(bytes, 0, bytes.length);
    }

    /** Returns the checksum of a range of bytes. */
    public static int of(byte[] bytes, int from, int length) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, from, length);
        return (int) crc.getValue();
    }

    /** Returns the eight hexadecimal digits of a checksum. */
    public static String hex(int checksum) {
        return HexFormat.of().toHexDigits(checksum);
    }

    /** Returns the last line of a text file, with its line feed. */
    public static String line(int checksum) {
        return KEY + "\t" + hex(checksum) + "\n";
    }
}
