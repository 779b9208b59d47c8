// SPDX-License-Identifier: Apache-2.0
package org.treehaul.bench;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.UserDefinedFileAttributeView;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import org.treehaul.programs.Programs;

/** Determines which metadata a copying tool keeps: lets it copy a small tree that has all kinds of metadata. */
final class KeepProbe {

    private static final String TIME = "2001-02-03 04:05:06.123456789";
    private static final long SPARSE_BYTES = 8 << 20;

    private final Meter meter;
    private final Place place;
    private final Path source;

    KeepProbe(Meter meter, Place place) throws IOException {
        this.meter = meter;
        this.place = place;
        source = Files.createDirectory(place.fresh());
        Path directory = Files.createDirectory(source.resolve("directory"));
        Path file = Files.writeString(directory.resolve("file"), "content");
        Files.createLink(directory.resolve("second"), file);
        Files.createSymbolicLink(directory.resolve("link"), Path.of("file"));
        Programs.run("truncate", "-s", Long.toString(SPARSE_BYTES), directory.resolve("sparse").toString());
        attributes(file).write("treehaul", ByteBuffer.wrap(new byte[]{1}));
        // Only root may change owners, and only then does the probe test whether they are kept.
        Programs.ask("chown", "-R", "-h", "12345:54321", directory);
        Programs.run("chmod", "751", directory);
        Programs.run("chmod", "640", file);
        Programs.run("chmod", "4711", directory.resolve("sparse"));
        Programs.run("touch", "-h", "-d", TIME, file, directory.resolve("link"), directory);
    }

    /** Returns the metadata that a copy by the tool lacks, in words; {@code nothing} if it is complete. */
    String lost(Tool tool) throws IOException, InterruptedException {
        Path target = place.fresh();
        int code = meter.measure(tool.on(source, source, target)).code();
        String words = code == 0
                ? differences(source.resolve("directory"), target.resolve("directory"))
                : "exit code " + code;
        place.remove(target);
        return words;
    }

    private static String differences(Path from, Path to) throws IOException {
        List<String> lost = new ArrayList<>();
        note(lost, "mode", same("mode", from.resolve("file"), to.resolve("file")));
        note(lost, "set-user-ID", same("mode", from.resolve("sparse"), to.resolve("sparse")));
        note(lost, "owner", same("uid", from.resolve("file"), to.resolve("file"))
                && same("gid", from.resolve("file"), to.resolve("file")));
        note(lost, "file times", same("lastModifiedTime", from.resolve("file"), to.resolve("file")));
        note(lost, "mode of directories", same("mode", from, to));
        note(lost, "owner of directories", same("uid", from, to));
        note(lost, "times of directories", same("lastModifiedTime", from, to));
        note(lost, "links", Files.exists(to.resolve("link"), LinkOption.NOFOLLOW_LINKS));
        if (Files.isSymbolicLink(to.resolve("link"))) {
            note(lost, "owner of links", same("uid", from.resolve("link"), to.resolve("link")));
            note(lost, "times of links", same("lastModifiedTime", from.resolve("link"), to.resolve("link")));
        }
        note(lost, "hard links", Integer.valueOf(2).equals(unix(to.resolve("file")).get("nlink")));
        note(lost, "holes", isSparse(to.resolve("sparse")));
        note(lost, "xattrs", attributes(to.resolve("file")).list().contains("treehaul"));
        return lost.isEmpty() ? "nothing" : String.join(", ", lost);
    }

    private static void note(List<String> lost, String what, boolean isKept) {
        if (!isKept) {
            lost.add(what);
        }
    }

    private static boolean same(String attribute, Path from, Path to) throws IOException {
        return Objects.equals(unix(from).get(attribute), unix(to).get(attribute));
    }

    private static Map<String, Object> unix(Path path) throws IOException {
        return Files.readAttributes(path, "unix:*", LinkOption.NOFOLLOW_LINKS);
    }

    private static boolean isSparse(Path file) throws IOException {
        // Blocks have 512 bytes.
        return Long.parseLong(Programs.run("stat", "-c", "%b", file).strip()) * 512 < SPARSE_BYTES / 2;
    }

    private static UserDefinedFileAttributeView attributes(Path file) {
        UserDefinedFileAttributeView view = Files.getFileAttributeView(file, UserDefinedFileAttributeView.class);
        if (view == null) {
            throw new IllegalStateException("no attributes on " + file);
        }
        return view;
    }
}
