// SPDX-License-Identifier: Apache-2.0
package org.treehaul.packaged;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.treehaul.core.testing.Privilege;
import org.treehaul.tuplespace.PostgresServer;

/** The package that {@code ./package} makes: it needs no Java, may be anywhere, and writes nothing. */
@Tag("rig")
class PackageTest {
    private static Path archive;
    private static Path unpacked;

    @TempDir
    Path dir;

    /** Where a package is, and how it came there. */
    enum Place {
        UNPACKED,
        MOVED_TO_A_NAME_WITH_BLANKS,
        COPIED_WITHOUT_TIMES,
        OF_ANOTHER_USER,
        READ_ONLY_AND_SO_IS_HOME
    }

    @BeforeAll
    static void makeThePackage() throws Exception {
        Optional<Path> script = Installation.script();
        assumeTrue(script.isPresent(), "this Java has no jlink");
        unpacked = script.get().resolve("../..").normalize();
        archive = Installation.archive();
    }

    @Test
    @Tag("happy-path")
    void theLinksOfItsDocumentationLeadToFilesOfThePackage() throws IOException {
        Pattern link = Pattern.compile("\\]\\(([^)#:]+)(#[^)]*)?\\)");
        Path documents = unpacked.resolve("share/doc/treehaul");
        List<Path> pages;
        try (Stream<Path> files = Files.walk(documents)) {
            pages = files.filter(file -> file.toString().endsWith(".md")).toList();
        }
        assertThat(pages).hasSizeGreaterThan(60);
        for (Path page : pages) {
            Matcher found = link.matcher(Files.readString(page));
            while (found.find()) {
                assertThat(page.resolveSibling(found.group(1)).normalize()).as(page.toString()).exists();
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void itRunsWithItsArchiveInARootWithoutJavaAndWritesNothing(Place place) throws Exception {
        Privilege.requireCapability(Privilege.SYS_ADMIN, "mount and chroot");
        Path root = emptyRoot();
        Path opt = Files.createDirectory(root.resolve("opt"));
        Path home = opt.resolve("treehaul");
        if (place == Place.COPIED_WITHOUT_TIMES) {
            Run.of("cp", "-r", unpacked, home).expect(0);
        } else {
            link(home);
        }
        if (place == Place.MOVED_TO_A_NAME_WITH_BLANKS) {
            home = Files.move(home, opt.resolve("tree  haul"));
        }
        Path data = root.resolve("data");
        Files.writeString(Files.createDirectories(data.resolve("source")).resolve("f"), "content");
        Run.of("chmod", "a+w", data).expect(0);
        Map<String, String> before = state(root);

        Path script = Path.of("/").resolve(root.relativize(home)).resolve("bin/treehaul");
        inRoot(root, place, script, "cp", "-aT", "--verify", "/data/source", "/data/copy").expect(0);
        assertThat(data.resolve("copy/f")).hasContent("content");
        // SQLite has native code.
        assertThat(inRoot(root, place, script, "index", "--space", "/data/space", "/data/copy").expect(0).err())
                .contains("2 new");

        assertThat(state(root)).isEqualTo(before);
    }

    @Test
    void itsRuntimeHasTheModulesForAServerOfPostgresql() throws Exception {
        try (PostgresServer server = PostgresServer.start("fsync=off")) {
            server.run("CREATE ROLE secret LOGIN PASSWORD 'swordfish'");
            server.run("GRANT CREATE ON DATABASE postgres TO secret");
            Map<String, String> environment = Map.of("PATH", "/usr/bin:/bin", "PGPASSWORD", "swordfish",
                    "TREEHAUL_SPACE", "postgresql://secret@127.0.0.1:" + server.port() + "/postgres?schema=files");
            Path program = unpacked.resolve("bin/treehaul");
            Files.createFile(dir.resolve("f"));
            assertThat(Run.of(environment, program, "index", dir).expect(0).err()).contains("2 new");
            Files.createFile(dir.resolve("g"));
            assertThat(Run.of(environment, program, "index").expect(0).err()).contains("1 new, 1 changed");
            assertThat(Run.of(environment, program, "query", "--below", dir, "kind=regular").expect(0).out().lines())
                    .containsExactlyInAnyOrder("f", "g");
        }
    }

    @Test
    void itsRuntimeHasTheModulesForServersOfSegments() throws Exception {
        assumeTrue(Run.of("sh", "-c", "command -v openssl").code() == 0, "no openssl");
        // As in the guide.
        Run.of("sh", "-c", """
                cd "$0" && umask 077 && head -c 32 /dev/urandom | base64 > secret &&
                openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=run7 \\
                    -keyout key -out certificate
                """, dir).expect(0);
        Map<String, String> environment = Map.of("PATH", "/usr/bin:/bin");
        String program = unpacked.resolve("bin/treehaul").toString();
        Process server = new ProcessBuilder(program, "serve", "--directory", "segments", "--listen", "127.0.0.1:0",
                "--secret-file", "secret", "--tls-cert", "certificate", "--tls-key", "key").directory(dir.toFile())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try {
            String line = server.inputReader().readLine();
            assertThat(line).startsWith("serving ");
            // Without its directory, the server is reached over the network only.
            Files.move(dir.resolve("segments"), dir.resolve("moved"));
            Files.writeString(Files.createDirectory(dir.resolve("tree")).resolve("f"), "content");
            Path space = dir.resolve("space");
            Path secret = dir.resolve("secret");
            Run.of(environment, program, "stage", "in", "--space", space, "--secret-file", secret, "--tls",
                    "--add-servers", line.substring(line.lastIndexOf(' ') + 1), dir.resolve("tree"), "job:").expect(0);
            Run.of(environment, program, "stage", "out", "--space", space, "--secret-file", secret, "--tls", "job:",
                    dir.resolve("back")).expect(0);
            assertThat(dir.resolve("back/f")).hasContent("content");
        } finally {
            server.destroyForcibly().waitFor();
        }
    }

    @Test
    @Tag("happy-path")
    void aStartOpensFewFilesOfThePackageAndNotItsJar() throws Exception {
        assumeTrue(Run.of("sh", "-c", "command -v strace").code() == 0, "no strace");
        Path trace = dir.resolve("trace");
        Run.of(Map.of("PATH", "/usr/bin:/bin"), "strace", "-f", "-qq", "-e", "trace=open,openat", "-o", trace,
                unpacked.resolve("bin/treehaul"), "walk", dir).expect(0);
        Set<String> opened = new TreeSet<>();
        Pattern.compile("\"" + Pattern.quote(unpacked.toString()) + "/([^\"]*)\".* = [0-9]+")
                .matcher(Run.read(trace))
                .results()
                .forEach(found -> opened.add(found.group(1).replaceAll("[^/]+/\\.\\./", "")));
        assertThat(opened).contains("lib/treehaul/treehaul-trees.aot", "lib/treehaul/runtime/lib/modules")
                .doesNotContain("lib/treehaul/treehaul.jar")
                .hasSizeLessThanOrEqualTo(14);
    }

    @Test
    void aStartMakesHardlyAnyClassForMethodHandles() throws Exception {
        Map<String, String> environment = Map.of("PATH", "/usr/bin:/bin", "JDK_JAVA_OPTIONS",
                "-Djava.lang.invoke.MethodHandle.TRACE_RESOLVE=true");
        Path program = unpacked.resolve("bin/treehaul");
        Path source = Files.createDirectory(dir.resolve("source"));
        for (List<Object> line : List.of(List.<Object>of(program, "find", source),
                List.<Object>of(program, "cp", "-r", source, dir.resolve("copy")))) {
            List<String> forms = Run.of(environment, line.toArray())
                    .expect(0)
                    .out()
                    .lines()
                    .filter(printed -> printed.contains("_RESOLVE]"))
                    .toList();
            assertThat(forms).hasSizeGreaterThan(10);
            assertThat(forms).filteredOn(form -> form.endsWith("(fail)") || form.endsWith("(generated)"))
                    .hasSizeLessThan(3);
        }
    }

    @Test
    void aLinkOnThePathStartsIt() throws Exception {
        Path link = Files.createSymbolicLink(Files.createDirectory(dir.resolve("bin")).resolve("treehaul"),
                unpacked.resolve("bin/treehaul"));
        Run run = Run
                .of(Map.of("PATH", link.getParent() + ":/usr/bin:/bin", "JAVA_HOME", "/nonexistent"), "sh", "-c",
                        "treehaul --version")
                .expect(0);
        assertThat(run.out()).startsWith("treehaul ");
        assertThat(run.err()).isEmpty();
    }

    @Test
    @Tag("happy-path")
    void jobsRunTheProgramInTheRuntimeWithItsArchive() throws Exception {
        String log = copyByJobs(unpacked, ":", " -XX:AOTMode=on");
        assertThat(log).contains("-XX:AOTCache=" + unpacked.resolve("lib/treehaul/treehaul.aot"))
                .doesNotContain("limit-modules");
        // The worker has finished the transfer, so that the finishing job starts no JVM, which would print its options.
        assertThat(logs("finish")).containsExactly("treehaul: finish: a worker has finished the transfer\n");
    }

    @Test
    void jobsWhoseInstallationWasReplacedRunTheProgramThatSubmittedThem() throws Exception {
        Path home = dir.resolve("home");
        link(home);
        Path sums = home.resolve("lib/treehaul/SHA256SUMS");
        String log = copyByJobs(home, "rm -f " + sums + "; echo others > " + sums, "");
        assertThat(log).doesNotContain("-XX:AOTCache=").contains("worker: ");
    }

    /** Copies by a job and returns its log, in which the JVM prints its options. */
    private String copyByJobs(Path home, String before, String options) throws Exception {
        Files.writeString(Files.createDirectory(dir.resolve("source")).resolve("f"), "content");
        Run.of(Map.of("PATH", "/usr/bin:/bin", "HOME", dir.toString(), "JDK_JAVA_OPTIONS",
                "-XX:+PrintCommandLineFlags" + options), home.resolve("bin/treehaul"), "cp", "-aT", "--scheduler",
                "local", "--jobs", "1", "--wait", "--pre", before, "--state-dir", dir.resolve("state"),
                dir.resolve("source"), dir.resolve("copy")).expect(0);
        assertThat(dir.resolve("copy/f")).hasContent("content");
        return String.join("", logs("worker"));
    }

    private List<String> logs(String phase) throws IOException {
        try (Stream<Path> files = Files.walk(dir.resolve("state"))) {
            return files.filter(file -> file.toString().matches(".*/log/.*" + phase + ".*")).map(Run::read).toList();
        }
    }

    @Test
    @Tag("happy-path")
    void itHasAManualPageForTheProgramAndForEachCommand() throws Exception {
        Path pages = unpacked.resolve("share/man/man1");
        Run.of(Map.of("PATH", "/usr/bin:/bin", "SOURCE_DATE_EPOCH", "1700000000"), unpacked.resolve("bin/treehaul"),
                "man", "--output", dir).expect(0);
        try (Stream<Path> expected = Files.list(dir); Stream<Path> packaged = Files.list(pages)) {
            List<Path> names = expected.map(Path::getFileName).sorted().toList();
            assertThat(packaged.map(Path::getFileName).sorted()).containsExactlyElementsOf(names)
                    .contains(Path.of("treehaul.1"), Path.of("treehaul-cp.1"), Path.of("treehaul-status.1"));
            for (Path name : names) {
                assertThat(pages.resolve(name)).hasSameTextualContentAs(dir.resolve(name));
            }
        }
    }

    @Test
    void manFindsItsPagesBesideTheProgram() throws Exception {
        assumeTrue(Run.of("sh", "-c", "man -w sh || man -w man").code() == 0, "no man, or no pages");
        Run run = Run.of(Map.of("PATH", "/usr/bin:/bin", "MANPATH", unpacked.resolve("share/man").toString(), "PAGER",
                "cat", "MANPAGER", "cat", "LC_ALL", "C"), "man", "treehaul-cp").expect(0);
        assertThat(run.out().replaceAll(".\b", "")).contains("treehaul-cp - copy files and trees", "--verify");
    }

    @Test
    void aDirectoryWithoutModulesIsRefused() throws Exception {
        Run run = Run.of(Map.of("PATH", "/usr/bin:/bin", "JAVA_HOME", System.getProperty("java.home"),
                "SOURCE_DATE_EPOCH", "1700000000"), Run.ROOT.resolve("package"), "--jar", Run.JAR, "--jmods", dir)
                .expect(2);
        assertThat(run.err()).contains("there is no " + dir.toRealPath() + "/java.base.jmod",
                "jmods of a JDK for Linux");
    }

    @Test
    @Tag("happy-path")
    void everyFileHasTheSameOwnerAndTime() throws Exception {
        Run run = Run
                .of(Map.of("PATH", "/usr/bin:/bin", "TZ", "UTC", "LC_ALL", "C"), "tar", "-tvzf", archive,
                        "--numeric-owner", "--full-time")
                .expect(0);
        assertThat(run.out().lines()).hasSizeGreaterThan(20)
                .allMatch(line -> line.matches("[-dl]rw[-x]r-[-x]r-[-x] 0/0 +\\d+ 2023-11-14 22:13:20 .*"));
    }

    /** Links the files of the package, which takes no space, or copies them if they are on another file system. */
    private static void link(Path home) throws Exception {
        if (Run.of("cp", "-al", unpacked, home).code() != 0) {
            Run.of("rm", "-rf", home).expect(0);
            Run.of("cp", "-a", unpacked, home).expect(0);
        }
    }

    /** Makes a root that contains a shell and the libraries that it and a JVM need, and nothing else. */
    private Path emptyRoot() throws Exception {
        Path root = Files.createDirectory(dir.resolve("root"));
        Path runtime = unpacked.resolve("lib/treehaul/runtime");
        Path shell = Path.of("/bin/sh").toRealPath();
        Set<String> libraries = new TreeSet<>();
        for (Path program : List.of(shell, runtime.resolve("bin/java"), runtime.resolve("lib/server/libjvm.so"),
                runtime.resolve("lib/libsqlitejdbc.so"))) {
            Pattern.compile("/[^ ]+").matcher(Run.of("ldd", program).out()).results().forEach(found -> {
                if (!found.group().startsWith(unpacked.toString())) {
                    libraries.add(found.group());
                }
            });
        }
        for (String library : libraries) {
            Path copy = root.resolve(library.substring(1));
            Files.createDirectories(copy.getParent());
            Files.copy(Path.of(library).toRealPath(), copy);
        }
        Files.createDirectory(root.resolve("bin"));
        Files.copy(shell, root.resolve("bin/sh"));
        Files.createDirectory(root.resolve("proc"));
        return root;
    }

    /** Runs a command in the root. A JVM that cannot use its archive of classes does not start. */
    private static Run inRoot(Path root, Place place, Path script, Object... arguments) throws Exception {
        String mounts = """
                root=$0 place=$1 PATH=$PATH:/usr/sbin:/sbin
                shift
                mount --bind "$root" "$root" && mount -t proc proc "$root/proc" || exit 99
                case $place in
                    READ_ONLY*)
                        mount --bind "$root/opt" "$root/opt" && mount -o remount,bind,ro "$root/opt" || exit 99
                        ! (: > "$root/opt/new") 2> /dev/null || exit 99
                        set -- HOME=/opt "$(command -v chroot)" "$root" "$@"
                        ;;
                    OF_ANOTHER_USER) set -- "$(command -v chroot)" --userspec=65534:65534 "$root" "$@" ;;
                    *) set -- "$(command -v chroot)" "$root" "$@" ;;
                esac
                exec env -i JDK_JAVA_OPTIONS=-XX:AOTMode=on "$@"
                """;
        return Run.of(Stream
                .concat(Stream.of("unshare", "-m", "--propagation", "private", "sh", "-c", mounts, root, place, script),
                        Stream.of(arguments))
                .toArray());
    }

    /** Returns what identifies each file outside of {@code data}. */
    private static Map<String, String> state(Path root) throws IOException {
        Map<String, String> state = new TreeMap<>();
        try (Stream<Path> files = Files.walk(root)) {
            for (Path file : (Iterable<Path>) files::iterator) {
                if (!file.startsWith(root.resolve("data"))) {
                    state.put(
                            root.relativize(file).toString(), Files
                                    .readAttributes(file, "unix:mode,size,ino,lastModifiedTime,ctime",
                                            LinkOption.NOFOLLOW_LINKS)
                                    .toString());
                }
            }
        }
        return state;
    }
}
