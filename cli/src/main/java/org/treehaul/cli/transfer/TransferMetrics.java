// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.transfer;

import static org.treehaul.cli.report.PrometheusText.Type.gauge;

import java.time.Instant;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.ToLongFunction;

import org.treehaul.cli.report.PrometheusText;
import org.treehaul.core.transfer.BatchStatus;
import org.treehaul.core.transfer.TransferStatus;

/** The status of transfers as metrics. */
final class TransferMetrics {

    private TransferMetrics() {}

    /** Returns the metrics of transfers. */
    static PrometheusText of(Collection<TransferStatus> transfers, Instant now) {
        PrometheusText text = new PrometheusText();
        transfers.forEach(status -> add(text, status, now));
        return text;
    }

    private static void add(PrometheusText text, TransferStatus status, Instant now) {
        Map<String, String> labels = new LinkedHashMap<>();
        labels.put("id", status.id().text());
        labels.put("operation", status.operation().name());
        sum(text, labels, status, "entries", "Planned entries.", BatchStatus::entries);
        sum(text, labels, status, "entries_done", "Entries done.", BatchStatus::entriesDone);
        sum(text, labels, status, "bytes", "Planned bytes.", BatchStatus::bytes);
        sum(text, labels, status, "bytes_done", "Bytes done.", BatchStatus::bytesDone);
        number(text, labels, "failures", "Entries that failed.", status.failed());
        number(text, labels, "elapsed_seconds", "Time since the first batch began, to the end if it has ended.",
                status.elapsed(now).toMillis() / 1000.0);
        number(text, labels, "begin_time_seconds", "When the first batch began, in seconds since 1970.",
                status.began().toEpochMilli() / 1000.0);
        status.ended()
                .ifPresent(end -> number(text, labels, "end_time_seconds", "When it ended, in seconds since 1970.",
                        end.toEpochMilli() / 1000.0));
        status.rest()
                .ifPresent(rest -> number(text, labels, "remaining_seconds", "The estimated remaining time.",
                        rest.toSeconds()));
        for (TransferStatus.State state : TransferStatus.State.values()) {
            number(text, with(labels, TransferReport.word(state)), "state", "1 for the state of the transfer, else 0.",
                    status.state() == state ? 1 : 0);
        }
        for (BatchStatus.State state : BatchStatus.State.values()) {
            number(text, with(labels, TransferReport.word(state)), "batches", "Batches in each state.",
                    status.batches().stream().filter(batch -> batch.state() == state).count());
        }
    }

    private static Map<String, String> with(Map<String, String> labels, String state) {
        Map<String, String> more = new LinkedHashMap<>(labels);
        more.put("state", state);
        return more;
    }

    private static void sum(PrometheusText text, Map<String, String> labels, TransferStatus status, String name,
            String help, ToLongFunction<BatchStatus> of) {
        number(text, labels, name, help, status.total(of));
    }

    private static void number(PrometheusText text, Map<String, String> labels, String name, String help, long value) {
        text.add("treehaul_transfer_" + name, gauge, help, labels, value);
    }

    private static void number(PrometheusText text, Map<String, String> labels, String name, String help,
            double value) {
        text.add("treehaul_transfer_" + name, gauge, help, labels, value);
    }
}
