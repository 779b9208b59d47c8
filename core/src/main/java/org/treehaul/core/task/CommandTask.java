// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.task;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

import org.treehaul.core.annotation.Api;
import org.treehaul.core.entry.ByteString;

/**
 * A command or a Java class for each entry, with the rules by which it runs. Immutable.
 *
 * @param body the command or the class
 * @param directory the absolute path of the directory in which it runs; the paths of entries may be relative to it
 * @param limit the longest time of a process, after which its process group gets SIGTERM, and SIGKILL later; zero for
 *        no limit
 * @param retries how often the command is repeated for an entry for which it failed
 * @param isOnce whether a command that began and whose end is unknown is not repeated by a later attempt
 * @param outputs the directory for a file of each output, if there is one
 * @param segments the rule that divides large files into segments
 */
@Api
public record CommandTask(TaskBody body, ByteString directory, Duration limit, int retries, boolean isOnce,
        Optional<ByteString> outputs, Segmentation segments) {

    private static final String WORD = "word.";
    private static final String TASK = "task";
    private static final String VERSION = "task-version";
    private static final String PARAMETER = "parameter.";
    private static final String DIRECTORY = "directory";
    private static final String LIMIT = "timeout-ms";
    private static final String RETRIES = "retries";
    private static final String ONCE = "once";
    private static final String OUTPUTS = "output-dir";
    private static final String SEGMENTS = "segments";

    /**
     * Checks the values.
     *
     * @throws IllegalArgumentException if the directory is not an absolute path, a number is negative, or a command
     *         that takes lists is to divide files
     */
    public CommandTask {
        if (directory.length() == 0 || directory.at(0) != '/') {
            throw new IllegalArgumentException("not an absolute path: '" + directory + "'");
        }
        if (limit.isNegative() || retries < 0) {
            throw new IllegalArgumentException("less than 0: " + limit + ", " + retries);
        }
        if (segments.divides() && body.takesList()) {
            throw new IllegalArgumentException("{@}, a list of paths, cannot be combined with segments of files");
        }
    }

    /** Creates a task that does not divide files. */
    public CommandTask(TaskBody body, ByteString directory, Duration limit, int retries, boolean isOnce,
            Optional<ByteString> outputs) {
        this(body, directory, limit, retries, isOnce, outputs, Segmentation.NONE);
    }

    /** Returns the command in a directory, without a limit, retries and files for outputs. */
    public static CommandTask of(CommandTemplate command, ByteString directory) {
        return new CommandTask(command, directory, Duration.ZERO, 0, false, Optional.empty());
    }

    /** Returns the values as strings by name, all printable. */
    public SortedMap<String, String> parameters() {
        SortedMap<String, String> all = new TreeMap<>();
        switch (body) {
            case CommandTemplate command -> {
                for (int i = 0; i < command.words().size(); i++) {
                    all.put(WORD + i, command.words().get(i).toString());
                }
            }
            case JavaTask task -> {
                all.put(TASK, task.name());
                all.put(VERSION, String.valueOf(task.version()));
                task.parameters().forEach((key, value) -> all.put(PARAMETER + key, ByteString.of(value).toString()));
            }
        }
        all.put(DIRECTORY, directory.toString());
        all.put(LIMIT, String.valueOf(limit.toMillis()));
        all.put(RETRIES, String.valueOf(retries));
        all.put(ONCE, String.valueOf(isOnce));
        outputs.ifPresent(path -> all.put(OUTPUTS, path.toString()));
        if (segments.divides()) {
            all.put(SEGMENTS, segments.text());
        }
        return all;
    }

    /**
     * Returns the task with these {@linkplain #parameters parameters}.
     *
     * @throws IllegalArgumentException if a value is missing or cannot be read
     */
    public static CommandTask of(Map<String, String> parameters) {
        return new CommandTask(body(parameters), ByteString.unescape(parameters.getOrDefault(DIRECTORY, "")),
                Duration.ofMillis(Long.parseLong(parameters.getOrDefault(LIMIT, ""))),
                Integer.parseInt(parameters.getOrDefault(RETRIES, "")),
                Boolean.parseBoolean(parameters.getOrDefault(ONCE, "")),
                Optional.ofNullable(parameters.get(OUTPUTS)).map(ByteString::unescape),
                Segmentation.parse(parameters.getOrDefault(SEGMENTS, Segmentation.NONE.text())));
    }

    private static TaskBody body(Map<String, String> parameters) {
        String task = parameters.get(TASK);
        if (task == null) {
            List<ByteString> words = new ArrayList<>();
            for (String word = parameters.get(WORD + 0); word != null; word = parameters.get(WORD + words.size())) {
                words.add(ByteString.unescape(word));
            }
            return new CommandTemplate(words);
        }
        SortedMap<String, String> own = new TreeMap<>();
        parameters.forEach((key, value) -> {
            if (key.startsWith(PARAMETER)) {
                own.put(key.substring(PARAMETER.length()),
                        ByteString.unescape(value)
                                .utf8()
                                .orElseThrow(() -> new IllegalArgumentException("not a text: " + value)));
            }
        });
        return new JavaTask(task, Integer.parseInt(parameters.getOrDefault(VERSION, "")), own);
    }
}
