// SPDX-License-Identifier: Apache-2.0
package org.treehaul.trust;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.core.testing.TreeAssert;
import org.treehaul.core.testing.TreeListing;
import org.treehaul.core.testing.TreeWriter;
import org.treehaul.packaged.Run;

/**
 * Trees that are too deep or too wide, few descriptors, many signals, and other processes that change the same tree.
 */
@Timeout(1800) // waiting for ever for a descriptor or a signal is one of the failures
class CrowdedTest {

    private static final List<String> FEW_DESCRIPTORS = List.of("prlimit", "--nofile=64");

    private final TestDirectory directory = TestDirectory.onTmpfs();
    private final Path s = directory.resolve("s");
    private final Path t = directory.resolve("t");

    @BeforeAll
    static void requirePrograms() {
        for (String program : List.of("perl", "prlimit")) {
            assumeTrue(Files.isExecutable(Path.of("/usr/bin", program)), program + " is not installed");
        }
    }

    @AfterEach
    void remove() {
        directory.close();
    }

    private Run sh(String script) throws Exception {
        return Run.of("sh", "-c", "cd \"$1\" && " + script, "sh", directory.path());
    }

    private void make(Path root, Consumer<TreeWriter> making) throws Exception {
        Files.createDirectories(root);
        try (TreeWriter writer = TreeWriter.in(Linux.calls(), root)) {
            making.accept(writer);
        }
    }

    private void assertCopied() {
        TreeAssert.assertThat(TreeListing.of(Linux.calls(), t)).isCopyOf(TreeListing.of(Linux.calls(), s));
    }

    @Test
    @Tag("rig")
    void aDeepAndWideTreeNeedsFewDescriptors() throws Exception {
        make(s, writer -> {
            for (int i = 0; i < 40; i++) {
                writer.file(ByteString.of("d" + i + "/x".repeat(i * 3) + "/f"), i * 1000L, i)
                        .file(ByteString.of("d" + i + "/large"), 2_700_000, i)
                        .hardLink(ByteString.of("d" + i + "/large"), ByteString.of("d" + (i + 1) % 40 + "/link"));
            }
        });
        Run.treehaulBy(FEW_DESCRIPTORS, "cp", "-a", "--threads=32", "--chunk-size=1M", "--verify", s, t).expect(0);
        assertCopied();
        Run.treehaulBy(FEW_DESCRIPTORS, "cmp", "--content", "--threads=32", s, t).expect(0);
        Run.treehaulBy(FEW_DESCRIPTORS, "walk", "--threads=16", s).expect(0);
        sh("printf 1 >> t/d39/large").expect(0);
        Run.treehaulBy(FEW_DESCRIPTORS, "cmp", "--content", "--threads=32", s, t).expect(1);
    }

    @Test
    @Tag("rig")
    void tenThousandDirectoriesInOneAnother() throws Exception {
        tenThousandDirectories(List.of("prlimit", "--nofile=1024"));
    }

    @Tag("campaign") // each directory that is left is opened again from the root, or nearly so
    @Test
    void tenThousandDirectoriesInOneAnotherWithFewDescriptors() throws Exception {
        tenThousandDirectories(FEW_DESCRIPTORS);
    }

    private void tenThousandDirectories(List<String> limited) throws Exception {
        // A call accepts no path of this length: each directory is made from inside the previous one.
        sh("mkdir s && perl -e 'chdir \"s\"; for (1 .. 10000) { mkdir \"d\" or die $!; chdir \"d\" or die $!; } "
                + "open(F, \">f\"); print F \"deep\"; close F'").expect(0);
        assertThat(Run.treehaulBy(limited, "walk", s).expect(0).out()).containsPattern("entries +10,002\n");
        Run.treehaulBy(limited, "cp", "-a", s, t).expect(0);
        assertThat(sh("perl -e 'chdir \"t\"; for (1 .. 10000) { chdir \"d\" or die \"$_ $!\"; } "
                + "open(F, \"<f\") or die $!; print <F>'").expect(0).out()).isEqualTo("deep");
        Run.treehaulBy(limited, "cmp", "--content", s, t).expect(0);
        sh("perl -e 'chdir \"t\"; for (1 .. 10000) { chdir \"d\" or die $!; } open(F, \">f\"); print F \"DEEP\"; "
                + "close F'").expect(0);
        assertThat(Run.treehaul("cmp", "--content", "--ignore=times", s, t).expect(1).out())
                .contains("/f: content differs");
    }

    @Test
    void signalsThatComeOftenDisturbNothing() throws Exception {
        make(s, writer -> {
            for (int i = 0; i < 150; i++) {
                writer.file(ByteString.of("d" + i % 7 + "/f" + i), i * 3000L, i);
            }
        });
        // Signals go to the process and to each of its threads, so that they interrupt calls in every thread.
        String storm = """
                my $pid = fork // die;
                if (!$pid) { exec @ARGV or die }
                sub caught { open(F, "/proc/$pid/status") or return 0; local $/; my $s = <F>; $s =~ /SigCgt:\\s*(\\w+)/;
                    return hex(substr($1, -8)) & 1 << 27 }
                my $n = 0;
                use POSIX ();
                until (waitpid($pid, POSIX::WNOHANG())) {
                    if ($n || caught()) { kill 'USR1', map { m,(\\d+)$, } $pid, glob("/proc/$pid/task/*"); $n++ }
                    select(undef, undef, undef, 0.0005);
                }
                print STDERR "storm $n\\n";
                exit($? & 127 ? 128 : $? >> 8);
                """;
        Path script = Files.writeString(directory.resolve("storm.pl"), storm);
        Run run = Run.treehaulBy(List.of("perl", script), "cp", "-a", "--bandwidth=40M", "--threads=4", s, t).expect(0);
        assertThat(run.err()).containsPattern("storm [1-9]");
        assertCopied();
        Run.treehaulBy(List.of("perl", script), "cmp", "--content", "--threads=4", s, t).expect(0);
    }

    @Test
    void twoProcessesThatCopyTheSameEndRight() throws Exception {
        copyTheSame(1);
    }

    @Test
    @Tag("rig")
    void twoProcessesThatCopyTheSameTimeAndAgainEndRight() throws Exception {
        copyTheSame(4);
    }

    private void copyTheSame(int rounds) throws Exception {
        for (int round = 0; round < rounds; round++) {
            String tree = "r" + round;
            make(s, writer -> {
                for (int i = 0; i < 60; i++) {
                    ByteString file = ByteString.of(tree + i % 5 + "/f" + i);
                    writer.file(file, i % 6 == 0 ? 400_000 : 2000, i)
                            .hardLink(file, ByteString.of(tree + "links/" + i))
                            .symlink(ByteString.of(tree + "links/s" + i), ByteString.of("x" + i));
                }
                writer.file(ByteString.of(tree + "/large"), 5_000_000, 1);
            });
            assertThat(together(List.of("cp", "-aT", "--chunk-size=1M", s.toString(), t.toString()),
                    List.of("cp", "-aT", "--chunk-size=1M", s.toString(), t.toString()))).containsExactly(0, 0);
            assertCopied();
        }
    }

    @Test
    void eachNameOfTwoEqualSourcesIsCopiedWholeFromOne() throws Exception {
        copyEqualSources(1);
    }

    @Test
    @Tag("rig")
    void eachNameOfTwoEqualSourcesIsCopiedWholeFromOneTimeAndAgain() throws Exception {
        copyEqualSources(4);
    }

    private void copyEqualSources(int rounds) throws Exception {
        Path other = directory.resolve("other");
        for (Path root : List.of(s, other)) {
            make(root, writer -> {
                for (int i = 0; i < 60; i++) {
                    writer.file(ByteString.of("d" + i % 5 + "/f" + i), i % 4 == 0 ? 3_000_000 : 2000 + i,
                            root.hashCode() + i);
                }
            });
        }
        for (int round = 0; round < rounds; round++) {
            assertThat(together(List.of("cp", "-aT", "--chunk-size=1M", s.toString(), t.toString()),
                    List.of("cp", "-aT", "--chunk-size=1M", other.toString(), t.toString()))).containsExactly(0, 0);
            TreeListing one = TreeListing.of(Linux.calls(), s);
            TreeListing two = TreeListing.of(Linux.calls(), other);
            TreeListing.of(Linux.calls(), t).byPath().forEach((path, entry) -> {
                String name = path.toString();
                if (name.contains("/f")) {
                    assertThat(entry.content()).as(name)
                            .isIn(one.find(name).orElseThrow().content(), two.find(name).orElseThrow().content());
                }
                assertThat(name).doesNotContain(".treehaul-");
            });
        }
    }

    private static List<Integer> together(List<String> one, List<String> two) throws Exception {
        List<Process> processes = new ArrayList<>();
        List<Integer> codes = new ArrayList<>();
        try {
            for (List<String> arguments : List.of(one, two)) {
                processes.add(new ProcessBuilder(Run.command(List.of(), Run.JAR, arguments.toArray())).inheritIO()
                        .redirectError(ProcessBuilder.Redirect.DISCARD)
                        .start());
            }
            for (Process process : processes) {
                codes.add(process.waitFor());
            }
        } finally {
            processes.forEach(Process::destroyForcibly);
        }
        return codes;
    }

    @Tag("campaign")
    @Test
    void aDirectoryOfAMillionFilesIsCopiedAndComparedWithLittleMemory() throws Exception {
        sh("mkdir s && perl -e 'for (1 .. 1000000) { open(F, \">s/$_\") or die $!; close F }'").expect(0);
        List<Object> small = List.of(Run.JAVA, "-Xmx256m", "-jar", Run.JAR);
        for (List<Object> arguments : List.of(List.<Object>of("cp", "-a", s, t), List.<Object>of("cmp", s, t))) {
            List<Object> command = new ArrayList<>(small);
            command.addAll(arguments);
            Run.of(command.toArray()).expect(0);
        }
        assertThat(sh("find t | wc -l").out().trim()).isEqualTo("1000001");
        sh("rm t/777777 && touch t/more").expect(0);
        assertThat(Run.treehaul("cmp", "--ignore=times", s, t).expect(1).out().lines())
                .containsExactlyInAnyOrder("777777: only in " + s + " (regular)", "more: only in " + t + " (regular)");
    }
}
