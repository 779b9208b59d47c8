// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage.async;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;

import org.treehaul.core.entry.ByteString;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.schedulers.stage.Catalogue;
import org.treehaul.schedulers.stage.Segments;
import org.treehaul.schedulers.stage.Stage;
import org.treehaul.schedulers.stage.StagedFile;
import org.treehaul.schedulers.stage.net.RunSecret;
import org.treehaul.schedulers.stage.net.SegmentClients;
import org.treehaul.schedulers.stage.net.SegmentServer;
import org.treehaul.schedulers.stage.net.ServedDirectory;
import org.treehaul.schedulers.stage.net.ServerSettings;
import org.treehaul.tuplespace.store.SpaceUri;

/** A stage named job whose servers are processes for its clients, but threads of this one. */
public final class ServedStage implements AutoCloseable {

    private final Path place;
    private final RunSecret secret;
    private final SpaceUri space = new SpaceUri(SpaceUri.MEMORY, "served" + System.nanoTime());
    private final Catalogue kept = Catalogue.open(space, "job");
    private final List<ServedDirectory> directories = new ArrayList<>();
    private final List<SegmentServer> servers = new ArrayList<>();
    private final List<Stage> stages = new ArrayList<>();
    private final SegmentClients clients;
    private final UnaryOperator<Segments> over;

    private ServedStage(Path place, UnaryOperator<Segments> over) throws IOException {
        this.place = place;
        this.over = over;
        Path file = Files.createFile(place.resolve("secret"),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.writeString(file, "0123456789abcdef0123456789abcdef\n");
        this.secret = RunSecret.read(ByteString.of(file));
        this.clients = new SegmentClients(secret, false);
    }

    /** Starts servers, s1 and so on. */
    public static ServedStage in(Path place, int number) throws IOException {
        return over(place, number, UnaryOperator.identity());
    }

    /** Starts servers over segments that behave in another way. */
    public static ServedStage over(Path place, int number, UnaryOperator<Segments> over) throws IOException {
        ServedStage stage = new ServedStage(place, over);
        for (int i = 1; i <= number; i++) {
            stage.directories.add(ServedDirectory.open(Linux.calls(), stage.directory(i), "elsewhere"));
            stage.servers.add(stage.start(i, 0));
            stage.clients.add(stage.kept, List.of("127.0.0.1:" + stage.servers.getLast().address().getPort()));
        }
        return stage;
    }

    private ByteString directory(int number) {
        return ByteString.of(place.resolve("segments" + number));
    }

    private SegmentServer start(int number, int port) throws IOException {
        ServedDirectory directory = directories.get(number - 1);
        return SegmentServer.start(ServerSettings
                .of(directory(number), "elsewhere", new InetSocketAddress(InetAddress.getLoopbackAddress(), port),
                        secret)
                .withMemory(ServerSettings.LEAST_MEMORY)
                .withThreads(8), directory.id(), over.apply(directory.segments()), note -> {});
    }

    /** Ends a server. */
    public void stop(int number) {
        servers.get(number - 1).close();
    }

    /** Starts the server again, at the same port. */
    public void restart(int number) throws IOException {
        servers.set(number - 1, start(number, servers.get(number - 1).address().getPort()));
    }

    /** Returns another client of the stage. */
    public Stage open() {
        Stage stage = Stage.open(Catalogue.open(space, "job"), clients, 3);
        stages.add(stage);
        return stage;
    }

    /** Returns what the servers have that no file of the catalogue has, and intents. */
    public List<String> check() throws IOException {
        List<String> found = new ArrayList<>();
        List<String> known = new ArrayList<>();
        try (var all = kept.below(ByteString.of(""), false)) {
            for (StagedFile file : all.toList()) {
                IntStream.range(0, file.segments()).forEach(i -> known.add(file.key(i).name()));
            }
        }
        try (var intents = kept.intents(ByteString.of(""))) {
            intents.forEach(intent -> found.add("intent of " + intent.path()));
        }
        for (ServedDirectory directory : directories) {
            directory.segments().list(segment -> {
                if (!known.contains(segment.key().name())) {
                    found.add(segment.key().name());
                }
            });
        }
        return found;
    }

    @Override
    public void close() {
        stages.forEach(Stage::close);
        kept.close();
        clients.close();
        servers.forEach(SegmentServer::close);
        directories.forEach(ServedDirectory::close);
    }
}
