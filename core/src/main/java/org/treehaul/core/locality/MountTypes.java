// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.locality;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

import org.treehaul.core.entry.FileStatus;

/** Finds the names of the types of mounted file systems, as proc_pid_mountinfo(5) has them. */
final class MountTypes {

    private static final Path MOUNTS = Path.of("/proc/self/mountinfo");
    private static final int DEVICE_FIELD = 2;

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
     * @param mounts lines of an id, that of the parent, the device, and after a hyphen the type
     */
    static String of(long device, String mounts) {
        String number = FileStatus.deviceText(device);
        return mounts.lines()
                .filter(line -> isOn(number, line))
                .map(line -> line.split(" - ", 2))
                .filter(parts -> parts.length == 2)
                .map(parts -> parts[1].split(" ", 2)[0])
                .findFirst()
                .orElse("");
    }

    private static boolean isOn(String number, String line) {
        String[] fields = line.split(" ", DEVICE_FIELD + 2);
        return fields.length > DEVICE_FIELD && fields[DEVICE_FIELD].equals(number);
    }
}
