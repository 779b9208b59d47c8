// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.mpj;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

import org.treehaul.core.entry.ByteString;
import org.treehaul.core.state.AtomicFiles;
import org.treehaul.schedulers.common.net.OwnFile;
import org.treehaul.strategies.ranks.communicator.RanksException;

/**
 * The address at which rank 0 waits for the others, in a file that only the user may read. Every process that can read
 * it belongs to the group, because it holds the secret.
 *
 * @param host the name of the host of rank 0
 * @param addresses addresses of that host, the likeliest first
 * @param port the port of the rendezvous
 * @param secret the secret of the group
 */
record MeetingPoint(String host, List<InetAddress> addresses, int port, String secret) {

    private static final String FORMAT = "treehaul-ranks 1";
    private static final String BROKEN = "treehaul-ranks broken";

    MeetingPoint {
        addresses = List.copyOf(addresses);
    }

    /** Writes the file and replaces an existing one. */
    void write(Path file) throws IOException {
        replace(file,
                String.join("\n", FORMAT, host,
                        String.join(" ", addresses.stream().map(InetAddress::getHostAddress).toList()),
                        Integer.toString(port), secret));
    }

    /** Thrown when the file records why there is no group to join any more. */
    static final class BrokenException extends RanksException {
        private static final long serialVersionUID = 1;

        BrokenException(String reason) {
            super(reason);
        }
    }

    /** Records in the file why there is no group to join any more. */
    static void writeBroken(Path file, String reason) throws IOException {
        replace(file, BROKEN + "\n" + ByteString.printable(reason));
    }

    private static void replace(Path file, String text) throws IOException {
        AtomicFiles.replace(file, false, (text + "\n").getBytes(StandardCharsets.UTF_8));
    }

    /**
     * Reads the file.
     *
     * @return empty if there is none
     * @throws IOException if it is not a file of this version
     * @throws BrokenException if the group, or that of an earlier run, is broken already
     * @throws RanksException if another user could have written it
     */
    static Optional<MeetingPoint> read(Path file) throws IOException {
        // NFS clients may cache for a minute that a name does not exist; listing the directory queries the server
        // again.
        try (Stream<Path> listed = Files.list(file.toAbsolutePath().getParent())) {
            if (listed.noneMatch(path -> file.getFileName().equals(path.getFileName()))) {
                return Optional.empty();
            }
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
        Optional<List<String>> text = lines(file);
        if (text.isEmpty()) {
            return Optional.empty();
        }
        List<String> lines = text.get();
        if (lines.size() > 1 && lines.getFirst().equals(BROKEN)) {
            throw new BrokenException(ByteString.printable(lines.get(1)));
        }
        if (lines.size() != 5 || !lines.getFirst().equals(FORMAT)) {
            throw new IOException(file + " is not a meeting point of this version");
        }
        List<InetAddress> addresses = new ArrayList<>();
        for (String address : lines.get(2).split(" ", -1)) {
            addresses.add(InetAddress.ofLiteral(address));
        }
        return Optional.of(new MeetingPoint(ByteString.printable(lines.get(1)), addresses,
                Integer.parseInt(lines.get(3)), lines.get(4)));
    }

    private static Optional<List<String>> lines(Path file) throws IOException {
        try {
            return OwnFile.lines(file, "rank 0");
        } catch (OwnFile.ForeignFileException e) {
            throw new RanksException(String.valueOf(e.getMessage()), e);
        }
    }
}
