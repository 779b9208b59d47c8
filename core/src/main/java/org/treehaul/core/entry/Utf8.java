// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.entry;

import org.treehaul.core.annotation.Internal;

/** Finds well-formed UTF-8 sequences (RFC 3629, section 4). */
@Internal
public final class Utf8 {

    private Utf8() {}

    /** Returns the length of the well-formed sequence that starts at the index, or 0 if there is none. */
    public static int sequenceLength(byte[] bytes, int at) {
        int first = bytes[at] & 0xFF;
        if (first < 0x80) {
            return 1;
        }
        int length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
        if (first < 0xC2 || first > 0xF4 || at + length > bytes.length) {
            return 0;
        }
        int second = bytes[at + 1] & 0xFF;
        // The second byte has a narrower range after E0, ED, F0 and F4: no overlong forms, no surrogates, at most
        // U+10FFFF.
        int low = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
        int high = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
        if (second < low || second > high) {
            return 0;
        }
        for (int i = at + 2; i < at + length; i++) {
            if ((bytes[i] & 0xC0) != 0x80) {
                return 0;
            }
        }
        return length;
    }
}
