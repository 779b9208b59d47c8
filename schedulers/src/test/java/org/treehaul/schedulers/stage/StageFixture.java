// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage;

import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;

import org.treehaul.core.entry.ByteString;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.tuplespace.store.SpaceUri;

/** A stage over a few directories, with its catalogue in memory; several may be open at once, as by several clients. */
public final class StageFixture implements AutoCloseable {

    private final TestDirectory directory = TestDirectory.make();
    private final SpaceUri space = new SpaceUri(SpaceUri.MEMORY, "stage" + System.nanoTime());
    private final List<Stage> stages = new CopyOnWriteArrayList<>();
    private final Catalogue kept = Catalogue.open(space, "job");

    /** Makes a stage with a number of servers, d1 and so on. */
    public StageFixture(int servers) throws Exception {
        List<ByteString> parents = new ArrayList<>();
        for (int i = 1; i <= servers; i++) {
            parents.add(ByteString.of(Files.createDirectory(directory.path().resolve("disk" + i))));
        }
        LocalServers.add(Linux.calls(), kept, parents);
    }

    /** Returns another client of the stage. */
    public Stage open() {
        return open(Linux.calls());
    }

    /** Returns another client, whose system calls on segments are these. */
    public Stage open(FileSystemCalls calls) {
        return open(LocalServers.opener(calls));
    }

    /** Returns another client, which reaches segments in its own way. */
    public Stage open(SegmentsOpener opener) {
        Stage stage = Stage.open(Catalogue.open(space, "job"), opener, 3);
        stages.add(stage);
        return stage;
    }

    /** Returns a client of another stage of the same catalogue, whose servers have the same directories. */
    public Stage openOther(String name) throws StageException {
        Catalogue other = Catalogue.open(space, name);
        Stage stage = Stage.open(other, LocalServers.opener(Linux.calls()), 3);
        stages.add(stage);
        for (StageServer server : kept.servers()) {
            other.add(new StageServer(name, server.name(), server.host(), server.id(), server.directory(), ""));
        }
        return stage;
    }

    public Catalogue catalogue() {
        return kept;
    }

    public Path path() {
        return directory.path();
    }

    /** Returns the directory with the segments of a server. */
    public Path server(int number) {
        return directory.path().resolve("disk" + number + "/job.stage");
    }

    /** Returns the names of the servers. */
    public static List<String> servers(int number) {
        return IntStream.rangeClosed(1, number).mapToObj(i -> "d" + i).toList();
    }

    /** Returns bytes that a seed determines. */
    public static byte[] content(long seed, int size) {
        byte[] bytes = new byte[size];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }

    /** Makes a file with these bytes. */
    public static void make(Stage by, ByteString path, StripeLayout layout, byte[] bytes) throws StageException {
        try (ParallelFile file = by.create(path, layout, 0640)) {
            file.write(ByteBuffer.wrap(bytes));
        }
    }

    /** Returns the bytes of a file, as a client that opens it now sees them. */
    public static byte[] read(Stage by, ByteString path) throws StageException {
        try (ParallelFile file = by.open(path, false)) {
            ByteBuffer into = ByteBuffer.allocate((int) file.size());
            file.read(into, 0);
            return into.array();
        }
    }

    @Override
    public void close() {
        stages.forEach(Stage::close);
        kept.close();
        directory.close();
    }
}
