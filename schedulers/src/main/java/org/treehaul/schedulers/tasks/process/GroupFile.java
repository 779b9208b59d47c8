// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.tasks.process;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import org.treehaul.core.state.AtomicFiles;
import org.treehaul.schedulers.common.net.OwnFile;

/**
 * The address of the creator of a group and the secret of the group, in a file that only the user may read.
 *
 * @param addresses addresses of its host, the likeliest first
 */
record GroupFile(List<InetAddress> addresses, int port, String secret) {

    private static final String FORMAT = "treehaul-tasks 1";
    private static final int LINES = 4;

    GroupFile {
        addresses = List.copyOf(addresses);
    }

    void write(Path file) throws IOException {
        String text = String.join("\n", FORMAT,
                String.join(" ", addresses.stream().map(InetAddress::getHostAddress).toList()), Integer.toString(port),
                secret, "");
        AtomicFiles.replace(file, false, text.getBytes(StandardCharsets.US_ASCII));
    }

    /**
     * Reads the file.
     *
     * @throws IOException if there is none, another user could have written it, or it has another format
     */
    static GroupFile read(Path file) throws IOException {
        List<String> lines = OwnFile.lines(file, "the creator of the group")
                .orElseThrow(() -> new IOException(file + " does not exist: the group has begun or ended without this"
                        + " process, or the directory is not shared"));
        if (lines.size() != LINES || !lines.getFirst().equals(FORMAT)) {
            throw new IOException(file + " is not a file of this version");
        }
        try {
            List<InetAddress> addresses = new ArrayList<>();
            for (String address : lines.get(1).split(" ", -1)) {
                addresses.add(InetAddress.ofLiteral(address));
            }
            return new GroupFile(addresses, Integer.parseInt(lines.get(2)), lines.get(3));
        } catch (IllegalArgumentException e) {
            throw new IOException(file + " is not a file of this version", e);
        }
    }
}
