// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.async;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

import org.treehaul.core.async.AsyncSettings.Means;
import org.treehaul.core.async.backend.Backend;
import org.treehaul.core.async.backend.IoThread;
import org.treehaul.core.async.backend.Request;
import org.treehaul.core.async.backend.ThreadBackend;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.linux.LinuxRingCalls;
import org.treehaul.core.fs.ring.RingCalls;
import org.treehaul.core.fs.ring.RingUnavailableException;

/** Files of the kernel. With several rings, each file belongs to one of them, in turn. */
final class LocalFiles implements AsyncFiles {

    private final List<Backend> backends;
    private final Admission admission;
    private final String means;
    private final AtomicInteger next = new AtomicInteger();
    private final Set<LocalFile> open = ConcurrentHashMap.newKeySet();

    private LocalFiles(List<Backend> backends, int depth, String means) {
        this.backends = List.copyOf(backends);
        this.admission = new Admission(depth);
        this.means = means;
    }

    /** Opens as {@link AsyncFiles#open(AsyncSettings)} does, over these calls. */
    static LocalFiles open(AsyncSettings settings, FileSystemCalls calls, RingCalls rings) {
        Optional<String> problem = settings.means() == Means.THREADS ? Optional.of("not wanted") : problem(rings);
        if (problem.isEmpty()) {
            try {
                return overRings(settings, RingSource.of(rings, settings.depth(), settings.kernelWorkers()));
            } catch (RingUnavailableException e) {
                problem = Optional.of(String.valueOf(e.getMessage()));
            }
        }
        if (settings.means() == Means.RING) {
            throw new UnsupportedOperationException("io_uring cannot be used: " + problem.get());
        }
        return overThreads(settings, calls);
    }

    private static Optional<String> problem(RingCalls rings) {
        return rings.equals(LinuxRingCalls.calls())
                ? RingSupport.ofThisKernel().problem()
                : RingSupport.test(rings).problem();
    }

    /** Opens over a backend, which {@link #close} ends. */
    static LocalFiles over(Backend backend, int depth, String means) {
        return new LocalFiles(List.of(backend), depth, means);
    }

    /** Opens over threads. */
    static LocalFiles overThreads(AsyncSettings settings, FileSystemCalls calls) {
        int threads = settings.poolThreads();
        return new LocalFiles(List.of(new ThreadBackend(new SystemCalls(calls), threads, settings.depth())),
                settings.depth(), threads + (threads == 1 ? " thread" : " threads"));
    }

    /** Opens over rings. */
    static LocalFiles overRings(AsyncSettings settings, RingSource source) throws RingUnavailableException {
        List<Backend> rings = new ArrayList<>();
        try {
            for (int i = 1; i <= settings.rings(); i++) {
                rings.add(RingBackend.start(source, i, settings.depth()));
            }
        } catch (RingUnavailableException | RuntimeException | Error e) {
            rings.forEach(Backend::end);
            throw e;
        }
        return new LocalFiles(rings, settings.depth(), rings.size() == 1 ? "io_uring" : rings.size() + " io_urings");
    }

    private Operation.Channel channel() {
        return new Operation.Channel(backends.get(Math.floorMod(next.getAndIncrement(), backends.size())), admission);
    }

    @Override
    public void open(ByteString path, OpenMode mode, IoCallback<AsyncFile> callback) {
        Operation.Channel channel = channel();
        new PathOperation.Open(channel, path, mode, descriptors -> {
            LocalFile file = new LocalFile(channel, path, descriptors, open::remove);
            open.add(file);
            return file;
        }, callback).admit();
    }

    @Override
    public void remove(ByteString path, IoCallback<Void> callback) {
        new PathOperation.Remove(channel(), path, callback).admit();
    }

    @Override
    public String means() {
        return means;
    }

    @Override
    public void close() {
        if (IoThread.isCurrent()) {
            throw new IllegalStateException("a callback must not close the files");
        }
        if (admission.close()) {
            open.forEach(file -> file.descriptors().all().forEach(descriptor -> closeNow(file, descriptor)));
            open.clear();
            backends.forEach(Backend::end);
        }
    }

    private static void closeNow(LocalFile file, int descriptor) {
        CountDownLatch closed = new CountDownLatch(1);
        file.channel().backend().submit(Request.of(Request.Kind.CLOSE, descriptor, result -> closed.countDown()));
        boolean isInterrupted = false;
        while (true) {
            try {
                closed.await();
                break;
            } catch (InterruptedException e) {
                isInterrupted = true;
            }
        }
        if (isInterrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
