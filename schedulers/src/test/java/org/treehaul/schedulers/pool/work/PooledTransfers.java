// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.pool.work;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.Event;
import org.treehaul.core.event.Progress;
import org.treehaul.core.plan.format.BatchLimits;
import org.treehaul.core.state.StateFile;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.directory.TransferResult;
import org.treehaul.core.transfer.request.CopyRequest;
import org.treehaul.core.transfer.request.JobOptions;
import org.treehaul.schedulers.batch.BatchTransfer;
import org.treehaul.schedulers.pool.Pool;
import org.treehaul.schedulers.pool.PoolProvider;
import org.treehaul.schedulers.pool.carry.PoolListener;
import org.treehaul.tuplespace.store.SpaceUri;

/** Transfers that are given to a pool in a space of this process or in a file, and workers in threads. */
abstract class PooledTransfers {

    static final Duration LEASE = Duration.ofSeconds(20);
    static final PoolSettings SETTINGS = PoolSettings.defaults()
            .withThreads(1)
            .withLease(LEASE, Duration.ofMillis(200))
            .withTurn(Duration.ofMillis(50))
            .withIdle(Duration.ofMillis(500));

    private final TestDirectory memory = TestDirectory.onTmpfs();
    final Path directory = memory.path();
    final SpaceUri space = address();
    final JobOptions jobs = JobOptions.of(PoolProvider.name(space));
    final Cancellation cancellation = new Cancellation();
    final List<String> notices = Collections.synchronizedList(new ArrayList<>());
    final List<String> finished = Collections.synchronizedList(new ArrayList<>());
    private final ExecutorService threads = Executors.newCachedThreadPool();
    Path jar;
    Pool pool;

    /** Returns the address of a space that does not exist yet: in the memory of this process. */
    SpaceUri address() {
        return new SpaceUri(SpaceUri.MEMORY, "pool" + System.nanoTime());
    }

    @BeforeEach
    void open() throws IOException {
        jar = Files.writeString(directory.resolve("treehaul.jar"), "jar");
        pool = Pool.open(space);
    }

    @AfterEach
    void close() {
        cancellation.cancel();
        threads.close();
        pool.close();
        memory.close();
    }

    /** Makes a source with this number of files. */
    Path source(String name, int files) throws IOException {
        return source(name, files, 1);
    }

    /** Makes a source with this number of files of this number of lines. */
    Path source(String name, int files, int lines) throws IOException {
        Path source = Files.createDirectory(directory.resolve(name));
        for (int i = 0; i < files; i++) {
            Files.writeString(source.resolve("file" + i), ("content " + i + "\n").repeat(lines));
        }
        return source;
    }

    /** Returns the request to copy a source beside itself, with this number of files in a batch. */
    CopyRequest copy(Path source, int filesOfBatch) {
        CopyRequest plain = CopyRequest.of(List.of(bytes(source), bytes(target(source))), CopyOptions.archive().build(),
                2);
        return new CopyRequest(plain.arguments(), plain.list(), plain.options(),
                new CopyRequest.Batches(plain.batching().strategy(),
                        new BatchLimits(0, filesOfBatch, plain.batching().limits().maxBytes()),
                        plain.batching().chunkBytes()),
                plain.workers(), plain.checksSpace(), plain.plan(), plain.directory(), plain.umask(),
                plain.isDestinationFree());
    }

    static Path target(Path source) {
        return source.resolveSibling(source.getFileName() + ".copy");
    }

    private static ByteString bytes(Path path) {
        return ByteString.of(path.toString());
    }

    /** Returns the same request with a limit of the bandwidth, so that a test can do something before its end. */
    static CopyRequest limited(CopyRequest copy, long bytesPerSecond) {
        return new CopyRequest(copy.arguments(), copy.list(),
                copy.options().toBuilder().bandwidth(bytesPerSecond).build(), copy.batching(), copy.workers(),
                copy.checksSpace(), copy.plan(), copy.directory(), copy.umask(), copy.isDestinationFree());
    }

    /** Lets workers of a transfer miss a dead one after a second. */
    static void quicken(BatchTransfer transfer) throws IOException {
        Path header = transfer.directory().path().resolve("transfer");
        StateFile.read(header).with("heartbeat-ms", 100).with("takeover-ms", 1000).replace(header, true);
    }

    BatchTransfer create(CopyRequest copy, JobOptions options) throws Exception {
        return BatchTransfer.create(directory.resolve("state"), jar, copy, options, "a test");
    }

    BatchTransfer submit(CopyRequest copy) throws Exception {
        return submit(create(copy, jobs));
    }

    BatchTransfer submit(BatchTransfer transfer) throws Exception {
        transfer.submit(event -> {
        }, new Progress(), cancellation);
        return transfer;
    }

    PoolListener listener() {
        return new PoolListener() {
            @Override
            public void onEvent(Event event) {
                notices.add(event.toString());
            }

            @Override
            public void onFinished(TransferDirectory transfer, int generation, TransferResult result) {
                finished.add(transfer.id() + " " + result.state());
            }
        };
    }

    Future<PoolResult> start(PoolSettings settings, Cancellation stop) {
        return threads.submit(
                () -> PoolWorker.work(pool, directory.resolve("state"), settings, listener(), new Progress(), stop));
    }

    Future<PoolResult> start() {
        return start(SETTINGS, cancellation);
    }
}
