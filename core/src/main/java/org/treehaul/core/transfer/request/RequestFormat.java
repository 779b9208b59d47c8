// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer.request;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.copy.CopyArguments;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.plan.format.BatchLimits;
import org.treehaul.core.state.StateFile;
import org.treehaul.core.transfer.operation.CopySettings;

/** The lines of the file of a request. A value that was not given has no line; a list has a line for each value. */
final class RequestFormat {

    private static final String VERSION = "1";
    private static final String SETTING = "copy.option.";

    private RequestFormat() {}

    static StateFile write(TransferRequest request) {
        Lines lines = new Lines(new LinkedHashMap<>());
        lines.put("version", VERSION);
        JobOptions jobs = request.jobs();
        lines.put("jobs.scheduler", jobs.scheduler());
        lines.put("jobs.jobs", jobs.jobs());
        lines.put("jobs.max-running", jobs.maxRunning());
        lines.putAll("jobs.queue", jobs.queue());
        jobs.walltime().ifPresent(limit -> lines.put("jobs.walltime", limit.toSeconds()));
        jobs.finishQueue().ifPresent(queue -> {
            lines.put("jobs.finish-queue", queue.size());
            lines.putAll("jobs.finish-queue", queue);
        });
        jobs.finishWalltime().ifPresent(limit -> lines.put("jobs.finish-walltime", limit.toSeconds()));
        lines.put("jobs.requeue", jobs.requeue());
        lines.putAll("jobs.pre", jobs.pre());
        lines.putAll("jobs.post", jobs.post());
        jobs.onComplete().ifPresent(command -> lines.put("jobs.on-complete", command));
        if (jobs.ranks() > 0) {
            lines.put("jobs.ranks", jobs.ranks());
            lines.put("jobs.distribution", jobs.distribution());
        }
        request.copy().ifPresent(copy -> write(lines, copy));
        lines.putAll("operation.jar", request.jars());
        return new StateFile(lines.values);
    }

    private static void write(Lines lines, CopyRequest copy) {
        CopyArguments arguments = copy.arguments();
        lines.put("copy.workers", copy.workers());
        lines.putAll("copy.operand", arguments.operands());
        arguments.targetDirectory().ifPresent(path -> lines.put("copy.target-directory", path));
        lines.put("copy.no-target-directory", arguments.noTargetDirectory());
        lines.put("copy.parents", arguments.parents());
        lines.put("copy.strip-trailing-slashes", arguments.stripTrailingSlashes());
        copy.list().ifPresent(list -> {
            lines.put("copy.list", list.path());
            lines.put("copy.list-nul", list.isNulSeparated());
            if (list.isMarked()) {
                lines.put("copy.list-marked", true);
            }
        });
        CopySettings.of(copy.options()).forEach((key, value) -> lines.put(SETTING + key, value));
        lines.put("copy.strategy", copy.batching().strategy());
        lines.put("copy.batches", copy.batching().limits().batches());
        lines.put("copy.batch-files", copy.batching().limits().maxFiles());
        lines.put("copy.batch-bytes", copy.batching().limits().maxBytes());
        lines.put("copy.chunk-bytes", copy.batching().chunkBytes());
        if (!copy.batching().byServers()) {
            lines.put("copy.locality", false);
        }
        lines.put("copy.checks-space", copy.checksSpace());
        copy.plan().ifPresent(plan -> lines.put("copy.plan", plan));
        lines.put("copy.directory", copy.directory());
        lines.put("copy.umask", Integer.toOctalString(copy.umask()));
        lines.put("copy.destination-is-free", copy.isDestinationFree());
    }

    /**
     * Reads a request.
     *
     * @throws IllegalArgumentException if it is of another version, or a line is missing, unknown or cannot be read;
     *         the message names it
     */
    static TransferRequest read(StateFile file) {
        Lines lines = new Lines(new LinkedHashMap<>(file.values()));
        String version = lines.text("version");
        if (!version.equals(VERSION)) {
            throw new IllegalArgumentException(
                    "the request is of version '" + version + "', this program knows version " + VERSION);
        }
        JobOptions jobs = new JobOptions(lines.text("jobs.scheduler"), (int) lines.number("jobs.jobs"),
                (int) lines.number("jobs.max-running"), lines.texts("jobs.queue"), lines.seconds("jobs.walltime"),
                lines.find("jobs.finish-queue").map(number -> lines.texts("jobs.finish-queue")),
                lines.seconds("jobs.finish-walltime"), lines.flag("jobs.requeue"), lines.texts("jobs.pre"),
                lines.texts("jobs.post"), lines.find("jobs.on-complete"),
                (int) lines.find("jobs.ranks").map(Lines::parse).orElse(0L).longValue(),
                lines.find("jobs.distribution").orElse(""));
        Optional<CopyRequest> copy = lines.values.containsKey("copy.workers")
                ? Optional.of(readCopy(lines))
                : Optional.empty();
        List<Path> jars = lines.texts("operation.jar").stream().map(Path::of).toList();
        if (!lines.values.isEmpty()) {
            throw new IllegalArgumentException("the request has lines of another version: " + lines.values.keySet());
        }
        return new TransferRequest(jobs, copy, jars);
    }

    private static CopyRequest readCopy(Lines lines) {
        int workers = (int) lines.number("copy.workers");
        CopyArguments arguments = new CopyArguments(lines.all("copy.operand"), lines.bytes("copy.target-directory"),
                lines.flag("copy.no-target-directory"), lines.flag("copy.parents"),
                lines.flag("copy.strip-trailing-slashes"), Optional.empty());
        Optional<CopyRequest.ListFile> list = lines.bytes("copy.list")
                .map(path -> new CopyRequest.ListFile(path, lines.flag("copy.list-nul"),
                        lines.values.containsKey("copy.list-marked") && lines.flag("copy.list-marked")));
        Map<String, String> settings = new TreeMap<>();
        for (String key : List.copyOf(lines.values.keySet())) {
            if (key.startsWith(SETTING)) {
                settings.put(key.substring(SETTING.length()), lines.text(key));
            }
        }
        CopyOptions options = CopySettings.parse(settings)
                .toBuilder()
                .filter(CopySettings.filter(settings).orElseThrow(() -> new IllegalArgumentException("no patterns")))
                .build();
        CopyRequest.Batches batching = new CopyRequest.Batches(lines.text("copy.strategy"),
                new BatchLimits((int) lines.number("copy.batches"), lines.number("copy.batch-files"),
                        lines.number("copy.batch-bytes")),
                lines.number("copy.chunk-bytes"),
                !lines.values.containsKey("copy.locality") || lines.flag("copy.locality"));
        return new CopyRequest(arguments, list, options, batching, workers, lines.flag("copy.checks-space"),
                lines.find("copy.plan").map(Path::of), lines.bytes("copy.directory").orElse(ByteString.empty()),
                Integer.parseInt(lines.text("copy.umask"), 8), lines.flag("copy.destination-is-free"));
    }

    /** Lines to write, or those not read yet. */
    private record Lines(Map<String, String> values) {

        void put(String key, Object value) {
            values.put(key,
                    value instanceof ByteString ? value.toString() : ByteString.of(value.toString()).toString());
        }

        void putAll(String key, List<?> all) {
            for (int i = 0; i < all.size(); i++) {
                put(key + "." + i, all.get(i));
            }
        }

        Optional<ByteString> bytes(String key) {
            return Optional.ofNullable(values.remove(key)).map(ByteString::unescape);
        }

        List<ByteString> all(String key) {
            List<ByteString> all = new ArrayList<>();
            @Nullable String value = values.remove(key + ".0");
            while (value != null) {
                all.add(ByteString.unescape(value));
                value = values.remove(key + "." + all.size());
            }
            return all;
        }

        List<String> texts(String key) {
            return all(key).stream().map(Lines::decode).toList();
        }

        Optional<String> find(String key) {
            return bytes(key).map(Lines::decode);
        }

        String text(String key) {
            return find(key).orElseThrow(() -> new IllegalArgumentException("the request has no line '" + key + "'"));
        }

        long number(String key) {
            return parse(text(key));
        }

        Optional<Duration> seconds(String key) {
            return find(key).map(text -> Duration.ofSeconds(parse(text)));
        }

        boolean flag(String key) {
            return switch (text(key)) {
                case "true" -> true;
                case "false" -> false;
                default -> throw new IllegalArgumentException("the request has an odd line '" + key + "'");
            };
        }

        static String decode(ByteString bytes) {
            return bytes.utf8().orElseThrow(() -> new IllegalArgumentException("not text: " + bytes));
        }

        static long parse(String text) {
            return Long.parseLong(text);
        }
    }
}
