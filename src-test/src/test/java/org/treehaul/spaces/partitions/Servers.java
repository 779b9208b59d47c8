// SPDX-License-Identifier: Apache-2.0
package org.treehaul.spaces.partitions;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import org.opentest4j.TestAbortedException;
import org.treehaul.tuplespace.PostgresServer;
import org.treehaul.tuplespace.store.SpaceUri;

/** PostgreSQL servers, one for each partition, whose processor time can be capped. */
final class Servers implements AutoCloseable {
    /** Units in a second of the processor time in /proc/PID/stat. */
    private static final long TICKS = 100;
    /**
     * The word there, after the name of the program, with the time of ended children; the next is that of the kernel.
     */
    private static final int CUTIME = 13;

    private final List<PostgresServer> servers = new ArrayList<>();
    private final List<CpuCap> caps = new ArrayList<>();
    private int schemas;

    private Servers() {}

    /**
     * Starts servers.
     *
     * @param on the directory in which they have their data
     * @param isCapped whether {@link #limit} will be called
     * @throws IOException if they cannot be started or capped; says why
     */
    static Servers start(int number, Path on, boolean isCapped) throws IOException {
        Servers started = new Servers();
        // If the user ends this process. The clients end with their input.
        Runtime.getRuntime().addShutdownHook(new Thread(started::closeAtExit));
        boolean isDone = false;
        try {
            for (int i = 0; i < number; i++) {
                if (isCapped) {
                    // First, as it may be refused.
                    started.caps.add(CpuCap.make("treehaul-bench-" + ProcessHandle.current().pid() + "-" + i));
                }
                PostgresServer server = PostgresServer.startIn(on);
                started.servers.add(server);
                if (isCapped) {
                    started.caps.getLast().add(server.process());
                }
            }
            isDone = true;
            return started;
        } catch (TestAbortedException e) {
            throw new IOException(e.getMessage(), e);
        } finally {
            if (!isDone) {
                started.close();
            }
        }
    }

    /** Returns no servers. */
    static Servers none() {
        return new Servers();
    }

    /** Returns the version of the servers; empty if there are none. */
    Optional<String> version() throws IOException {
        if (servers.isEmpty()) {
            return Optional.empty();
        }
        try (Connection connection = servers.getFirst().connect()) {
            return Optional.of(connection.getMetaData().getDatabaseProductVersion());
        } catch (SQLException e) {
            throw new IOException(e);
        }
    }

    /** Returns the addresses of new spaces, one of each server. */
    List<SpaceUri> spaces(int number) {
        String schema = "bench" + ++schemas;
        return servers.stream().limit(number).map(server -> server.in(schema)).toList();
    }

    /** Removes the spaces that the last call of {@link #spaces} named. */
    void removeSpaces() throws IOException {
        for (PostgresServer server : servers) {
            try {
                server.run("DROP SCHEMA IF EXISTS bench" + schemas + " CASCADE");
            } catch (SQLException e) {
                throw new IOException(e);
            }
        }
    }

    /** Limits each server to a part of a processor; 0 for no limit. */
    void limit(double processors) throws IOException {
        for (CpuCap cap : caps) {
            cap.limit(processors);
        }
    }

    /** Returns the processor time of all servers until now, in nanoseconds. */
    long cpu() throws IOException {
        long nanos = 0;
        for (PostgresServer server : servers) {
            nanos += cpu(server.process());
        }
        return nanos;
    }

    /** Returns the processor time of a process with one thread, and of its children, which have one each. */
    private static long cpu(ProcessHandle first) throws IOException {
        while (true) {
            long ended = ended(first);
            long nanos = nanos(first);
            for (ProcessHandle child : first.descendants().toList()) {
                nanos += nanos(child);
            }
            // Else a child that has just ended is not among either.
            if (ended == ended(first)) {
                return nanos + ended;
            }
        }
    }

    /** Returns the processor time of the ended children of a process. */
    private static long ended(ProcessHandle process) throws IOException {
        String stat = Files.readString(proc(process, "stat"));
        // After the name of the program, which may contain spaces.
        String[] words = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
        return (Long.parseLong(words[CUTIME]) + Long.parseLong(words[CUTIME + 1])) * (1_000_000_000 / TICKS);
    }

    /** Returns the processor time of a process with one thread; 0 if it has ended. */
    private static long nanos(ProcessHandle process) throws IOException {
        try {
            return Long.parseLong(Files.readString(proc(process, "schedstat")).split(" ", 2)[0]);
        } catch (NoSuchFileException ended) {
            return 0;
        }
    }

    private static Path proc(ProcessHandle process, String file) {
        return Path.of("/proc", Long.toString(process.pid()), file);
    }

    private void closeAtExit() {
        try {
            close();
        } catch (IOException e) {
            System.err.println("bench: " + e);
        }
    }

    @Override
    public synchronized void close() throws IOException {
        servers.forEach(PostgresServer::close);
        servers.clear();
        for (CpuCap cap : caps) {
            cap.close();
        }
        caps.clear();
    }
}
