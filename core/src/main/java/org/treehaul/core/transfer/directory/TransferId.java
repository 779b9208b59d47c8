// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer.directory;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Random;
import java.util.regex.Pattern;

import org.treehaul.core.annotation.Api;

/**
 * The id of a transfer: its creation time in UTC and four random characters. It is safe in file names and scripts.
 *
 * @param text such as {@code 20261121-162202-k3x9}
 */
@Api
public record TransferId(String text) implements Comparable<TransferId> {

    private static final Pattern FORM = Pattern.compile("\\d{8}-\\d{6}-[a-z0-9]{4}");
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss")
            .withZone(ZoneOffset.UTC);
    private static final String CHARACTERS = "abcdefghijklmnopqrstuvwxyz0123456789";

    /** Creates an id from its text. */
    public TransferId {
        if (!isId(text)) {
            throw new IllegalArgumentException("not the id of a transfer: '" + text + "'");
        }
    }

    /** Returns whether a text is an id. */
    public static boolean isId(String text) {
        return FORM.matcher(text).matches();
    }

    /** Returns an id that is very likely new: creating the directory of the transfer shows whether it is. */
    public static TransferId make(Instant time, Random random) {
        StringBuilder text = new StringBuilder(TIME.format(time)).append('-');
        for (int i = 0; i < 4; i++) {
            text.append(CHARACTERS.charAt(random.nextInt(CHARACTERS.length())));
        }
        return new TransferId(text.toString());
    }

    /** Returns the second of its creation, as {@code 20261121-162202}: several ids may share it. */
    public String second() {
        return text.substring(0, text.lastIndexOf('-'));
    }

    @Override
    public int compareTo(TransferId other) {
        return text.compareTo(other.text);
    }

    @Override
    public String toString() {
        return text;
    }
}
