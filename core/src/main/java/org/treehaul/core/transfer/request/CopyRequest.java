// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer.request;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

import org.treehaul.core.copy.CopyArguments;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.plan.PlanRequest;
import org.treehaul.core.plan.format.BatchLimits;
import org.treehaul.core.transfer.operation.CopySettings;

/**
 * A copy to plan: sources, destination, options, and how the entries are divided into batches. Immutable.
 *
 * @param arguments sources and destination, without a selection; relative paths are relative to {@code directory}
 * @param list the file that lists the selected paths below the only source
 * @param options the options of the copy, with patterns or without a filter
 * @param batching the strategy, the limits of a batch and the size of a chunk
 * @param workers the number of workers to plan for
 * @param checksSpace whether a copy that cannot fit into the destination is refused
 * @param plan a plan made before, to carry out instead of planning
 * @param directory the working directory
 * @param umask the file mode creation mask of the user, 0 to 0777
 * @param isDestinationFree whether the last operand named no directory at the time of the request: the copy then is the
 *        destination itself, even if an interrupted attempt has made a directory of that name
 */
public record CopyRequest(CopyArguments arguments, Optional<ListFile> list, CopyOptions options, Batches batching,
        int workers, boolean checksSpace, Optional<Path> plan, ByteString directory, int umask,
        boolean isDestinationFree) {

    /**
     * A file that lists paths, see {@link org.treehaul.core.walk.options.PathList}.
     *
     * @param path the path of the file
     * @param isNulSeparated whether each path ends with a NUL instead of a newline
     * @param isMarked whether slashes at the end of a path have a meaning, see
     *        {@link org.treehaul.core.walk.options.PathList#readMarked}
     */
    public record ListFile(ByteString path, boolean isNulSeparated, boolean isMarked) {

        /**
         * Creates a list.
         *
         * @throws IllegalArgumentException if it has marks but no NULs
         */
        public ListFile {
            if (isMarked && !isNulSeparated) {
                throw new IllegalArgumentException("a list with marks has a NUL after each path");
            }
        }

        /** Creates a list as users write it. */
        public ListFile(ByteString path, boolean isNulSeparated) {
            this(path, isNulSeparated, false);
        }
    }

    /**
     * The division of the entries into batches.
     *
     * @param strategy the name of the strategy
     * @param limits the limits given to the strategy
     * @param chunkBytes the size above which files are divided among batches; 0 for no chunks
     * @param byServers whether each batch has the data of one server if the file system names the servers of files;
     *        workers then begin with the batches of their own host
     */
    public record Batches(String strategy, BatchLimits limits, long chunkBytes, boolean byServers) {

        /** Creates a division by servers, where these are known. */
        public Batches(String strategy, BatchLimits limits, long chunkBytes) {
            this(strategy, limits, chunkBytes, true);
        }

        /** Returns batches of similar size, eight for each worker, with chunks of 1 GiB. */
        public static Batches forWorkers(int workers) {
            return new Batches("size-balanced",
                    BatchLimits.batches(
                            (int) Math.min(BatchLimits.MAX_BATCHES, (long) workers * PlanRequest.BATCHES_PER_JOB)),
                    PlanRequest.CHUNK_BYTES);
        }
    }

    /**
     * Creates a request.
     *
     * @throws IllegalArgumentException if a number is out of range, or the options cannot be written down: a dry run, a
     *         copy that asks or reads special files, or a filter that is not made of patterns
     */
    public CopyRequest {
        options = options.toBuilder().reportDone(false).build();
        if (arguments.selection().isPresent()) {
            throw new IllegalArgumentException("a request lists its paths in a file");
        }
        if (CopySettings.filter(CopySettings.of(options)).isEmpty()) {
            throw new IllegalArgumentException("a filter that is not made of patterns cannot be written down");
        }
        if (workers < 1 || umask < 0 || umask > 0777) {
            throw new IllegalArgumentException(workers + " workers, umask " + Integer.toOctalString(umask));
        }
        if (directory.length() == 0 || directory.at(0) != '/') {
            throw new IllegalArgumentException("not an absolute path: " + directory);
        }
    }

    /**
     * Returns the request to copy sources into, or to, a destination, as {@code cp SOURCE... DESTINATION} does.
     *
     * @param paths absolute paths: the sources, then the destination
     * @param workers the number of workers to plan for
     * @throws IllegalArgumentException if a path is relative, or there are fewer than two
     */
    public static CopyRequest of(List<ByteString> paths, CopyOptions options, int workers) {
        if (paths.size() < 2 || paths.stream().anyMatch(path -> path.length() == 0 || path.at(0) != '/')) {
            throw new IllegalArgumentException("not the absolute paths of sources and a destination: " + paths);
        }
        return new CopyRequest(CopyArguments.of(paths), Optional.empty(), options, Batches.forWorkers(workers), workers,
                true, Optional.empty(), ByteString.of("/"), 022, false);
    }

    /**
     * Returns the arguments for planning the request again. An earlier attempt may have created the destination since;
     * the copy is then still the destination itself, not an entry in it.
     */
    public CopyArguments argumentsToReplan() {
        return arguments.withNoTargetDirectory(arguments.noTargetDirectory() || isDestinationFree);
    }
}
