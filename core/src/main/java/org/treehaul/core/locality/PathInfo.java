// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.locality;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import org.treehaul.core.entry.ByteString;

/**
 * Parses the attribute by which GlusterFS names the bricks of a file. Each translator of the volume's graph writes what
 * its subvolumes have written in parentheses, behind its own type and name:
 *
 * <pre>
 * (&lt;DISTRIBUTE:v-dht&gt; (&lt;REPLICATE:v-replicate-0&gt; &lt;POSIX(/b1):n1:/b1/f&gt; &lt;POSIX(/b2):n2:/b2/f&gt;))
 * </pre>
 */
final class PathInfo {

    // Distribution over replication, dispersal or stripes over replication: no volume has more levels than four.
    private static final int MOST_LEVELS = 8;

    private static final byte[] BRICK = ascii("<POSIX(");

    /** A part of a volume: the holders of the stripes, of which there is one if the part does not stripe files. */
    private record Part(List<Holders> holders, long stripeSize) {

        static Part of(Holders holders) {
            return new Part(List.of(holders), 0);
        }
    }

    private final ByteString value;
    private final byte[] bytes;
    private final byte[] name;
    private int at;

    private PathInfo(ByteString value, ByteString name) {
        this.value = value;
        this.bytes = value.toBytes();
        this.name = name.toBytes();
    }

    /**
     * Parses a value.
     *
     * @param name the last component of the file's path, by which the ends of paths are found that contain the
     *        characters of the format
     */
    static DataLayout parse(ByteString value, ByteString name) throws LayoutException {
        PathInfo info = new PathInfo(value, name);
        Part part = info.part(0);
        info.skip((byte) ' ');
        // A string of C, whose end older versions return too.
        info.skip((byte) 0);
        if (info.at < info.bytes.length) {
            throw info.wrong("unexpected text at byte " + info.at);
        }
        return DataLayout.of(GlusterLocality.KIND,
                new DataExtent(0, Long.MAX_VALUE, part.stripeSize(), part.holders().size(), part.holders(), ""));
    }

    private Part part(int level) throws LayoutException {
        if (level > MOST_LEVELS) {
            throw wrong("too many levels of parentheses");
        }
        if (!isNext((byte) '(')) {
            return Part.of(Holders.of(brick()));
        }
        at++;
        expect((byte) '<');
        String type = until((byte) '>', "no '>' after the type of a translator");
        List<Part> inside = new ArrayList<>();
        skip((byte) ' ');
        while (!isNext((byte) ')')) {
            inside.add(part(level + 1));
            skip((byte) ' ');
        }
        at++;
        return combined(type, inside);
    }

    private Part combined(String translator, List<Part> inside) throws LayoutException {
        if (inside.isEmpty()) {
            throw wrong("no brick");
        }
        int colon = translator.indexOf(':');
        String type = colon < 0 ? translator : translator.substring(0, colon);
        return switch (type) {
            case "REPLICATE" -> Part.of(together(Holders.Kind.COPIES, inside));
            case "EC", "DISPERSE" -> Part.of(together(Holders.Kind.FRAGMENTS, inside));
            case "STRIPE" -> striped(translator, inside);
            default -> {
                // DISTRIBUTE, and any translator that only passes on the answer of its subvolume.
                if (inside.size() > 1) {
                    throw wrong("several subvolumes of " + type + " have the file");
                }
                yield inside.getFirst();
            }
        };
    }

    private Holders together(Holders.Kind kind, List<Part> inside) throws LayoutException {
        List<DataPlace> places = new ArrayList<>();
        for (Part part : inside) {
            places.addAll(only(part).places());
        }
        return new Holders(kind, places);
    }

    private Part striped(String translator, List<Part> inside) throws LayoutException {
        int open = translator.lastIndexOf(":[");
        String size = open < 0 || !translator.endsWith("]")
                ? ""
                : translator.substring(open + 2, translator.length() - 1);
        if (!size.matches("[1-9][0-9]{0,17}")) {
            throw wrong("no size of stripes");
        }
        List<Holders> holders = new ArrayList<>();
        for (Part part : inside) {
            holders.add(only(part));
        }
        return new Part(holders, Long.parseLong(size));
    }

    private Holders only(Part part) throws LayoutException {
        if (part.stripeSize() > 0) {
            throw wrong("stripes inside another translator");
        }
        return part.holders().getFirst();
    }

    // <POSIX(directory of the brick):host:path>
    private DataPlace brick() throws LayoutException {
        if (!value.has(BRICK, at)) {
            throw wrong("no brick at byte " + at);
        }
        at += BRICK.length;
        until((byte) ')', "no end of a brick's directory");
        expect((byte) ':');
        String host = until((byte) ':', "no ':' after a host");
        if (!DataPlace.isServer(host)) {
            throw wrong("no name of a host at byte " + at);
        }
        int start = at;
        int end = endOfPath();
        if (start == end || bytes[start] != '/') {
            throw wrong("no path at byte " + start);
        }
        at = end + 1;
        return new DataPlace(host, ByteString.of(bytes, start, end));
    }

    // A path may contain '>' and what looks like another brick. It ends with the name of the file, unless that was read
    // through a link of another name.
    private int endOfPath() throws LayoutException {
        int first = -1;
        for (int i = at; i < bytes.length; i++) {
            boolean isEnd = bytes[i] == '>'
                    && (i + 1 == bytes.length || bytes[i + 1] == ' ' || bytes[i + 1] == ')' || bytes[i + 1] == 0);
            if (isEnd && isNamed(i)) {
                return i;
            }
            if (isEnd && first < 0) {
                first = i;
            }
        }
        if (first < 0) {
            throw wrong("no end of a path");
        }
        return first;
    }

    private boolean isNamed(int end) {
        int start = end - name.length;
        return name.length > 0 && start > at && bytes[start - 1] == '/'
                && Arrays.equals(bytes, start, end, name, 0, name.length);
    }

    private boolean isNext(byte wanted) throws LayoutException {
        if (at >= bytes.length) {
            throw wrong("ends too early");
        }
        return bytes[at] == wanted;
    }

    private void expect(byte wanted) throws LayoutException {
        if (!isNext(wanted)) {
            throw wrong("no '" + (char) wanted + "' at byte " + at);
        }
        at++;
    }

    private void skip(byte skipped) {
        while (at < bytes.length && bytes[at] == skipped) {
            at++;
        }
    }

    private String until(byte end, String problem) throws LayoutException {
        int start = at;
        while (at < bytes.length && bytes[at] != end) {
            at++;
        }
        if (at == bytes.length) {
            throw wrong(problem);
        }
        return new String(bytes, start, at++ - start, StandardCharsets.ISO_8859_1);
    }

    private LayoutException wrong(String problem) {
        return new LayoutException(GlusterLocality.ATTRIBUTE, value, problem);
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
