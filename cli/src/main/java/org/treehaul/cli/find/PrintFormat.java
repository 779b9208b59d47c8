// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.find;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import org.treehaul.core.condition.Accounts;
import org.treehaul.core.condition.FileField;
import org.treehaul.core.condition.ServerNames;
import org.treehaul.core.copy.options.UserPath;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.walk.FoundValues;

/** A format of {@code --printf}: the escapes and the common directives of {@code find -printf} (GNU findutils). */
final class PrintFormat {

    /** The format of {@code --long}. */
    static final String LONG = "%M %3n %-8u %-8g %12s %TF %TH:%TM %p%L\\n";

    private static final String PLAIN = "pPfhHdsbkmMniDuUgGlyLNact";

    /** Text, or a directive with its field of at least {@code width} bytes; {@code letter} is 0 for text. */
    private record Part(ByteString text, char letter, char ofTime, boolean isLeft, boolean hasZeros,
            boolean isAlternative, int width) {}

    private final List<Part> parts = new ArrayList<>();
    private final Accounts accounts = Accounts.system();
    private final byte[] source;
    private final boolean escapes;
    private int at;

    /**
     * Parses a format.
     *
     * @param escapes whether control characters in names are escaped, because a terminal obeys them
     * @throws IllegalArgumentException if it has an unknown directive or escape; the message is printable
     */
    PrintFormat(byte[] source, boolean escapes) {
        this.source = source.clone();
        this.escapes = escapes;
        ByteArrayOutputStream text = new ByteArrayOutputStream();
        while (at < source.length) {
            byte next = source[at++];
            if (next == '\\') {
                if (at < source.length && source[at] == 'c') {
                    break;
                }
                text.write(escape());
            } else if (next == '%' && at < source.length && source[at] == '%') {
                at++;
                text.write('%');
            } else if (next == '%') {
                addText(text);
                parts.add(directive());
            } else {
                text.write(next);
            }
        }
        addText(text);
    }

    private void addText(ByteArrayOutputStream text) {
        if (text.size() > 0) {
            parts.add(new Part(ByteString.of(text.toByteArray()), (char) 0, (char) 0, false, false, false, 0));
            text.reset();
        }
    }

    private int escape() {
        char letter = at < source.length ? (char) (source[at] & 0xFF) : 0;
        int known = "abfnrtv\\".indexOf(letter);
        if (letter >= '0' && letter <= '7') {
            int value = 0;
            for (int digits = 0; digits < 3 && at < source.length && source[at] >= '0' && source[at] <= '7'; digits++) {
                value = value * 8 + source[at++] - '0';
            }
            return value;
        }
        if (letter == 0 || known < 0) {
            throw wrong("\\", letter, "the escapes are \\a \\b \\c \\f \\n \\r \\t \\v \\\\ and \\NNN in octal");
        }
        at++;
        return "\u0007\b\f\n\r\t\u000b\\".charAt(known);
    }

    private Part directive() {
        boolean isLeft = false;
        boolean hasZeros = false;
        boolean isAlternative = false;
        while (at < source.length && "-0#".indexOf(source[at]) >= 0) {
            isLeft |= source[at] == '-';
            hasZeros |= source[at] == '0';
            isAlternative |= source[at] == '#';
            at++;
        }
        int width = 0;
        while (at < source.length && source[at] >= '0' && source[at] <= '9' && width < 10_000) {
            width = width * 10 + source[at++] - '0';
        }
        char letter = at < source.length ? (char) (source[at++] & 0xFF) : 0;
        char ofTime = 0;
        if ("ACTB".indexOf(letter) >= 0 && letter != 0) {
            ofTime = at < source.length ? (char) (source[at++] & 0xFF) : 0;
            if (!FormatTime.isKnown(ofTime)) {
                throw wrong("%" + letter, ofTime, "the parts of a time are " + FormatTime.KNOWN);
            }
        } else if (letter == 0 || PLAIN.indexOf(letter) < 0) {
            throw wrong("%", letter, "the directives are those of find -printf, without %F %S %Y and %Z");
        }
        return new Part(ByteString.empty(), letter, ofTime, isLeft, hasZeros, isAlternative, width);
    }

    private static IllegalArgumentException wrong(String before, char letter, String known) {
        String shown = letter == 0 ? "" : ByteString.escape(new byte[]{(byte) letter});
        return new IllegalArgumentException("unknown '" + before + shown + "'; " + known);
    }

    /** Prints an entry. */
    void print(FoundValues.Subject found, FoundValues values, ByteArrayOutputStream to) throws SystemCallException {
        for (Part part : parts) {
            if (part.letter == 0) {
                to.writeBytes(part.text.toBytes());
                continue;
            }
            byte[] value = value(part, found, values);
            // GNU find formats other numbers as text.
            boolean isNumber = part.hasZeros && !part.isLeft && "dm".indexOf(part.letter) >= 0;
            pad(to, part.isLeft ? 0 : part.width - value.length, isNumber ? '0' : ' ');
            to.writeBytes(value);
            pad(to, part.isLeft ? part.width - value.length : 0, ' ');
        }
    }

    private static void pad(ByteArrayOutputStream to, int count, char with) {
        for (int i = 0; i < count; i++) {
            to.write(with);
        }
    }

    private byte[] value(Part part, FoundValues.Subject found, FoundValues values) throws SystemCallException {
        return switch (part.letter) {
            case 'p' -> shown(values.path().toBytes());
            case 'P' -> shown(found.path().toBytes());
            case 'f' -> shown(baseName(found, values));
            case 'h' -> shown(values.directory().toBytes());
            case 'H' -> shown(values.root().toBytes());
            case 'l' -> shown(target(values));
            case 'N' -> servers(values);
            case 'L' -> found.kind() == EntryKind.SYMLINK ? arrow(shown(target(values))) : new byte[0];
            default -> text(part, found, values).getBytes(StandardCharsets.UTF_8);
        };
    }

    // As GNU find, with the slash at the end of an operand.
    private static byte[] baseName(FoundValues.Subject found, FoundValues values) {
        ByteString name = values.name();
        boolean hasSlash = found.depth() == 0 && UserPath.endsWithSlash(values.root()) && !UserPath.endsWithSlash(name);
        return (hasSlash ? name.plus(ByteString.of("/")) : name).toBytes();
    }

    private byte[] shown(byte[] name) {
        return escapes ? ByteString.escape(name).getBytes(StandardCharsets.UTF_8) : name;
    }

    private static byte[] servers(FoundValues values) throws SystemCallException {
        ByteString servers = values.text(FileField.SERVER);
        return servers == null ? new byte[0] : ServerNames.text(servers).getBytes(StandardCharsets.UTF_8);
    }

    private static byte[] target(FoundValues values) throws SystemCallException {
        ByteString target = values.text(FileField.TARGET);
        return target == null ? new byte[0] : target.toBytes();
    }

    private static byte[] arrow(byte[] target) {
        byte[] arrow = Arrays.copyOf(new byte[]{' ', '-', '>', ' '}, 4 + target.length);
        System.arraycopy(target, 0, arrow, 4, target.length);
        return arrow;
    }

    private String text(Part part, FoundValues.Subject found, FoundValues values) throws SystemCallException {
        return switch (part.letter) {
            case 'd' -> Integer.toString(values.depth());
            case 'i' -> Long.toUnsignedString(found.inode());
            case 'y' -> String.valueOf(letter(found.kind(), 'f'));
            default -> text(part, found.status());
        };
    }

    private String text(Part part, FileStatus status) {
        return switch (part.letter) {
            case 's' -> Long.toString(status.size());
            case 'b' -> Long.toString(status.blocks());
            case 'k' -> Long.toString((status.blocks() + 1) / 2);
            case 'm' -> (part.isAlternative && status.permissions() != 0 ? "0" : "")
                    + Integer.toOctalString(status.permissions());
            case 'M' -> permissions(status);
            case 'n' -> Long.toString(status.linkCount());
            case 'D' -> Long.toUnsignedString(status.device());
            case 'u' -> accounts.userName(status.uid());
            case 'U' -> Long.toString(status.uid());
            case 'g' -> accounts.groupName(status.gid());
            case 'G' -> Long.toString(status.gid());
            case 'a', 'A' -> FormatTime.print(status.atime(), part.ofTime);
            case 'c', 'C' -> FormatTime.print(status.ctime(), part.ofTime);
            case 't', 'T' -> FormatTime.print(status.mtime(), part.ofTime);
            case 'B' -> status.btime().map(time -> FormatTime.print(time, part.ofTime)).orElse("");
            default -> throw new IllegalStateException("%" + part.letter);
        };
    }

    private static char letter(EntryKind kind, char ofFile) {
        return switch (kind) {
            case REGULAR -> ofFile;
            case DIRECTORY -> 'd';
            case SYMLINK -> 'l';
            case FIFO -> 'p';
            case SOCKET -> 's';
            case BLOCK -> 'b';
            case CHARACTER -> 'c';
        };
    }

    // As ls(1) prints them.
    private static String permissions(FileStatus status) {
        StringBuilder text = new StringBuilder(10).append(letter(status.kind(), '-'));
        for (int shift = 6; shift >= 0; shift -= 3) {
            int bits = status.mode() >> shift;
            boolean isSpecial = (status.mode() & switch (shift) {
                case 6 -> 04000;
                case 3 -> 02000;
                default -> 01000;
            }) != 0;
            char special = shift == 0 ? 't' : 's';
            boolean mayExecute = (bits & 1) != 0;
            text.append((bits & 4) != 0 ? 'r' : '-').append((bits & 2) != 0 ? 'w' : '-');
            text.append(isSpecial ? mayExecute ? special : Character.toUpperCase(special) : mayExecute ? 'x' : '-');
        }
        return text.toString();
    }
}
