// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.mpj;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

import org.treehaul.strategies.ranks.RanksException;

/**
 * Where rank 0 waits for the others, in a file that only the user may read. Whoever can read it belongs to the group:
 * it holds the secret.
 *
 * @param host what the host of rank 0 is called
 * @param addresses of that host, the likeliest first
 * @param port of the rendezvous
 * @param secret of the group
 */
record MeetingPoint(String host, List<InetAddress> addresses, int port, String secret) {

    private static final String FORMAT = "treehaul-ranks 1";
    private static final String BROKEN = "treehaul-ranks broken";
    private static final int SECRET_BYTES = 32;

    MeetingPoint {
        addresses = List.copyOf(addresses);
    }

    static String newSecret() {
        byte[] secret = new byte[SECRET_BYTES];
        new SecureRandom().nextBytes(secret);
        return HexFormat.of().formatHex(secret);
    }

    /** Returns the addresses of this host by which others may reach it; those of the loopback last. */
    static List<InetAddress> addressesHere() throws IOException {
        // A name that stands for 127.0.1.1 in /etc/hosts, as on Debian, leads nobody here.
        List<InetAddress> named = new ArrayList<>();
        try {
            named.addAll(List.of(InetAddress.getAllByName(InetAddress.getLocalHost().getHostName())));
        } catch (UnknownHostException e) {
            // Then the interfaces must do.
        }
        List<InetAddress> all = new ArrayList<>();
        for (NetworkInterface network : (Iterable<NetworkInterface>) NetworkInterface.networkInterfaces()::iterator) {
            if (network.isUp()) {
                network.inetAddresses().filter(Inet4Address.class::isInstance).forEach(all::add);
            }
        }
        all.sort(Comparator.comparing((InetAddress a) -> a.isLoopbackAddress())
                .thenComparing(a -> !named.contains(a))
                .thenComparing(InetAddress::isLinkLocalAddress));
        return all;
    }

    /** Writes the file; one that stands there is replaced. */
    void write(Path file) throws IOException {
        replace(file,
                String.join("\n", FORMAT, host,
                        String.join(" ", addresses.stream().map(InetAddress::getHostAddress).toList()),
                        Integer.toString(port), secret));
    }

    /** Writes why there is no group to join any more. */
    static void writeBroken(Path file, String reason) throws IOException {
        replace(file, BROKEN + "\n" + reason);
    }

    private static void replace(Path file, String text) throws IOException {
        Path directory = file.toAbsolutePath().getParent();
        Path fresh = Files.createTempFile(directory, "." + file.getFileName(), "",
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        try {
            Files.writeString(fresh, text + "\n", StandardCharsets.UTF_8);
            Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE);
        } finally {
            Files.deleteIfExists(fresh);
        }
    }

    /**
     * Reads the file.
     *
     * @return empty when there is none
     * @throws IOException when it is none of this version
     * @throws RanksException when the group is broken already
     */
    static Optional<MeetingPoint> read(Path file) throws IOException {
        // Over NFS a name that was not there is believed not to be there for a minute; to list asks the server again.
        try (Stream<Path> listed = Files.list(file.toAbsolutePath().getParent())) {
            if (listed.noneMatch(path -> file.getFileName().equals(path.getFileName()))) {
                return Optional.empty();
            }
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
        List<String> lines;
        try {
            lines = Files.readAllLines(file, StandardCharsets.UTF_8);
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
        if (lines.size() > 1 && lines.getFirst().equals(BROKEN)) {
            throw new RanksException(lines.get(1));
        }
        if (lines.size() != 5 || !lines.getFirst().equals(FORMAT)) {
            throw new IOException(file + " is no meeting point of this version");
        }
        List<InetAddress> addresses = new ArrayList<>();
        for (String address : lines.get(2).split(" ", -1)) {
            addresses.add(InetAddress.ofLiteral(address));
        }
        return Optional.of(new MeetingPoint(lines.get(1), addresses, Integer.parseInt(lines.get(3)), lines.get(4)));
    }
}
