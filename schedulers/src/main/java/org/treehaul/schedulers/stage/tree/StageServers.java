// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage.tree;

import static org.treehaul.core.fs.LinuxConstants.AT_FDCWD;
import static org.treehaul.core.fs.LinuxConstants.O_DIRECTORY;
import static org.treehaul.core.fs.LinuxConstants.O_NOFOLLOW;

import java.util.OptionalLong;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.schedulers.stage.LocalSegments;
import org.treehaul.schedulers.stage.Stage;
import org.treehaul.schedulers.stage.StageException;
import org.treehaul.schedulers.stage.StageServer;

/** Describes the servers of a stage. */
public final class StageServers {

    /**
     * The state and the content of a server.
     *
     * @param server the server
     * @param segments the number of its segments
     * @param bytes their size in bytes
     * @param free the free bytes of its file system; empty unless this host has the directory
     * @param problem why it cannot be used; null if it can
     */
    public record Status(StageServer server, long segments, long bytes, OptionalLong free,
            @Nullable StageException problem) {}

    private final FileSystemCalls calls;
    private final Stage stage;

    public StageServers(FileSystemCalls calls, Stage stage) {
        this.calls = calls;
        this.stage = stage;
    }

    /**
     * Passes what each server has, in the order of their names.
     *
     * @param isWanted is asked before each server is examined
     */
    public void run(BooleanSupplier isWanted, Consumer<? super Status> action) {
        stage.catalogue()
                .servers()
                .stream()
                .takeWhile(server -> isWanted.getAsBoolean())
                .forEach(server -> action.accept(status(server)));
    }

    private Status status(StageServer server) {
        long[] counts = new long[2];
        try {
            stage.segments(server.name()).list(segment -> {
                counts[0]++;
                counts[1] += segment.size();
            });
            return new Status(server, counts[0], counts[1], free(server), null);
        } catch (StageException e) {
            return new Status(server, counts[0], counts[1], OptionalLong.empty(), e);
        }
    }

    private OptionalLong free(StageServer server) {
        // Checks that the directory is that of the server.
        try (LocalSegments _ = LocalSegments.open(calls, server); FileAccess access = FileAccess.open(calls)) {
            int descriptor = access.open(AT_FDCWD, access.name(server.directory().toBytes()), O_DIRECTORY | O_NOFOLLOW,
                    0);
            try {
                return OptionalLong.of(access.room(descriptor).availableBytes());
            } finally {
                access.closeQuietly(descriptor);
            }
        } catch (StageException | SystemCallException elsewhere) {
            return OptionalLong.empty();
        }
    }
}
