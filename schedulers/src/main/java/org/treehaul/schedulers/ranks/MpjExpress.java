// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.ranks;

import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.treehaul.strategies.ranks.Communicator;
import org.treehaul.strategies.ranks.RanksException;
import org.treehaul.strategies.ranks.Transport;

/**
 * MPJ Express (seen with 0.44) as it is installed: its jars are loaded when they are wanted.
 *
 * <p>
 * Ranks of one process use its device smpdev. That tells ranks apart by class loader and thread group: each has its own
 * {@code mpi.MPI} over devices that all share, and its own group of a class of theirs. On the class path of the
 * application all ranks would be one.
 */
public final class MpjExpress {

    /** What to say where there is none. */
    public static final String HOW_TO_GET = "MPJ Express was not found; install the package libmpj-java, or say by MPJ_HOME"
            + " or -Dmpj.home where it is: the directory that holds lib/smpdev.jar";

    private static final Path DEBIAN_HOME = Path.of("/usr/share/mpj");
    private static final Path DEBIAN_JARS = Path.of("/usr/share/java");

    private final Path lib;
    private final Path log4j;

    private MpjExpress(Path lib, Path log4j) {
        this.lib = lib;
        this.log4j = log4j;
    }

    /** Looks where {@code -Dmpj.home} says, else MPJ_HOME, else where Debian puts it. */
    public static Optional<MpjExpress> find() {
        return Stream.of(System.getProperty("mpj.home"), System.getenv("MPJ_HOME"), DEBIAN_HOME.toString())
                .filter(home -> home != null && !home.isEmpty())
                .findFirst()
                .flatMap(home -> at(Path.of(home)));
    }

    /** Looks in one place; log4j, which it cannot do without, may also be where Debian puts it. */
    public static Optional<MpjExpress> at(Path home) {
        Path lib = home.resolve("lib");
        if (!Stream.of("smpdev.jar", "xdev.jar", "mpjbuf.jar", "mpiExp.jar", "mpi.jar", "mpjdev.jar")
                .allMatch(jar -> Files.isReadable(lib.resolve(jar)))) {
            return Optional.empty();
        }
        return Stream.of(lib, DEBIAN_JARS)
                .flatMap(MpjExpress::log4jIn)
                .findFirst()
                .map(jar -> new MpjExpress(lib, jar));
    }

    private static Stream<Path> log4jIn(Path directory) {
        List<Path> found = new ArrayList<>();
        for (String pattern : List.of("log4j-1.2*.jar", "log4j1.2*.jar", "reload4j*.jar", "log4j.jar")) {
            try (DirectoryStream<Path> jars = Files.newDirectoryStream(directory, pattern)) {
                jars.forEach(found::add);
            } catch (IOException e) {
                // Not there, or not to be read: as good as none.
                return Stream.empty();
            }
        }
        return found.stream();
    }

    /** Returns the transport between ranks of this process. */
    public Transport transport() {
        return this::runRanks;
    }

    private void runRanks(List<Integer> hosts, Consumer<Communicator> body) {
        AtomicReference<@Nullable Throwable> first = new AtomicReference<>();
        List<Thread> threads = new ArrayList<>();
        List<URLClassLoader> loaders = new ArrayList<>();
        try {
            URLClassLoader shared = loader(ClassLoader.getPlatformClassLoader(), lib.resolve("smpdev.jar"),
                    lib.resolve("xdev.jar"), lib.resolve("mpjbuf.jar"), lib.resolve("mpiExp.jar"), log4j);
            loaders.add(shared);
            for (int rank = 0; rank < hosts.size(); rank++) {
                URLClassLoader own = loader(shared, lib.resolve("mpi.jar"), lib.resolve("mpjdev.jar"));
                loaders.add(own);
                threads.add(thread(shared, own, rank, hosts, body, first));
            }
            threads.forEach(Thread::start);
            join(threads);
        } finally {
            for (URLClassLoader loader : loaders.reversed()) {
                try {
                    loader.close();
                } catch (IOException e) {
                    // Only read from.
                }
            }
        }
        switch (first.get()) {
            case null -> {
            }
            case RuntimeException e -> throw e;
            case Error e -> throw e;
            case Throwable e -> throw new RanksException("a rank failed", e);
        }
    }

    private static Thread thread(ClassLoader shared, ClassLoader own, int rank, List<Integer> hosts,
            Consumer<Communicator> body, AtomicReference<@Nullable Throwable> first) {
        String[] arguments = {Integer.toString(rank), Integer.toString(hosts.size()), "smpdev"};
        Thread thread = new Thread(group(shared, rank), () -> {
            try (Communicator communicator = new MpjCommunicator(own, arguments, hosts)) {
                body.accept(communicator);
            } catch (Throwable e) {
                // Whatever it is must reach the caller.
                first.compareAndSet(null, e);
            }
        }, "treehaul-rank-" + rank);
        thread.setContextClassLoader(own);
        thread.setDaemon(true);
        return thread;
    }

    @SuppressWarnings("removal") // groups are what smpdev tells ranks by; those that are no daemons outlive their threads
    private static ThreadGroup group(ClassLoader shared, int rank) {
        try {
            ThreadGroup group = Class.forName("xdev.smpdev.SMPDevProcess", true, shared)
                    .asSubclass(ThreadGroup.class)
                    .getConstructor(String.class)
                    .newInstance("treehaul-" + rank);
            group.setDaemon(true);
            return group;
        } catch (ReflectiveOperationException | LinkageError e) {
            throw new RanksException("this MPJ Express is of another version: " + e, e);
        }
    }

    private static void join(List<Thread> threads) {
        boolean interrupted = false;
        for (Thread thread : threads) {
            while (thread.isAlive()) {
                try {
                    thread.join();
                } catch (InterruptedException e) {
                    interrupted = true;
                    threads.forEach(Thread::interrupt);
                }
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private static URLClassLoader loader(ClassLoader parent, Path... jars) {
        URL[] urls = new URL[jars.length];
        try {
            for (int i = 0; i < jars.length; i++) {
                urls[i] = jars[i].toUri().toURL();
            }
        } catch (MalformedURLException e) {
            throw new RanksException("MPJ Express stands in a place that has no URL", e);
        }
        return new URLClassLoader(urls, parent);
    }
}
