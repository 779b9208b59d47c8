// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.transfer;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;

import org.treehaul.core.annotation.Internal;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.fs.linux.ServerView;
import org.treehaul.core.state.StateFile;
import org.treehaul.core.transfer.Transfers;
import org.treehaul.core.transfer.directory.StateDirectory;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.directory.TransferException;
import org.treehaul.tuplespace.TupleSpace;
import org.treehaul.tuplespace.TupleSpaces;
import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.store.SpaceUri;

/**
 * The space in which the processes of a transfer publish it, as the directory of the transfer records it. Publishing
 * never fails the transfer: a problem is reported, and publishing again repairs what is missing.
 */
@Internal
public final class Publication {

    /** How long a process that has other work to do waits while another one writes. */
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private static final String FILE = "publish";
    private static final String KEY = "space";

    private final TransferDirectory transfer;
    private final SpaceUri space;

    private Publication(TransferDirectory transfer, SpaceUri space) {
        this.transfer = transfer;
        this.space = space;
    }

    /** Records the space for all processes of a transfer; a relative path is that of the caller. */
    public static void set(TransferDirectory transfer, SpaceUri space) throws IOException {
        boolean isPath = space.scheme().equals(SpaceUri.SQLITE) || space.scheme().equals(SpaceUri.PARTITIONS);
        SpaceUri absolute = isPath
                ? new SpaceUri(space.scheme(), space.path().toAbsolutePath().normalize().toString())
                : space;
        StateFile.empty().withEscaped(KEY, absolute.toString()).replace(file(transfer), true);
    }

    /** Returns the publication of a transfer; empty if it has none. */
    public static Optional<Publication> of(TransferDirectory transfer) throws IOException {
        Path file = file(transfer);
        // Most transfers have none.
        if (!ServerView.exists(file)) {
            return Optional.empty();
        }
        try {
            String text = StateFile.read(file).text(KEY);
            return Optional.of(new Publication(transfer,
                    SpaceUri.parse(ByteString.unescape(text).utf8().orElseThrow(IllegalArgumentException::new))));
        } catch (IllegalArgumentException e) {
            throw new TransferException(file + " names no tuple space", e);
        }
    }

    private static Path file(TransferDirectory transfer) {
        return transfer.path().resolve(FILE);
    }

    /** Returns the address of the space. */
    public SpaceUri space() {
        return space;
    }

    /**
     * Brings all tuples of a transfer up to date, if it has a publication.
     *
     * @param problems receives the reason if that fails
     */
    public static void update(TransferDirectory transfer, Consumer<String> problems) {
        try {
            Optional<Publication> publication = of(transfer);
            if (publication.isPresent()) {
                publication.get().update();
            }
        } catch (IOException | RuntimeException e) {
            problems.accept(text(e));
        }
    }

    private void update() throws IOException {
        try (TupleSpace tuples = open()) {
            publish(tuples, publisher -> publisher.publish(transfer));
        }
    }

    /** The publication of a part of a transfer. */
    @FunctionalInterface
    interface Work {
        void publish(TransferPublisher publisher) throws IOException;
    }

    /**
     * Publishes a part of the transfer. If another process has forgotten the transfer, this removes its tuples, also
     * those that this process has just written.
     *
     * @return whether the transfer still exists
     */
    boolean publish(TupleSpace tuples, Work work) throws IOException {
        try {
            work.publish(publisher(tuples));
        } catch (IOException | RuntimeException e) {
            if (removeIfForgotten(tuples)) {
                return false;
            }
            throw e;
        }
        return !removeIfForgotten(tuples);
    }

    /**
     * Starts to publish the batches of a worker while it works, if its transfer has a publication.
     *
     * @param problems receives the reason if that fails, on any thread
     */
    public static Optional<LivePublisher> live(TransferDirectory transfer, Consumer<String> problems) {
        return start(transfer, problems, false);
    }

    /**
     * Starts to publish a transfer while several processes work on it that do not publish their batches, if it has a
     * publication. One of them does so.
     *
     * @param problems receives the reason if that fails, on any thread
     */
    public static Optional<LivePublisher> liveForAll(TransferDirectory transfer, Consumer<String> problems) {
        return start(transfer, problems, true);
    }

    private static Optional<LivePublisher> start(TransferDirectory transfer, Consumer<String> problems,
            boolean isOfAll) {
        try {
            return of(transfer).map(publication -> LivePublisher.start(publication, transfer, problems, isOfAll));
        } catch (IOException e) {
            problems.accept(text(e));
            return Optional.empty();
        }
    }

    /** Removes the tuples of a transfer that was forgotten. */
    public void remove(Consumer<String> problems) {
        try {
            if (TupleSpaces.exists(space)) {
                try (TupleSpace tuples = open()) {
                    TransferPublisher.remove(tuples, transfer.id().text());
                }
            }
        } catch (RuntimeException e) {
            problems.accept(text(e));
        }
    }

    static String text(Exception e) {
        return "the transfer is not published completely: " + reason(e)
                + "; 'treehaul publish' brings its tuples up to date";
    }

    /** Returns why publishing failed. */
    static String reason(Exception e) {
        return switch (e) {
            case IOException failure -> StateDirectory.reason(failure);
            case SpaceException failure -> String.valueOf(failure.getMessage());
            default -> e.toString();
        };
    }

    private boolean removeIfForgotten(TupleSpace tuples) {
        boolean isForgotten = transfer.isForgotten();
        if (isForgotten) {
            TransferPublisher.remove(tuples, transfer.id().text());
        }
        return isForgotten;
    }

    TupleSpace open() {
        return TupleSpaces.open(space, TransferPublisher.SPACE.patience(PATIENCE));
    }

    private TransferPublisher publisher(TupleSpace tuples) throws IOException {
        return new TransferPublisher(tuples, Transfers.reading(transfer.stateDirectory()));
    }
}
