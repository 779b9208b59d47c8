// SPDX-License-Identifier: Apache-2.0
package org.treehaul.strategies.ranks;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.StringJoiner;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import java.util.stream.LongStream;

import org.treehaul.core.annotation.Api;
import org.treehaul.core.annotation.Internal;
import org.treehaul.core.fs.Call;
import org.treehaul.strategies.ranks.communicator.Gather;
import org.treehaul.strategies.ranks.communicator.Traffic;

/**
 * The work of one rank in a walk.
 *
 * @param rank its number
 * @param host the host that it counts as being on
 * @param traffic the messages that it sent
 * @param entries the entries that it handled
 * @param elapsed the time from its beginning to its end
 * @param communication the part of that time in which its communication thread handled messages rather than waited for
 *        them
 * @param times how its working threads spent their time, if that was measured
 */
@Api
public record RankReport(int rank, int host, Traffic traffic, long entries, Duration elapsed, Duration communication,
        Optional<RankTimes> times) {

    /** Returns the report of this walk and of a later one of the same rank. */
    @Internal
    public RankReport then(RankReport later) {
        return new RankReport(rank, host, traffic.plus(later.traffic), entries + later.entries,
                elapsed.plus(later.elapsed), communication.plus(later.communication),
                times.flatMap(own -> later.times.map(own::plus)));
    }

    /** Returns the report as bytes, for {@link Gather}. */
    public byte[] toBytes() {
        StringJoiner text = new StringJoiner(" ");
        LongConsumer number = value -> text.add(String.valueOf(value));
        number.accept(rank);
        number.accept(host);
        number.accept(entries);
        number.accept(elapsed.toNanos());
        number.accept(communication.toNanos());
        number.accept(traffic.messages().size());
        traffic.messages().forEach(number::accept);
        traffic.bytes().forEach(number::accept);
        times.ifPresent(t -> {
            number.accept(t.threads());
            number.accept(t.nanos());
            number.accept(t.callback());
            number.accept(t.waiting());
            t.calls().forEach((call, time) -> {
                text.add(call.name());
                number.accept(time.count());
                number.accept(time.nanos());
            });
        });
        return text.toString().getBytes(StandardCharsets.US_ASCII);
    }

    /** Reads the result of {@link #toBytes()} of the same version. */
    public static RankReport of(byte[] written) {
        Iterator<String> words = List.of(new String(written, StandardCharsets.US_ASCII).split(" ", -1)).iterator();
        LongSupplier number = () -> Long.parseLong(words.next());
        int rank = (int) number.getAsLong();
        int host = (int) number.getAsLong();
        long entries = number.getAsLong();
        Duration elapsed = Duration.ofNanos(number.getAsLong());
        Duration communication = Duration.ofNanos(number.getAsLong());
        long ranks = number.getAsLong();
        List<Long> messages = LongStream.generate(number).limit(ranks).boxed().toList();
        List<Long> bytes = LongStream.generate(number).limit(ranks).boxed().toList();
        return new RankReport(rank, host, new Traffic(messages, bytes), entries, elapsed, communication,
                words.hasNext() ? Optional.of(times(words, number)) : Optional.empty());
    }

    private static RankTimes times(Iterator<String> words, LongSupplier number) {
        int threads = (int) number.getAsLong();
        long nanos = number.getAsLong();
        long callback = number.getAsLong();
        long waiting = number.getAsLong();
        Map<Call, RankTimes.CallTime> calls = new EnumMap<>(Call.class);
        while (words.hasNext()) {
            Call call = Call.valueOf(words.next());
            calls.put(call, new RankTimes.CallTime(number.getAsLong(), number.getAsLong()));
        }
        return new RankTimes(threads, nanos, callback, waiting, calls);
    }
}
