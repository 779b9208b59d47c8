// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.locality;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Random;

/** Damages values as a faulty or hostile file system might. */
final class Damage {

    private Damage() {}

    /**
     * Returns a value with up to four changes: bytes set, removed, doubled or cut off.
     *
     * @param edges characters that are written more often than others
     */
    static byte[] of(Random random, byte[] value, String edges) {
        byte[] special = edges.getBytes(StandardCharsets.ISO_8859_1);
        byte[] damaged = value.clone();
        for (int changes = 1 + random.nextInt(4); changes > 0 && damaged.length > 0; changes--) {
            int at = random.nextInt(damaged.length);
            switch (random.nextInt(5)) {
                case 0 -> damaged[at] = (byte) random.nextInt(256);
                case 1 -> damaged[at] = special[random.nextInt(special.length)];
                case 2 -> damaged = Arrays.copyOf(damaged, at);
                case 3 -> {
                    byte[] longer = Arrays.copyOf(damaged, damaged.length * 2 - at);
                    System.arraycopy(damaged, at, longer, damaged.length, damaged.length - at);
                    damaged = longer;
                }
                default -> {
                    byte[] shorter = Arrays.copyOf(damaged, damaged.length - 1);
                    System.arraycopy(damaged, at + 1, shorter, at, damaged.length - at - 1);
                    damaged = shorter;
                }
            }
        }
        return damaged;
    }
}
