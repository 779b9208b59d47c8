// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.mpj;

import static org.treehaul.core.fs.LinuxConstants.AT_FDCWD;
import static org.treehaul.core.fs.LinuxConstants.O_NOFOLLOW;
import static org.treehaul.core.fs.LinuxConstants.O_NONBLOCK;
import static org.treehaul.core.fs.LinuxConstants.O_RDONLY;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.ValueLayout;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.UnknownHostException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.ProcessStatus;
import org.treehaul.core.fs.SafePath;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.state.AtomicFiles;
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
    private static final int SECRET_BYTES = 32;
    private static final String REMEDY = "use a file in a directory that only you can write to";
    // The charset by which Java decoded the bytes of paths.
    private static final Charset NAMES = Charset.forName(System.getProperty("sun.jnu.encoding", "UTF-8"));

    MeetingPoint {
        addresses = List.copyOf(addresses);
    }

    static String newSecret() {
        byte[] secret = new byte[SECRET_BYTES];
        new SecureRandom().nextBytes(secret);
        return HexFormat.of().formatHex(secret);
    }

    /** Returns the addresses by which others may reach this host; loopback addresses last. */
    static List<InetAddress> addressesHere() throws IOException {
        // If /etc/hosts maps the host name to 127.0.1.1, as on Debian, the name does not lead others here.
        List<InetAddress> named = new ArrayList<>();
        try {
            named.addAll(List.of(InetAddress.getAllByName(InetAddress.getLocalHost().getHostName())));
        } catch (UnknownHostException e) {
            // The addresses of the interfaces must suffice.
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

    // The checks apply to the open file that is read, not to its name.
    private static Optional<List<String>> lines(Path file) throws IOException {
        byte[] name = file.toAbsolutePath().toString().getBytes(NAMES);
        try (FileAccess access = FileAccess.open(Linux.calls())) {
            int descriptor = access.open(AT_FDCWD, access.name(name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK, 0);
            try {
                FileStatus status = access.status(descriptor);
                requireOwn(file, status);
                long length = access.readFully(descriptor, access.buffer());
                byte[] bytes = access.buffer().asSlice(0, length).toArray(ValueLayout.JAVA_BYTE);
                return Optional.of(new String(bytes, StandardCharsets.UTF_8).lines().toList());
            } finally {
                access.closeQuietly(descriptor);
            }
        } catch (SystemCallException e) {
            if (e.errno() == Errno.ENOENT) {
                return Optional.empty();
            }
            if (e.errno() == Errno.ELOOP) {
                throw new RanksException(file + " is a symbolic link, which rank 0 never creates: " + REMEDY, e);
            }
            throw new IOException(file + ": " + e.getMessage(), e);
        }
    }

    private static void requireOwn(Path file, FileStatus status) throws IOException {
        long self = ProcessStatus.read().effectiveUid();
        if (EntryKind.ofMode(status.mode()) != EntryKind.REGULAR) {
            throw new RanksException(file + " is not a regular file, so rank 0 did not write it: " + REMEDY);
        }
        if (status.uid() != self) {
            throw new RanksException(file + " belongs to user " + status.uid() + ", not to " + self
                    + ", so rank 0 did not write it: " + REMEDY);
        }
        if ((status.mode() & SafePath.ALL) != 0) {
            throw new RanksException(file + " is open to others (mode " + Integer.toOctalString(status.mode() & 07777)
                    + "), so rank 0 did not write it: " + REMEDY);
        }
    }
}
