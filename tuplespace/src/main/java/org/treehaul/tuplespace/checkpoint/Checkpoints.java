// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.checkpoint;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Stream;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.treehaul.tuplespace.Lease;
import org.treehaul.tuplespace.Registration;
import org.treehaul.tuplespace.TupleSpace;
import org.treehaul.tuplespace.TupleSpaces;
import org.treehaul.tuplespace.store.DurableFiles;
import org.treehaul.tuplespace.store.EventKind;
import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.tuple.Aggregate;
import org.treehaul.tuplespace.tuple.Bytes;
import org.treehaul.tuplespace.tuple.Group;
import org.treehaul.tuplespace.tuple.Template;

/**
 * Collects the checkpoints of one run. Each part submits its state for a generation when it reaches that point. When
 * all parts have submitted, an action writes a snapshot of just that generation to a file, and the space's states of
 * this and older generations are removed. So a snapshot is consistent by generation however far apart the parts are.
 * The parts define a generation, such as "after step 100", so that its states fit together.
 */
public final class Checkpoints implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Checkpoints.class);
    private static final String SUFFIX = ".checkpoint";
    /** Keeps the previous checkpoint until the next is complete, in case the newest is unreadable. */
    private static final int KEPT = 2;
    /** A submission is two operations; if the process dies between them, it is rolled back after this time. */
    private static final Duration SUBMISSION = Duration.ofSeconds(30);

    private final TupleSpace space;
    private final String run;
    private final Set<String> parts;
    private final Path directory;
    private final Consumer<? super Checkpoint> complete;
    private final Template<PartState> ours;
    private final Registration registration;
    // Guarded by this.
    private long last;
    private boolean isClosed;

    private Checkpoints(TupleSpace space, String run, Set<String> parts, Path directory,
            Consumer<? super Checkpoint> complete) {
        this.space = space;
        this.run = run;
        this.parts = Set.copyOf(parts);
        this.directory = directory;
        this.complete = complete;
        ours = Template.of(PartState.class).equal("run", run).in("part", this.parts);
        last = latest(directory, run).map(Checkpoint::generation).orElse(-1L);
        registration = space.on(ours, EnumSet.of(EventKind.WRITTEN), event -> collect());
    }

    /**
     * Begins to collect the states of a run, including those already in the space.
     *
     * @param parts names of the parts; a generation is complete when all have submitted
     * @param directory directory of the snapshots; it must exist
     * @param complete called for each generation when its snapshot is on disk, one at a time; it must not wait for the
     *        thread that calls {@link #close}
     */
    public static Checkpoints collect(TupleSpace space, String run, Set<String> parts, Path directory,
            Consumer<? super Checkpoint> complete) {
        Checkpoints checkpoints = new Checkpoints(space, run, parts, directory, complete);
        try {
            checkpoints.collect();
            return checkpoints;
        } catch (RuntimeException | Error e) {
            // The caller has nothing to close.
            checkpoints.abandon();
            throw e;
        }
    }

    /**
     * Submits the state of a part for a generation, in any order and from any process that has the space open. A second
     * submission replaces the first.
     */
    public static void submit(TupleSpace space, PartState state) {
        try (var transaction = space.begin(SUBMISSION)) {
            transaction.remove(Template.of(PartState.class)
                    .equal("run", state.run())
                    .equal("generation", state.generation())
                    .equal("part", state.part()));
            transaction.write(state, Lease.FOREVER);
            transaction.commit();
        }
    }

    private void abandon() {
        synchronized (this) {
            isClosed = true;
        }
        registration.close();
    }

    /** Reads the space itself, whichever event calls it, because events may have been lost. */
    private synchronized void collect() {
        if (isClosed) {
            return;
        }
        List<Group> generations = space.groupBy(ours.atLeast("generation", last + 1), List.of("generation"),
                Aggregate.count());
        for (Group group : generations) {
            // More than one for each part: two processes of one part that submit at the same time leave two states.
            if (group.key().getFirst() instanceof Long generation && group.values().getFirst() instanceof Long count
                    && count >= parts.size() && generation > last) {
                write(generation);
            }
        }
    }

    private void write(long generation) {
        Template<PartState> these = ours.equal("generation", generation);
        Path file = directory.resolve(run + "-" + generation + SUFFIX);
        // The file gets its name only when it is complete: a restart takes every file with such a name for a
        // checkpoint.
        Path unnamed = directory.resolve(file.getFileName() + ".new");
        long count = space.store(unnamed, these);
        Optional<Checkpoint> whole = count < parts.size()
                ? Optional.empty()
                : read(unnamed).filter(one -> one.states().keySet().equals(parts));
        if (whole.isEmpty()) {
            // A part is just replacing its state, or lacks one; the event of its write calls this method again.
            delete(unnamed);
            return;
        }
        rename(unnamed, file);
        last = generation;
        // States of older generations that arrive late are of no use.
        space.remove(ours.atMost("generation", generation));
        Map<Long, Path> files = files(directory, run);
        // The map is ordered by generation.
        files.values().stream().limit(Math.max(0, files.size() - KEPT)).forEach(Checkpoints::delete);
        whole.ifPresent(complete);
    }

    private static void rename(Path from, Path to) {
        try {
            DurableFiles.rename(from, to);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void delete(Path file) {
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the newest complete generation of a run that can be read. */
    public static Optional<Checkpoint> latest(Path directory, String run) {
        return files(directory, run).entrySet()
                .stream()
                .sorted(Map.Entry.<Long, Path>comparingByKey().reversed())
                .flatMap(file -> read(file.getValue()).stream())
                .findFirst();
    }

    private static Map<Long, Path> files(Path directory, String run) {
        Map<Long, Path> files = new TreeMap<>();
        try (DirectoryStream<Path> all = Files.newDirectoryStream(directory)) {
            for (Path file : all) {
                String name = file.getFileName().toString();
                if (name.startsWith(run + "-") && name.endsWith(SUFFIX)) {
                    String number = name.substring(run.length() + 1, name.length() - SUFFIX.length());
                    if (number.matches("[0-9]{1,18}")) {
                        files.put(Long.valueOf(number), file);
                    }
                }
            }
            return files;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Optional<Checkpoint> read(Path file) {
        try (TupleSpace loaded = TupleSpaces.memory()) {
            loaded.load(file);
            Map<String, Bytes> states = new HashMap<>();
            long generation = 0;
            try (Stream<PartState> all = loaded.contents(Template.of(PartState.class))) {
                for (PartState state : all.toList()) {
                    states.put(state.part(), state.state());
                    generation = state.generation();
                }
            }
            return Optional.of(new Checkpoint(generation, states));
        } catch (SpaceException e) {
            LOG.warn("the checkpoint {} cannot be read and is ignored: {}", file, e.toString());
            return Optional.empty();
        }
    }

    /**
     * Stops collecting. When it returns, every generation that all parts had submitted has its snapshot and was
     * reported.
     *
     * @throws SpaceException if a snapshot cannot be written, or the space was closed before
     */
    @Override
    public void close() {
        registration.close();
        synchronized (this) {
            try {
                collect();
            } finally {
                isClosed = true;
            }
        }
    }
}
