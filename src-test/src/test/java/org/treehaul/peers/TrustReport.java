// SPDX-License-Identifier: Apache-2.0
package org.treehaul.peers;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;

/**
 * Runs all cases with all installed tools and writes the report. Started by {@code src-test/trust-report}.
 *
 * <p>
 * Arguments: {@code --output FILE}, {@code --cases REGEX} and {@code --tools REGEX}; the jar is the system property
 * {@code treehaul.jar}.
 */
public final class TrustReport {

    /** A group of related cases. */
    record Section(String title, List<TrustCase> cases) {}

    private TrustReport() {}

    static List<Section> sections() {
        return List.of(new Section("What is carried over", CarriedOverCases.all()),
                new Section("Names and shapes", NameCases.all()), new Section("Calls that fail", ErrorCases.all()),
                new Section("Little room, and what is in the way", LimitCases.all()),
                new Section("What changes during the copy", MomentCases.changes()),
                new Section("Killed", MomentCases.kills()));
    }

    /** Writes the report, and its progress to standard error. */
    public static void main(String[] arguments) throws IOException, InterruptedException {
        Map<String, String> options = new LinkedHashMap<>(Map.of("--output", "", "--cases", ".*", "--tools", ".*"));
        for (int i = 0; i < arguments.length; i += 2) {
            if (!options.containsKey(arguments[i]) || i + 1 == arguments.length) {
                System.err.println("usage: trust-report [--output FILE] [--cases REGEX] [--tools REGEX]");
                System.exit(2);
            }
            options.put(arguments[i], arguments[i + 1]);
        }
        cleanUpWhenStopped(Thread.currentThread());
        Pattern cases = Pattern.compile(options.getOrDefault("--cases", ""));
        Pattern names = Pattern.compile(options.getOrDefault("--tools", ""));
        // A copy of the jar, which an ordinary user may read wherever the checkout is, and which no build replaces
        // during the run.
        Path jar = Files.createTempFile("treehaul-trust", ".jar");
        jar.toFile().deleteOnExit();
        Files.write(jar, Files.readAllBytes(Path.of(Objects.requireNonNull(System.getProperty("treehaul.jar")))));
        Files.setPosixFilePermissions(jar, PosixFilePermissions.fromString("rw-r--r--"));
        List<Tool> tools = Tool.all()
                .stream()
                .filter(tool -> names.matcher(tool.name()).matches() && tool.isInstalled())
                .toList();
        List<Section> sections = sections().stream()
                .map(section -> new Section(section.title(),
                        section.cases().stream().filter(one -> cases.matcher(one.id()).matches()).toList()))
                .filter(section -> !section.cases().isEmpty())
                .toList();
        Map<String, Map<String, Verdict>> verdicts = new LinkedHashMap<>();
        for (Section section : sections) {
            for (TrustCase one : section.cases()) {
                Map<String, Verdict> row = new LinkedHashMap<>();
                for (Tool tool : tools) {
                    Verdict verdict = Trial.of(one, tool, jar);
                    row.put(tool.name(), verdict);
                    System.err.println(one.id() + "\t" + tool.name() + "\t" + verdict.text() + "\t" + verdict.detail());
                }
                verdicts.put(one.id(), row);
            }
        }
        String output = options.getOrDefault("--output", "");
        if (!output.isEmpty()) {
            List<String> missing = Tool.all().stream().filter(tool -> !tool.isInstalled()).map(Tool::name).toList();
            Files.writeString(Path.of(output),
                    new ReportPage(sections, tools, missing, verdicts, Machine.of(tools, jar)).text());
        }
    }

    // ^C must not leave mounts and stopped processes behind.
    private static void cleanUpWhenStopped(Thread main) {
        Runtime.getRuntime().addShutdownHook(Thread.ofPlatform().unstarted(() -> {
            main.interrupt();
            try {
                main.join(Duration.ofSeconds(20));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }));
    }
}
