// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.pool.submitter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.event.Progress;
import org.treehaul.core.testing.Installed;
import org.treehaul.core.testing.Privilege;
import org.treehaul.core.transfer.directory.TransferException;
import org.treehaul.core.transfer.directory.TransferResult;
import org.treehaul.core.transfer.work.BatchShare;
import org.treehaul.core.transfer.work.WorkResult;
import org.treehaul.schedulers.pool.carry.Carrier;

/** Scripts in the place of the process of a user: such as answer, and such as do anything else. */
class ChildCarrierTest {

    private static final Submitter USER = new Submitter("alice", "al", 4711, 4711);
    private static final Duration LONG = Duration.ofMinutes(10);
    private static final Duration SHORT = Duration.ofMillis(300);

    private final List<String> notices = Collections.synchronizedList(new ArrayList<>());
    private final List<ChildProcess> started = new ArrayList<>();
    private final Progress progress = new Progress();
    private final Cancellation stop = new Cancellation();

    @AfterEach
    void kill() {
        started.forEach(ChildProcess::close);
    }

    private ChildCarrier carrier(String script, Duration silence, Duration grace) throws IOException {
        ChildProcess process = ChildProcess.start(List.of("/bin/bash", "-c", script));
        started.add(process);
        return new ChildCarrier(USER, process, new ChildProgram(List.of(), "", silence, grace), notices::add, progress);
    }

    private ChildCarrier carrier(String script) throws IOException {
        return carrier(script, LONG, LONG);
    }

    private void fails(ChildCarrier carrier, ThrowingCallable call, String message) {
        assertThatThrownBy(call).isInstanceOf(TransferException.class)
                .hasMessageContainingAll("user al (uid 4711)", message);
        Awaitility.await().until(() -> !carrier.isAlive());
    }

    /** Gives batches up to a number. */
    private static BatchShare upTo(int most, List<Integer> back) {
        return new BatchShare() {
            private int next;

            @Override
            public OptionalInt next() {
                return next < most ? OptionalInt.of(next++) : OptionalInt.empty();
            }

            @Override
            public boolean takeBack(int batch) {
                return back.add(batch);
            }
        };
    }

    @Test
    void aProcessThatAnswersCarriesOutItsTransfer() throws Exception {
        ChildCarrier carrier = carrier("""
                while read -r word number; do
                  case $word in
                    open) echo notice begun; echo opened ;;
                    turn) echo next ;;
                    batch) echo alive 5 4 1 100; [ $number != 1 ] || echo back 1; echo next ;;
                    end) echo 'worked GAVE_UP 2 3 0 1 0 the disk is full' ;;
                    local) [ $number = 0 ] && echo local 3 2 0 || echo local 9 ;;
                    rest) [ $number = 3 ] && echo complete || echo planned 3 ;;
                    finish) echo 'worked DONE 0 0 0 0 0 '; echo finished PARTIAL ;;
                  esac
                done""");
        assertThat(carrier.open()).isTrue();
        List<Integer> back = new ArrayList<>();
        assertThat(carrier.work(upTo(3, back), stop)).isEqualTo(new WorkResult(WorkResult.Ending.GAVE_UP, 2,
                Map.of(EntryFailure.Kind.ERROR, 3L, EntryFailure.Kind.CHANGED, 1L), "the disk is full"));
        assertThat(back).containsExactly(1);
        assertThat(progress.snapshot().files()).isEqualTo(4);
        assertThat(notices).containsExactly("al: begun");
        assertThat(carrier.local(0)).isEqualTo(new Carrier.Local(3, Set.of(0, 2)));
        assertThat(carrier.local(3)).isEqualTo(new Carrier.Local(9, Set.of()));
        assertThat(carrier.remainder(2)).isEqualTo(new Carrier.Planned(3));
        assertThat(carrier.remainder(3)).isEqualTo(new Carrier.Complete());
        assertThat(carrier.finish(stop).state()).contains(TransferResult.State.PARTIAL);
        carrier.end();
        assertThat(carrier.isAlive()).isFalse();
    }

    @Test
    void aRefusalOfTheProcessIsReportedAndItStays() throws Exception {
        ChildCarrier carrier = carrier("while read -r x; do echo failed there is no transfer; done");
        assertThatThrownBy(carrier::open).isInstanceOf(TransferException.class)
                .hasMessage("for user al (uid 4711): there is no transfer");
        assertThat(carrier.isAlive()).isTrue();
    }

    @Test
    void otherAnswersEndTheProcess() throws Exception {
        for (String answer : List.of("what", "", "planned", "planned 1", "planned 99999999999", "worked DONE 0 0 0 0 0",
                "opened\\x07", "finished COMPLETE")) {
            ChildCarrier carrier = carrier("read -r x; echo -e '" + answer + "'; read -r x");
            fails(carrier, () -> carrier.remainder(1), "it answered '");
        }
        for (String answer : List.of("local", "local x", "local 1 -2", "local 1" + " 2".repeat(501), "planned 3")) {
            ChildCarrier carrier = carrier("read -r x; echo '" + answer + "'; read -r x");
            fails(carrier, () -> carrier.local(0), "it answered '");
        }
        for (String answer : List.of("back 0", "worked DONE x 0 0 0 0 ", "worked NONE 1 0 0 0 0 ",
                "worked DONE 1 0 0 0 0000000000000000000000000 ", "opened")) {
            ChildCarrier carrier = carrier("read -r x; echo '" + answer + "'; read -r x");
            fails(carrier, () -> carrier.work(upTo(1, new ArrayList<>()), stop), "it answered '");
        }
    }

    @Test
    void signsOfLifeEndNoBatchHoweverLongItLasts() {
        assertThat(ChildCarrier.isTooMuch(50_000, Duration.ofHours(70).toNanos())).isFalse();
        assertThat(ChildCarrier.isTooMuch(50_000, Duration.ofMinutes(5).toNanos())).isTrue();
    }

    @Test
    void batchesThatItWasNotGivenCannotBeGivenBack() throws Exception {
        ChildCarrier carrier = carrier("read -r x; echo next; read -r x; echo back 7; read -r x");
        fails(carrier, () -> carrier.work(upTo(9, new ArrayList<>()), stop), "it answered 'back 7'");
    }

    @Test
    void aProcessThatDiesSaysWhy() throws Exception {
        ChildCarrier carrier = carrier("read -r x; echo cannot load >&2; exit 3");
        fails(carrier, carrier::open, "it ended with code 3: cannot load");
        ChildCarrier killed = carrier("read -r x; kill -9 $$");
        fails(killed, killed::open, "it ended with code 137");
    }

    @Test
    void outputWithoutEndIsNotKept() throws Exception {
        ChildCarrier oneLine = carrier("tr '\\0' x < /dev/zero");
        fails(oneLine, oneLine::open, "a line is longer than 8192 bytes");
        ChildCarrier lines = carrier("yes notice spam");
        fails(lines, lines::open, "it writes too much");
        assertThat(notices).hasSize(100);
        ChildCarrier errors = carrier("tr '\\0' x < /dev/zero >&2 & read -r x; echo opened; read -r x");
        assertThat(errors.open()).isTrue();
    }

    @Test
    void aProcessThatDoesNotReadIsKilled() throws Exception {
        ChildCarrier carrier = carrier("yes next");
        fails(carrier, () -> carrier.work(upTo(Integer.MAX_VALUE, new ArrayList<>()), stop),
                "it does not read its orders");
    }

    @Test
    void aProcessThatAsksForMoreAfterTheEndIsKilled() throws Exception {
        ChildCarrier carrier = carrier("while read -r x; do echo next; done");
        fails(carrier, () -> carrier.work(upTo(3, new ArrayList<>()), stop), "it answered 'next'");
    }

    @Test
    void aProcessThatHangsIsKilledWithThoseThatItStarted() throws Exception {
        ChildCarrier carrier = carrier("sleep 100000 & read -r x; echo notice $!; wait", SHORT, LONG);
        fails(carrier, carrier::open, "it has not given a sign of life for");
        long sleep = Long.parseLong(notices.getFirst().substring("al: ".length()));
        Awaitility.await().until(() -> ProcessHandle.of(sleep).filter(ProcessHandle::isAlive).isEmpty());
    }

    @Test
    void signsOfLifeInThePlaceOfASmallAnswerDoNotKeepTheWorker() throws Exception {
        String alive = "while :; do echo alive 0 0 0 0; sleep 0.02; done";
        ChildCarrier carrier = carrier(alive, Duration.ofSeconds(1), LONG);
        fails(carrier, carrier::open, "it has not answered for 1 s");
        ChildCarrier other = carrier(alive, Duration.ofSeconds(1), LONG);
        fails(other, () -> other.remainder(1), "it has not answered for 1 s");
    }

    @Test
    void otherUsersDoNotWaitForProcessesThatDoNotEnd() throws Exception {
        Privilege.requireRoot("it becomes another user");
        Installed.require("setsid", "setpriv");
        Submitter nobody = new Submitter("alice", "nobody", 65_534, 65_534);
        List<ProcessHandle> before = ProcessHandle.current().children().toList();
        ChildProgram program = new ChildProgram(
                List.of("bash", "-c", "while read -r x; do echo opened; done; sleep 100000"), "", LONG, LONG);
        try (Children children = new Children(program, 0, 0, notices::add, progress)) {
            for (char last = 'a'; last <= 'l'; last++) {
                assertThat(children.open(nobody, "20260101-000000-aaa" + last, 1)).isPresent();
            }
            // Four run, four have time to end, and the first ones to come after these were killed.
            Awaitility.await()
                    .untilAsserted(() -> assertThat(
                            ProcessHandle.current().children().filter(one -> !before.contains(one)).toList())
                            .hasSize(8));
            ProcessHandle.current()
                    .children()
                    .filter(one -> !before.contains(one))
                    .flatMap(one -> Stream.concat(one.descendants(), Stream.of(one)))
                    .forEach(ProcessHandle::destroyForcibly);
        }
    }

    @Test
    void aProcessWithoutATurnForAMinuteEnds() throws Exception {
        Privilege.requireRoot("it becomes another user");
        Installed.require("setsid", "setpriv");
        Submitter nobody = new Submitter("alice", "nobody", 65_534, 65_534);
        List<ProcessHandle> before = ProcessHandle.current().children().toList();
        ChildProgram program = new ChildProgram(List.of("bash", "-c", "while read -r x; do echo opened; done"), "",
                LONG, LONG);
        AtomicLong nanos = new AtomicLong();
        try (Children children = new Children(program, 0, 0, notices::add, progress, nanos::get)) {
            List<String> keys = new ArrayList<>();
            for (char last = 'a'; last <= 'c'; last++) {
                children.open(nobody, "20260101-000000-aaa" + last, 1);
                keys.add("20260101-000000-aaa" + last + ".1");
            }
            nanos.addAndGet(Duration.ofSeconds(50).toNanos());
            // The last one has a long turn.
            children.keepOnly(Set.copyOf(keys), keys.getLast());
            assertThat(running(before)).hasSize(3);
            children.open(nobody, "20260101-000000-aaaa", 1);
            nanos.addAndGet(Duration.ofSeconds(50).toNanos());
            children.keepOnly(Set.copyOf(keys), keys.getLast());
            Awaitility.await().until(() -> running(before).size() == 2);
            children.keepOnly(Set.of(), keys.getLast());
            Awaitility.await().until(() -> running(before).size() == 1);
            children.keepOnly(Set.of(), "");
            Awaitility.await().until(() -> running(before).isEmpty());
        }
    }

    private static List<ProcessHandle> running(List<ProcessHandle> before) {
        return ProcessHandle.current().children().filter(one -> !before.contains(one)).toList();
    }

    @Test
    void aProcessThatDoesNotStopIsKilled() throws Exception {
        stop.cancel();
        ChildCarrier carrier = carrier("while read -r x; do :; done", LONG, SHORT);
        fails(carrier, () -> carrier.work(upTo(1, new ArrayList<>()), stop), "it has not stopped within");
        ChildCarrier stops = carrier("while read -r x; do [ $x != stop ] || echo 'worked STOPPED 0 0 0 0 0 '; done");
        assertThat(stops.work(upTo(1, new ArrayList<>()), stop).ending()).isEqualTo(WorkResult.Ending.STOPPED);
        assertThat(stops.isAlive()).isTrue();
    }

    @Test
    void aProcessThatDoesNothingIsNotAskedAgainAtOnce() throws Exception {
        ChildCarrier carrier = carrier("while read -r x; do echo 'worked DONE 0 0 0 0 0 '; done");
        assertThatThrownBy(() -> carrier.work(upTo(1, new ArrayList<>()), stop))
                .hasMessageContaining("it did not begin a batch");
    }

    @Test
    void numbersThatLeaveAProcessToRootAreRefused() {
        for (long number : List.of(-1L, 0xFFFF_FFFFL, 0x1_0000_0000L)) {
            assertThatThrownBy(() -> new Submitter("alice", "al", number, 4711)).hasMessageContaining("not a user");
            assertThatThrownBy(() -> new Submitter("alice", "al", 4711, number)).hasMessageContaining("not a user");
        }
    }

    @Test
    void aProcessHasNoEnvironmentAndNoOpenFiles() throws Exception {
        Path secret = Files.createTempFile("secret", "");
        try (InputStream open = Files.newInputStream(secret)) {
            ChildCarrier carrier = carrier("""
                    read -r x; echo notice $(pwd) $(tr '\\0' ' ' < /proc/$$/environ).; echo notice $(ls -l /proc/$$/fd)
                    echo opened""");
            assertThat(carrier.open()).isTrue();
            assertThat(notices.getFirst()).isEqualTo("al: / .");
            assertThat(notices.getLast()).contains("0 -> pipe:").doesNotContain("secret");
            assertThat(open.read()).isNegative();
        } finally {
            Files.delete(secret);
        }
    }
}
