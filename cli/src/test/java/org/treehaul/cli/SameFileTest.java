// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.treehaul.cli.copy.CpCommand;
import org.treehaul.core.copy.CopyArguments;
import org.treehaul.core.copy.CopyLayout;
import org.treehaul.core.copy.CopyRefusedException;
import org.treehaul.core.copy.TreeCopier;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.Timestamp;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.core.testing.TreeWriter;
import picocli.CommandLine;

/**
 * Copies each of a set of files, hard links and symbolic links onto each other, with GNU cp and with treehaul, and
 * compares what is there afterwards: no combination may lose data that GNU cp keeps.
 */
class SameFileTest {

    // foo and hard are one file, and so are link and hardlink.
    private static final List<String> NAMES = List.of("foo", "hard", "link", "hardlink", "link2", "chain", "bar",
            "linkbar", "dangling", "loop", "absent");

    private final TestDirectory directory = TestDirectory.onTmpfs();

    private record Case(String from, String to) {
        @Override
        public String toString() {
            return from + " " + to;
        }
    }

    @AfterEach
    void remove() {
        directory.close();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"--in-place", "-f --in-place", "-P --in-place", "-L --in-place", "-H --in-place",
                    "-rP --in-place", "-d", "-a", "-df", "-du", "-af", "-aL", "-aH", "-n", "-dn",
                    "--remove-destination", "-d --remove-destination", "-a --remove-destination",
                    "-L --remove-destination", "-H --remove-destination", "-d --in-place", "-a --in-place",
                    "-a --verify"})
    void noFileIsLostThatGnuCpKeeps(String options) throws Exception {
        Map<Case, String> theirs = gnu(options);
        CommandLine all = CommandLines.all();
        all.parseArgs(("cp " + options).split(" +"));
        CpCommand command = Objects.requireNonNull(all.getSubcommands().get("cp")).getCommand();
        List<String> different = new ArrayList<>();
        for (Map.Entry<Case, String> one : theirs.entrySet()) {
            String ours = ours(command, one.getKey());
            if (!ours.equals(one.getValue()) && !isStated(options, one.getKey(), one.getValue(), ours)) {
                different.add(options + " " + one.getKey() + "\n  gnu  " + one.getValue() + "\n  ours " + ours);
            }
        }
        assertThat(different).isEmpty();
    }

    // The differences that the guide lists: -n keeps every existing entry, and nothing is unlinked before the source is
    // open.
    private static boolean isStated(String options, Case one, String theirs, String ours) {
        if (options.contains("n") && (one.to.equals("dangling") || one.to.equals("loop"))
                && !options.contains("remove")) {
            return ours.equals(theirs.replace("failed ", "done   "));
        }
        return options.contains("--remove-destination") && theirs.startsWith("failed ")
                && !theirs.contains(" " + one.to + "=") && ours.contains(" " + one.to + "=");
    }

    private Map<Case, String> gnu(String options) throws Exception {
        String line = options.replace("--in-place", "").replace("--verify", "");
        StringBuilder script = new StringBuilder();
        Map<Case, Path> places = new HashMap<>();
        for (Case one : cases()) {
            Path place = make();
            places.put(one, place);
            script.append("cd ")
                    .append(place)
                    .append(" && { cp ")
                    .append(line)
                    .append(' ')
                    .append(one)
                    .append(" 2>/dev/null; echo $?; }\n");
        }
        Process cp = new ProcessBuilder("sh").redirectError(ProcessBuilder.Redirect.INHERIT).start();
        cp.getOutputStream().write(script.toString().getBytes(StandardCharsets.UTF_8));
        cp.getOutputStream().close();
        List<String> codes = new String(cp.getInputStream().readAllBytes(), StandardCharsets.UTF_8).lines().toList();
        Map<Case, String> states = new HashMap<>();
        List<Case> cases = cases();
        for (int i = 0; i < cases.size(); i++) {
            Path place = Objects.requireNonNull(places.get(cases.get(i)));
            states.put(cases.get(i), (codes.get(i).equals("0") ? "done   " : "failed ") + state(place));
        }
        return states;
    }

    private static List<Case> cases() {
        return NAMES.stream().flatMap(from -> NAMES.stream().map(to -> new Case(from, to))).toList();
    }

    private String ours(CpCommand command, Case one) throws IOException {
        Path place = make();
        List<ByteString> operands = Stream.of(one.from, one.to)
                .map(name -> ByteString.of(place.resolve(name).toString()))
                .toList();
        return (copies(command, command.input.arguments(operands)) ? "done   " : "failed ") + state(place);
    }

    private static boolean copies(CpCommand command, CopyArguments arguments) {
        FileSystemCalls calls = Linux.calls();
        CopyOptions asked = command.input.options();
        try {
            CopyLayout layout = CopyLayout.of(calls, arguments, asked);
            return layout.failures().isEmpty() && TreeCopier.of(calls, layout.adapt(asked)).copy(layout.pairs(), e -> {
            }, new Progress(), new Cancellation()).isSuccess();
        } catch (CopyRefusedException e) {
            return false;
        }
    }

    private Path make() throws IOException {
        Path place = Files.createTempDirectory(directory.path(), "t");
        Files.writeString(place.resolve("foo"), "data");
        Files.createLink(place.resolve("hard"), place.resolve("foo"));
        Files.createSymbolicLink(place.resolve("link"), Path.of("foo"));
        Files.createLink(place.resolve("hardlink"), place.resolve("link"));
        Files.createSymbolicLink(place.resolve("link2"), Path.of("foo"));
        Files.createSymbolicLink(place.resolve("chain"), Path.of("link"));
        Files.writeString(place.resolve("bar"), "other");
        Files.createSymbolicLink(place.resolve("linkbar"), Path.of("bar"));
        Files.createSymbolicLink(place.resolve("dangling"), Path.of("nothing"));
        Files.createSymbolicLink(place.resolve("loop"), Path.of("loop"));
        try (TreeWriter writer = TreeWriter.in(Linux.calls(), place)) {
            NAMES.stream()
                    .filter(name -> !name.equals("absent"))
                    .forEach(name -> writer.times(ByteString.of(name), new Timestamp(1000, 0)));
        }
        return place;
    }

    // Each name with its kind and content, and the first name of the same inode.
    private static String state(Path place) throws IOException {
        Map<String, String> state = new TreeMap<>();
        Map<Object, String> first = new HashMap<>();
        try (Stream<Path> names = Files.list(place).sorted()) {
            for (Path path : names.toList()) {
                String name = path.getFileName().toString();
                String content = Files.isSymbolicLink(path)
                        ? "->" + Files.readSymbolicLink(path)
                        : "=" + Files.readString(path);
                Object inode = Files.getAttribute(path, "unix:ino", LinkOption.NOFOLLOW_LINKS);
                String other = first.putIfAbsent(inode, name);
                state.put(name, content + (other == null ? "" : "(" + other + ")"));
            }
        }
        return state.toString();
    }
}
