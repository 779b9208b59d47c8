// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.Semaphore;

import org.junit.jupiter.api.Test;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.fs.Errno;

class StreamsTest {

    private static final class Full extends OutputStream {
        private int calls;

        @Override
        public void write(int b) throws IOException {
            calls++;
            throw new IOException("No space left on device");
        }
    }

    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final Screen screen = new Screen(bytes, "cp", false);

    private String text() {
        return bytes.toString(StandardCharsets.UTF_8);
    }

    @Test
    void aFullDiskIsAProblemAndNothingMoreIsWritten() {
        Full full = new Full();
        Output output = new Output(full, false, false);
        output.line("a");
        output.flush();
        output.line("b");
        output.flush();
        assertThat(full.calls).isEqualTo(1);
        assertThat(output.isUsable()).isFalse();
        assertThat(output.isReaderGone()).isFalse();
        assertThat(output.problem()).hasValueSatisfying(problem -> assertThat(problem).contains("No space left"));
    }

    @Test
    void aDumbTerminalObeysNoEscapes() {
        assertThat(Terminal.obeysEscapes(Map.of("TERM", "dumb"))).isFalse();
        assertThat(Terminal.obeysEscapes(Map.of("TERM", "xterm"))).isTrue();
        assertThat(Terminal.obeysEscapes(Map.of())).isTrue();
    }

    @Test
    void aReaderThatWentAwayIsNoProblem() {
        Output output = new Output(new Full(), true, false);
        output.line("a");
        output.flush();
        assertThat(output.isReaderGone()).isTrue();
        assertThat(output.problem()).isEmpty();
    }

    @Test
    void largeAndSmallWritesKeepTheirOrder() {
        Output output = new Output(bytes, false, false);
        StringBuilder expected = new StringBuilder();
        for (int length : new int[]{1, 70_000, 10, 65_536, 65_535, 2, 0, 200_000}) {
            String line = "x".repeat(length);
            output.line(line);
            expected.append(line).append('\n');
        }
        output.flush();
        assertThat(text()).isEqualTo(expected.toString());
    }

    @Test
    void messagesPushTheLineAtTheBottomDown() {
        screen.status("10%");
        screen.error("x: broken");
        screen.status("");
        assertThat(text()).isEqualTo("\r\033[K10%\r\033[Ktreehaul: cp: x: broken\n10%\r\033[K");
    }

    @Test
    void theLineAtTheBottomWaitsForTheEndOfALineOfACommand() {
        screen.status("10 %");
        screen.bytes("er".getBytes(StandardCharsets.US_ASCII), 2);
        screen.status("20 %");
        screen.bytes("ror".getBytes(StandardCharsets.US_ASCII), 3);
        screen.note("done");
        screen.bytes("a\n".getBytes(StandardCharsets.US_ASCII), 2);
        String clear = "\r\u001b[K";
        assertThat(bytes.toString(StandardCharsets.UTF_8))
                .isEqualTo(clear + "10 %" + clear + "error\n" + clear + "treehaul: cp: done\n20 %" + clear + "a\n20 %");
    }

    @Test
    void withoutALineAtTheBottomNoControlCharacterIsWritten() {
        screen.status("");
        screen.note("x");
        assertThat(text()).isEqualTo("treehaul: cp: x\n");
    }

    private static EntryFailure failure(int i, int errno) {
        return new EntryFailure(EntryFailure.Kind.ERROR, ByteString.of("/r"),
                TreePath.of(("f" + i).getBytes(StandardCharsets.UTF_8)), "open", errno);
    }

    @Test
    void failuresThatAreAlikeAreCappedAndCounted() {
        Problems problems = new Problems(screen);
        for (int i = 0; i < 1000; i++) {
            problems.failed(failure(i, Errno.EACCES));
        }
        problems.failed(failure(0, Errno.EIO));
        assertThat(text().lines()).hasSize(Problems.SHOWN + 1);
        problems.summarize();
        assertThat(text()).contains("Permission denied (EACCES): 1,000 entries, 980 of them not shown\n")
                .endsWith("treehaul: cp: 1,001 failures\n");
        assertThat(problems.counts()).isEqualTo(Map.of(EntryFailure.Kind.ERROR, 1001L));
    }

    @Test
    void failuresOfAStageAreAlikeAlsoIfEachNamesItsOwnSegment() {
        Problems problems = new Problems(screen);
        for (int i = 0; i < 30; i++) {
            TreePath path = TreePath.of(("f" + i).getBytes(StandardCharsets.UTF_8));
            problems.failed(new EntryFailure(EntryFailure.Kind.ERROR, ByteString.of("job:"), path,
                    "read (job:f" + i + " (segment " + i + ".1.0 on server d1 (node1:/d1)))", Errno.EIO));
            problems.failed(new EntryFailure(EntryFailure.Kind.ERROR, ByteString.of("job:"), path,
                    "open (job:f" + i + " (server d2 (node2:/d2))): No such file or directory (ENOENT)", 0));
        }
        assertThat(text().lines()).hasSize(2 * Problems.SHOWN)
                .contains("treehaul: cp: job:/f7: read (job:f7 (segment 7.1.0 on server d1 (node1:/d1))): "
                        + "Input/output error (EIO)");
        problems.summarize();
        assertThat(text()).contains("treehaul: cp: read: Input/output error (EIO): 30 entries, 10 of them not shown\n",
                "treehaul: cp: open: No such file or directory (ENOENT): 30 entries, 10 of them not shown\n");
    }

    @Test
    void oneFailureNeedsNoSummary() {
        Problems problems = new Problems(screen);
        problems.failed(failure(1, Errno.EACCES));
        String before = text();
        problems.summarize();
        assertThat(text()).isEqualTo(before).isEqualTo("treehaul: cp: /r/f1: open: Permission denied (EACCES)\n");
    }

    @Test
    void theFirstSignalCancelsAndTheSecondHalts() {
        Cancellation cancellation = new Cancellation();
        int[] halts = {0};
        Signals signals = new Signals(screen, cancellation, () -> halts[0]++, () -> false);
        signals.stop(1_000_000_000L);
        assertThat(cancellation.isCancelled()).isTrue();
        signals.stop(1_005_000_000L);
        assertThat(halts[0]).as("the same signal, sent to the whole group").isZero();
        signals.stop(2_000_000_000L);
        assertThat(halts[0]).isOne();
    }

    @Test
    void theJvmHandsASignalToItsActionAndRefusesItsOwnSignals() throws Exception {
        Semaphore received = new Semaphore(0);
        // A signal that does nothing otherwise.
        SignalAction.of(received::release).on("URG");
        for (int i = 0; i < 2; i++) {
            assertThat(
                    new ProcessBuilder("kill", "-URG", Long.toString(ProcessHandle.current().pid())).start().waitFor())
                    .isZero();
            received.acquire();
        }
        SignalAction unknown = SignalAction.of(received::release);
        assertThatThrownBy(() -> unknown.on("QUIT")).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aSignalWhileWaitingPrintsNoMessageAndRemovesTheBar() {
        Cancellation cancellation = new Cancellation();
        screen.status("bar");
        new Signals(screen, cancellation, () -> {
        }, () -> true).stop(1_000_000_000L);
        assertThat(cancellation.isCancelled()).isTrue();
        assertThat(text()).isEqualTo("\r\033[Kbar\r\033[K");
    }

    @Test
    void jsonKeepsBytesAndTheWholeRangeOfNumbers() {
        Output output = new Output(bytes, false, false);
        JsonLines json = new JsonLines(output);
        json.begin("entry")
                .path("path", ByteString.of("a\n\"\u00fc"))
                .path("target", ByteString.of(new byte[]{'x', (byte) 0xFF}))
                .unsigned("inode", -1)
                .number("size", Long.MIN_VALUE)
                .end();
        json.begin("end").flag("complete", true).end();
        json.flush();
        output.flush();
        assertThat(text()).isEqualTo("{\"v\":1,\"type\":\"entry\",\"path\":\"a\\n\\\"\u00fc\",\"target_b64\":\"eP8=\","
                + "\"inode\":18446744073709551615,\"size\":-9223372036854775808}\n"
                + "{\"v\":1,\"type\":\"end\",\"complete\":true}\n");
    }

    @Test
    void aTerminalGetsNoControlCharactersOfNamesAndMessages() {
        String hostile = "a\033]0;x\007\u009b\u202eb\\ \u00fc";
        for (boolean isTerminal : new boolean[]{true, false}) {
            bytes.reset();
            Output output = new Output(bytes, false, isTerminal);
            output.line("1\t" + hostile + "\n2\r");
            JsonLines json = new JsonLines(output);
            json.begin("x").text("text", hostile).end();
            json.flush();
            output.flush();
            String shown = isTerminal ? "1\ta\\x1b]0;x\\x07\\xc2\\x9b\\xe2\\x80\\xaeb\\ \u00fc" : "1\t" + hostile;
            String above = isTerminal ? "\\u009b\\u202e" : "\u009b\u202e";
            assertThat(text().lines()).containsExactly(shown, "2" + (isTerminal ? "\\r" : ""),
                    "{\"v\":1,\"type\":\"x\",\"text\":\"a\\u001B]0;x\\u0007" + above + "b\\\\ \u00fc\"}");
        }
    }
}
