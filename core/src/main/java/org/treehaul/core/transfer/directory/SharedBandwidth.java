// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer.directory;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ThreadLocalRandom;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.treehaul.core.event.RateLimiter;
import org.treehaul.core.fs.PrivateFiles;
import org.treehaul.core.fs.linux.ServerView;
import org.treehaul.core.state.AtomicFiles;
import org.treehaul.core.state.DamagedFileException;
import org.treehaul.core.state.Periodic;
import org.treehaul.core.state.StateFile;

/**
 * Divides the bandwidth limit of a transfer among all processes that move its data, as they come and go.
 *
 * <p>
 * Each process publishes in its own file how many bytes per second it can use, reads the files of the others, and takes
 * its max-min fair share: a process that uses less than an equal share leaves the rest to the others. A process that
 * joins moves nothing until the others have had time to see it, so that the sum stays below the limit. A process that
 * has been silent for half the takeover time no longer counts: by then its lease has lapsed and it writes nothing. If
 * the state directory cannot be read, the last share remains in effect.
 *
 * <p>
 * A thread of its own does this until the object is closed. It checks at every heartbeat whether the limit was changed.
 */
public final class SharedBandwidth implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(SharedBandwidth.class);

    private static final String LIMIT = "limit";
    private static final String GENERATION = "generation";
    private static final String RATE = "bytes-per-second";

    // Shares are computed five times per heartbeat among few processes, and less often among many.
    private static final int BEATS = 5;
    private static final int FEW = 8;

    // A process that used less than this part of its share can use little more than it did.
    private static final double BUSY = 0.8;
    private static final double GROWTH = 1.25;

    // The smallest rate: it serves as zero, because a rate of 0 means no limit.
    private static final long PAUSED = 1;

    private final TransferDirectory transfer;
    private final Path directory;
    private final Path own;
    private final int generation;
    private final long planned;
    private final RateLimiter limiter;
    private final Duration quickBeat;
    private final Periodic beats;
    private int processes = 1;
    private boolean isMember;
    private long takenBefore;
    private long lookedAt;

    private SharedBandwidth(TransferDirectory transfer, int generation, long planned) {
        this.transfer = transfer;
        this.generation = generation;
        this.directory = directory(transfer);
        this.own = directory.resolve(ThisProcess.host().replace('/', '_') + "-" + ProcessHandle.current().pid() + "-"
                + Long.toUnsignedString(ThreadLocalRandom.current().nextLong(), Character.MAX_RADIX));
        this.planned = planned;
        this.limiter = RateLimiter.of(0);
        this.quickBeat = Durations.part(transfer.timing().heartbeat(), BEATS);
        this.beats = Periodic.of("treehaul-bandwidth", this::interval, this::beat);
    }

    /**
     * Joins the processes that share the limit of a transfer.
     *
     * @param generation the generation whose processes share the limit: those of older ones are gone, or stop at their
     *        next heartbeat
     * @param planned the limit in the plan, in bytes per second, or 0 for none
     */
    public static SharedBandwidth join(TransferDirectory transfer, int generation, long planned) {
        SharedBandwidth shared = new SharedBandwidth(transfer, generation, planned);
        shared.beat();
        shared.beats.start();
        return shared;
    }

    /** Returns the limiter of this process. Its rate changes with the shares. */
    public RateLimiter limiter() {
        return limiter;
    }

    /**
     * Sets the limit of a transfer from now on. Its processes adopt it at their next heartbeat.
     *
     * @param bytesPerSecond the limit, or 0 for none
     */
    public static void setLimit(TransferDirectory transfer, long bytesPerSecond) throws IOException {
        makeDirectory(directory(transfer));
        StateFile.empty().with(RATE, bytesPerSecond).replace(directory(transfer).resolve(LIMIT), true);
    }

    /** Returns the limit that was set after planning, 0 for none; empty if the limit of the plan applies. */
    public static OptionalLong limit(TransferDirectory transfer) throws IOException {
        try {
            return OptionalLong.of(StateFile.read(directory(transfer).resolve(LIMIT)).number(RATE));
        } catch (NoSuchFileException e) {
            return OptionalLong.empty();
        } catch (DamagedFileException e) {
            throw new TransferException(String.valueOf(e.getMessage()), e);
        }
    }

    private static Path directory(TransferDirectory transfer) {
        return transfer.path().resolve("bandwidth");
    }

    private static void makeDirectory(Path directory) throws IOException {
        try {
            PrivateFiles.makeDirectory(directory);
        } catch (FileAlreadyExistsException e) {
            // It exists already.
        }
    }

    private Duration interval() {
        Duration heartbeat = transfer.timing().heartbeat();
        Duration wanted = Durations.multiple(quickBeat, Math.max(1, processes / FEW));
        return limiter.rate() == 0 || wanted.compareTo(heartbeat) > 0 ? heartbeat : wanted;
    }

    private void beat() {
        try {
            long limit = limit(transfer).orElse(planned);
            if (limit == 0) {
                leave();
                limiter.setRate(0);
            } else {
                share(limit);
            }
        } catch (IOException e) {
            LOG.warn("cannot update the shares of the bandwidth: {}", StateDirectory.reason(e));
            if (limiter.rate() == 0 && planned > 0) {
                limiter.setRate(PAUSED);
            }
        }
    }

    private void share(long limit) throws IOException {
        boolean isNew = !isMember;
        if (isNew) {
            makeDirectory(directory);
            isMember = true;
        }
        double demand = isNew ? Double.POSITIVE_INFINITY : demand();
        StateFile.empty()
                .with(RATE, Double.isInfinite(demand) ? -1 : Math.round(demand))
                .with(GENERATION, generation)
                .withEscaped("host", ThisProcess.host())
                .replace(own, false);
        List<Double> others = others();
        processes = others.size() + 1;
        limiter.setRate(isNew ? PAUSED : Math.max(PAUSED, (long) share(limit, demand, others)));
        takenBefore = limiter.taken();
        lookedAt = System.nanoTime();
    }

    private double demand() {
        double seconds = Math.max(1e-3, (System.nanoTime() - lookedAt) * 1e-9);
        double rate = (limiter.taken() - takenBefore) / seconds;
        return rate >= BUSY * limiter.rate() || limiter.rate() == PAUSED ? Double.POSITIVE_INFINITY : rate * GROWTH;
    }

    private List<Double> others() throws IOException {
        List<Double> demands = new ArrayList<>();
        try (ServerClock clock = new ServerClock(directory); Listing all = Listing.of(ServerView.fresh(directory))) {
            FileTime now = clock.now();
            for (Path path = all.next(); path != null; path = all.next()) {
                String name = path.getFileName().toString();
                if (AtomicFiles.isHidden(path) || name.equals(LIMIT) || path.equals(own)) {
                    continue;
                }
                Optional<Duration> age = ServerClock.age(now, path, path);
                if (age.isPresent() && age.get().compareTo(Durations.part(transfer.timing().takeover(), 2)) <= 0) {
                    StateFile.find(path)
                            .filter(file -> file.number(GENERATION) == generation)
                            .map(file -> file.number(RATE))
                            .ifPresent(rate -> demands.add(rate < 0 ? Double.POSITIVE_INFINITY : rate.doubleValue()));
                }
            }
        }
        return demands;
    }

    /**
     * Returns the max-min fair share of one of several processes, plus an equal part of the bandwidth that none of them
     * uses.
     *
     * @param demand bytes per second that this process can use
     * @param others bytes per second that each of the others can use
     */
    public static double share(long limit, double demand, List<Double> others) {
        int count = others.size() + 1;
        // Even an idle process keeps a part, so that it can start as soon as it has data to move.
        double least = limit / (8.0 * count);
        double[] demands = new double[count];
        for (int i = 0; i < others.size(); i++) {
            demands[i] = Math.max(least, others.get(i));
        }
        double mine = Math.max(least, demand);
        demands[count - 1] = mine;
        Arrays.sort(demands);
        double left = limit;
        double level = 0;
        for (int i = 0; i < count; i++) {
            level = Math.min(demands[i], left / (count - i));
            left -= level;
        }
        return Math.min(mine, level) + left / count;
    }

    private void leave() throws IOException {
        if (isMember) {
            isMember = false;
            Files.deleteIfExists(own);
        }
    }

    @Override
    public void close() {
        beats.close();
        try {
            leave();
        } catch (IOException e) {
            // The others count this process until it has been silent for long enough.
            LOG.debug("{} stays", own, e);
        }
    }
}
