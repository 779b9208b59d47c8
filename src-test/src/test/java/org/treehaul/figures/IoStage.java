// SPDX-License-Identifier: Apache-2.0
package org.treehaul.figures;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.UnaryOperator;

import org.treehaul.core.entry.ByteString;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.schedulers.stage.Catalogue;
import org.treehaul.schedulers.stage.SegmentPart;
import org.treehaul.schedulers.stage.Segments;
import org.treehaul.schedulers.stage.Stage;
import org.treehaul.schedulers.stage.net.RunSecret;
import org.treehaul.schedulers.stage.net.SegmentClients;
import org.treehaul.schedulers.stage.net.SegmentServer;
import org.treehaul.schedulers.stage.net.ServedDirectory;
import org.treehaul.schedulers.stage.net.ServerSettings;
import org.treehaul.tuplespace.store.SpaceUri;

/** Servers of segments in this process, s1 and so on, each of which is as slow as a node with a link and a disk. */
final class IoStage implements AutoCloseable {

    /** The bytes that a server reads or writes in a second. */
    static final long RATE = 25_000_000;
    /** The delay of each read and write, in milliseconds: the machine has none. */
    static final int DELAY_MILLIS = 5;

    private static final int THREADS = 64;

    private final Path place;
    private final RunSecret secret;
    private final SpaceUri space = new SpaceUri(SpaceUri.MEMORY, "figures" + System.nanoTime());
    private final Catalogue kept = Catalogue.open(space, "io");
    private final List<ServedDirectory> directories = new ArrayList<>();
    private final List<SegmentServer> servers = new ArrayList<>();
    private final List<AutoCloseable> clients = new ArrayList<>();
    private volatile boolean isSlow;

    private IoStage(Path place) throws IOException {
        this.place = Files.createTempDirectory(Files.createDirectories(place), "io");
        Path file = Files.createFile(this.place.resolve("secret"),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.writeString(file, "0123456789abcdef0123456789abcdef\n");
        this.secret = RunSecret.read(ByteString.of(file));
    }

    /** Starts a number of servers in a directory. */
    static IoStage start(Path place, int number) throws IOException {
        return start(place, number, settings -> settings.withThreads(THREADS));
    }

    /** Starts a number of servers in a directory, with other settings. */
    static IoStage start(Path place, int number, UnaryOperator<ServerSettings> with) throws IOException {
        IoStage stage = new IoStage(place);
        try (SegmentClients first = new SegmentClients(stage.secret, false)) {
            for (int i = 1; i <= number; i++) {
                ByteString path = ByteString.of(stage.place.resolve("segments" + i));
                ServedDirectory directory = ServedDirectory.open(Linux.calls(), path, "server" + i);
                stage.directories.add(directory);
                stage.servers.add(SegmentServer.start(
                        with.apply(ServerSettings.of(path, "server" + i,
                                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), stage.secret)),
                        directory.id(), stage.slowed(directory.segments()), note -> {}));
                first.add(stage.kept, List.of("127.0.0.1:" + stage.servers.getLast().address().getPort()));
            }
        }
        return stage;
    }

    /** Sets whether reads and writes take the time of a node. */
    void setSlow(boolean slow) {
        isSlow = slow;
    }

    // The bytes of a server follow each other; the delays of its requests overlap.
    private Segments slowed(Segments segments) {
        long[] free = {System.nanoTime()};
        return (Segments) Proxy.newProxyInstance(Segments.class.getClassLoader(), new Class<?>[]{Segments.class},
                (proxy, method, arguments) -> {
                    if (isSlow && arguments != null && arguments.length == 2 && arguments[1] instanceof List<?> parts) {
                        long bytes = 0;
                        for (Object part : parts) {
                            bytes += ((SegmentPart) part).bytes().byteSize();
                        }
                        long end;
                        synchronized (free) {
                            free[0] = Math.max(free[0], System.nanoTime()) + bytes * 1_000_000_000L / RATE;
                            end = free[0] + DELAY_MILLIS * 1_000_000L;
                        }
                        waitUntil(end);
                    }
                    try {
                        return method.invoke(segments, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    /** Waits until a time of {@link System#nanoTime}. */
    static void waitUntil(long nanos) {
        for (long left = nanos - System.nanoTime(); left > 0; left = nanos - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }

    /** Opens a client with connections of its own, which this object closes. */
    Stage client() {
        SegmentClients network = new SegmentClients(secret, false);
        Stage stage = Stage.open(Catalogue.open(space, "io"), network, 4);
        clients.add(stage);
        clients.add(network);
        return stage;
    }

    @Override
    public void close() throws IOException {
        try {
            for (AutoCloseable client : clients) {
                client.close();
            }
        } catch (Exception e) {
            throw new IOException(e);
        }
        kept.close();
        servers.forEach(SegmentServer::close);
        directories.forEach(ServedDirectory::close);
        org.apache.commons.io.file.PathUtils.deleteDirectory(place);
    }
}
