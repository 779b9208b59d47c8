// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.locality;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.FileStatus;

/** Finds the types of mounted file systems, and the places of their tops, as proc_pid_mountinfo(5) has them. */
final class MountTypes {

    private static final Path MOUNTS = Path.of("/proc/self/mountinfo");
    private static final int DEVICE_FIELD = 2;
    private static final int ROOT_FIELD = 3;
    private static final int PATH_FIELD = 4;
    // Behind the hyphen.
    private static final int SOURCE_FIELD = 1;

    private MountTypes() {}

    /** Returns the mounts of this process; empty without /proc. */
    static String read() {
        try {
            return Files.readString(MOUNTS, StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            return "";
        }
    }

    /**
     * Returns the name of the type of the file system on a device; empty if it is not mounted.
     *
     * @param mounts lines of an id, that of the parent, the device, the directory of the file system, the place, and
     *        after a hyphen the type and the source
     */
    static String of(long device, String mounts) {
        String number = FileStatus.deviceText(device);
        return mounts.lines()
                .filter(line -> isOn(number, line))
                .map(line -> line.split(" - ", 2))
                .filter(parts -> parts.length == 2)
                .map(parts -> name(parts[1].split(" ", SOURCE_FIELD + 2)))
                .findFirst()
                .orElse("");
    }

    // Programs that mount by themselves have the type before the source: "fuse mfs#10.0.0.1:9421" is fuse.mfs.
    private static String name(String[] typeAndSource) {
        String type = typeAndSource[0];
        String source = typeAndSource.length > SOURCE_FIELD ? typeAndSource[SOURCE_FIELD] : "";
        int end = Math.max(source.indexOf('#'), source.indexOf("\\043"));
        return type.equals("fuse") && end > 0 ? type + "." + source.substring(0, end) : type;
    }

    /**
     * Returns the path at which the top of the file system on a device is mounted; empty if it is not mounted, or only
     * a directory of it.
     */
    static Optional<ByteString> topOf(long device, String mounts) {
        String number = FileStatus.deviceText(device);
        return mounts.lines()
                .filter(line -> isOn(number, line))
                .map(line -> line.split(" ", PATH_FIELD + 2))
                .filter(fields -> fields.length > PATH_FIELD && fields[ROOT_FIELD].equals("/"))
                .map(fields -> unescaped(fields[PATH_FIELD]))
                .findFirst();
    }

    // Blanks, tabs, newlines and backslashes are three octal digits behind a backslash.
    private static ByteString unescaped(String path) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        for (int i = 0; i < path.length(); i++) {
            if (path.startsWith("\\", i) && path.substring(i + 1).matches("(?s)[0-3][0-7][0-7].*")) {
                bytes.write(Integer.parseInt(path.substring(i + 1, i + 4), 8));
                i += 3;
            } else {
                bytes.write(path.charAt(i));
            }
        }
        return ByteString.of(bytes.toByteArray());
    }

    private static boolean isOn(String number, String line) {
        String[] fields = line.split(" ", DEVICE_FIELD + 2);
        return fields.length > DEVICE_FIELD && fields[DEVICE_FIELD].equals(number);
    }
}
