// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage.net;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import java.util.function.UnaryOperator;

import org.apache.commons.io.file.PathUtils;
import org.awaitility.Awaitility;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.schedulers.stage.Segments;
import org.treehaul.schedulers.stage.StageServer;

/** A server in this process, and what its clients need. */
final class Served implements AutoCloseable {

    static final String SECRET = "0123456789abcdef0123456789abcdef";

    final Path place;
    final RunSecret secret;
    final List<String> notes = Collections.synchronizedList(new ArrayList<>());
    private final ServedDirectory directory;
    SegmentServer server;

    private Served(Path place, FileSystemCalls calls, UnaryOperator<Segments> over, UnaryOperator<ServerSettings> with)
            throws IOException {
        this.place = place;
        this.secret = RunSecret.read(secretFile(place.resolve("secret"), SECRET));
        this.directory = ServedDirectory.open(calls, ByteString.of(place.resolve("segments")), "here");
        this.server = SegmentServer.start(with.apply(settings(0)), directory.id(), over.apply(directory.segments()),
                notes::add);
    }

    static Served in(Path place) throws IOException {
        return new Served(place, Linux.calls(), UnaryOperator.identity(), UnaryOperator.identity());
    }

    static Served with(Path place, UnaryOperator<ServerSettings> settings) throws IOException {
        return new Served(place, Linux.calls(), UnaryOperator.identity(), settings);
    }

    static Served over(Path place, FileSystemCalls calls) throws IOException {
        return new Served(place, calls, UnaryOperator.identity(), UnaryOperator.identity());
    }

    static Served of(Path place, UnaryOperator<Segments> over, UnaryOperator<ServerSettings> settings)
            throws IOException {
        return new Served(place, Linux.calls(), over, settings);
    }

    static ByteString secretFile(Path file, String secret) throws IOException {
        if (!Files.exists(file)) {
            Files.createFile(file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
            Files.writeString(file, secret + "\n");
        }
        return ByteString.of(file);
    }

    ServerSettings settings(int port) {
        return ServerSettings.of(ByteString.of(place.resolve("segments")), "here",
                new InetSocketAddress(InetAddress.getLoopbackAddress(), port), secret);
    }

    UUID id() {
        return directory.id();
    }

    int port() {
        return server.address().getPort();
    }

    StageServer at(int port) {
        return new StageServer("run", "n1", "here", directory.id(), ByteString.of(place.resolve("segments")),
                "127.0.0.1:" + port);
    }

    StageServer address() {
        return at(port());
    }

    /** Stops the server, and starts another one at the same port. */
    void restart() throws IOException {
        int port = port();
        server.close();
        server = SegmentServer.start(settings(port), directory.id(), directory.segments(), notes::add);
    }

    /** Waits until the server has given back all memory. */
    void awaitFree() {
        Awaitility.await().until(() -> server.memoryInUse() == 0);
    }

    @Override
    public void close() {
        server.close();
        directory.close();
        try {
            PathUtils.deleteDirectory(place.resolve("segments"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
