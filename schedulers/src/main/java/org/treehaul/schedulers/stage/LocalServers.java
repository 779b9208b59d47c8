// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage;

import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

import org.treehaul.core.entry.ByteString;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.LinuxConstants;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.state.Host;

/** Servers that are directories which clients reach themselves. */
public final class LocalServers {

    private static final String SUFFIX = ".stage";

    private LocalServers() {}

    /** Returns an opener of such servers; one with an address, which needs a connection, is refused. */
    public static SegmentsOpener opener(FileSystemCalls calls) {
        return server -> {
            if (!server.address().isEmpty()) {
                throw new StageException(server.display(), "this program cannot connect to servers", Errno.EOPNOTSUPP);
            }
            return LocalSegments.open(calls, server);
        };
    }

    /**
     * Makes a directory of the stage, named after it, in each of these directories, and adds it to the servers as d1,
     * d2 and so on. One that the stage has already keeps its name.
     *
     * @param parents the directories as the user gave them
     * @throws StageException if one of them cannot be used; those before it are servers then
     */
    public static void add(FileSystemCalls calls, Catalogue catalogue, List<ByteString> parents) throws StageException {
        String host = Host.nameOr("localhost");
        for (ByteString parent : parents) {
            ByteString path = absolute(calls, parent).plus(ByteString.of("/" + catalogue.stage() + SUFFIX));
            UUID id = LocalSegments.make(calls, path);
            catalogue.addNumbered("d", new StageServer(catalogue.stage(), "d", host, id, path, ""));
        }
    }

    // Byte for byte: Java's own text of it depends on the locale.
    private static ByteString workingDirectory(FileSystemCalls calls) throws StageException {
        String link = "/proc/self/cwd";
        try (FileAccess access = FileAccess.open(calls)) {
            return access.linkTarget(LinuxConstants.AT_FDCWD, access.name(ByteString.of(link).toBytes()));
        } catch (SystemCallException e) {
            throw new StageException(link, e.operation(), e.errno(), e);
        }
    }

    private static ByteString absolute(FileSystemCalls calls, ByteString path) throws StageException {
        byte[] bytes = path.toBytes();
        int end = bytes.length;
        while (end > 1 && bytes[end - 1] == '/') {
            end--;
        }
        List<ByteString> parts = new ArrayList<>();
        if (bytes.length == 0 || bytes[0] != '/') {
            parts.add(workingDirectory(calls).plus(ByteString.of("/")));
        }
        ByteString all = ByteString.empty();
        parts.add(end == 1 && bytes[0] == '/' ? ByteString.empty() : ByteString.of(bytes, 0, end));
        for (ByteString part : parts) {
            all = all.plus(part);
        }
        return all;
    }
}
