// SPDX-License-Identifier: Apache-2.0
package org.treehaul.figures;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.treehaul.bench.ThesisCopies;
import org.treehaul.bench.ThesisCopies.ByJobs;
import org.treehaul.bench.ThesisCopies.Jobs;
import org.treehaul.bench.ThesisCopies.Raced;
import org.treehaul.bench.ThesisCopies.Ranks;
import org.treehaul.bench.ThesisCopies.Time;
import org.treehaul.bench.ThesisRuns;
import org.treehaul.bench.ThesisSet;
import org.treehaul.nodes.Application;
import org.treehaul.nodes.CaseTimes;
import org.treehaul.nodes.FileJob;
import org.treehaul.nodes.FileTimes;
import org.treehaul.schedulers.stage.net.ServerSettings;
import picocli.CommandLine;

/** Makes every figure: the computed ones by the command, the measured ones from given measurements. */
class FiguresTest {

    private static final String SMALL = "0.001";

    @TempDir
    static Path made = Path.of("");

    @TempDir
    Path directory = Path.of("");

    static List<Figure> computed() {
        return Figures.all().stream().filter(figure -> figure.kind() == Figure.Kind.COMPUTED).toList();
    }

    static List<Figure> measured() {
        return Figures.all().stream().filter(figure -> figure.kind() == Figure.Kind.MEASURED).toList();
    }

    @BeforeAll
    static void makeTheComputedFigures() {
        List<String> words = new ArrayList<>(
                List.of("--scale", SMALL, "--output", made.toString(), "--page", made.resolve("page.md").toString()));
        computed().forEach(figure -> words.add(figure.name()));
        assertThat(new CommandLine(new Figures()).execute(words.toArray(String[]::new))).isZero();
    }

    private static String refused(String... arguments) {
        StringWriter error = new StringWriter();
        int code = new CommandLine(new Figures()).setErr(new PrintWriter(error)).execute(arguments);
        assertThat(code).as(error.toString()).isEqualTo(2);
        return error.toString();
    }

    @Test
    void thereIsEveryFigureAndTableOfThePapers() {
        List<String> names = Figures.all().stream().map(Figure::name).toList();

        assertThat(names).doesNotHaveDuplicates()
                .contains("lafon-1", "lafon-2", "lafon-3", "lafon-3a", "lafon-3b", "lafon-4", "lafon-5", "lafon-6",
                        "lafon-6a", "lafon-6b", "lafon-6c", "lafon-6d");
        for (int table = 1; table <= 15; table++) {
            assertThat(names).contains("nuss-table-3." + table);
        }
        for (int figure = 1; figure <= 13; figure++) {
            assertThat(names).contains("nuss-figure-3." + figure);
        }
        for (int figure = 8; figure <= 13; figure++) {
            assertThat(names).contains("liu-" + figure, "liu-" + figure + "-measured");
        }
        for (int figure = 14; figure <= 54; figure++) {
            assertThat(names).contains("yang-3." + figure);
        }
        assertThat(new CommandLine(new Figures()).execute("--list")).isZero();
    }

    @ParameterizedTest
    @MethodSource("computed")
    void aComputedFigureIsMadeAsAPictureAndATable(Figure figure) throws IOException {
        FigureFiles.check(figure, made);
    }

    @ParameterizedTest
    @MethodSource("measured")
    void aMeasuredFigureIsMadeAsAPictureAndATable(Figure figure) throws Exception {
        Drawing drawing = figure.draw(given());
        Files.writeString(directory.resolve(figure.name() + ".csv"), drawing.table(figure.columns()));
        Files.writeString(directory.resolve(figure.name() + ".svg"), drawing.picture(figure.caption()));

        FigureFiles.check(figure, directory);
        assertThat(directory.resolve(figure.name() + ".svg")).content()
                .contains("Measured on one machine", "a processor");
    }

    // Ranks take half of the time of cp, jobs the time of cp divided by their number.
    private static Results given() throws Exception {
        Results results = new Results(settings(), 4);
        results.once("machine", () -> Map.of("processor", "a processor"));
        for (ThesisSet set : ThesisSet.values()) {
            Map<String, Time> tools = new LinkedHashMap<>(Map.of("cp -a", new Time(2, 1.9, 2.1, "")));
            tools.put("rsync -a", new Time(4, 3.9, 4.1, ""));
            Map<Ranks, Time> ranks = new LinkedHashMap<>();
            PctTable.configurations(set, 4).forEach(one -> ranks.put(one, new Time(1, 0.9, 1.1, "")));
            results.once("raced " + set, () -> new Raced(tools, ranks, List.of("xcp")));
            Map<Integer, Jobs> jobs = new TreeMap<>();
            for (int number = 1; number <= 4; number++) {
                jobs.put(number, new Jobs(0.1, 0.1, 0.2, 0.4, 1.0 / number, 2.0 / number));
            }
            results.once("jobs " + set, () -> new ByJobs(new Time(2, 1.9, 2.1, ""), jobs));
            results.once("profile " + set, () -> List.of(Map.of("rank", "0"), rank("1", 100, 10), rank("2", 300, 30)));
        }
        for (IoRuns.Run run : YangIoFigures.runs()) {
            Map<IoRuns.Interface, Double> found = new EnumMap<>(IoRuns.Interface.class);
            run.interfaces().forEach(by -> found.put(by, switch (by) {
                case DIRECT -> 10.0;
                case LOCAL_FILE -> 20.0;
                case ORANGEFS_FILE -> 30.0;
                case PXFS_FILE -> 40.0;
            }));
            results.once(run.key(), () -> found);
        }
        results.once("npfs files", () -> npfsFiles(results));
        results.once("npfs cases", () -> List.of(npfsCases(4), npfsCases(8)));
        for (LiuRuns.Run run : LiuMeasured.runs()) {
            Map<LiuModel.Order, Double> seconds = Map.of(LiuModel.Order.NIO, 4.0, LiuModel.Order.SIO, 3.0,
                    LiuModel.Order.HIO, 2.0);
            results.once(run.key(), () -> new LiuRuns.Outcome(seconds, seconds, 10));
        }
        for (int large : LiuMeasured.large()) {
            for (ServerSettings.Order order : ServerSettings.Order.values()) {
                results.once(TransferRuns.key(large, order), () -> new TransferRuns.Outcome(1 + large, 2));
            }
        }
        return results;
    }

    // A server has 10 MB in a second, the link of the client as much if it is limited.
    private static List<NpfsRuns.Throughput> npfsFiles(Results results) {
        List<NpfsRuns.Throughput> all = new ArrayList<>();
        for (boolean isClientLimited : new boolean[]{true, false}) {
            for (NpfsRuns.Curve curve : List.of(new NpfsRuns.Curve("npfs", 1), new NpfsRuns.Curve("npfs", 8),
                    new NpfsRuns.Curve("remote", 1), new NpfsRuns.Curve("local", 0))) {
                double rate = 1e7 * (isClientLimited ? 1 : Math.max(1, curve.servers()));
                all.add(new NpfsRuns.Throughput(isClientLimited, curve,
                        NpfsRuns.fileSizes(results)
                                .stream()
                                .map(size -> new FileTimes(
                                        new FileJob("/", curve.servers(), false, size, NpfsRuns.bytes(results, size)),
                                        List.of(rate), List.of(rate)))
                                .toList()));
            }
        }
        return all;
    }

    // Case B was not measured; C and D divide the time of A by half of the servers, and by all.
    private static CaseTimes npfsCases(int servers) {
        Map<Application.Case, Map<Integer, Double>> seconds = new EnumMap<>(Application.Case.class);
        for (int size : NpfsRuns.SIZES) {
            seconds.computeIfAbsent(Application.Case.A, one -> new TreeMap<>()).put(size, 8.0);
            seconds.computeIfAbsent(Application.Case.C, one -> new TreeMap<>()).put(size, 16.0 / servers);
            seconds.computeIfAbsent(Application.Case.D, one -> new TreeMap<>()).put(size, 8.0 / servers);
        }
        return new CaseTimes(servers, 1, seconds);
    }

    private static ThesisCopies.Settings settings() {
        return new ThesisCopies.Settings(Path.of("/"), Path.of("/"), Path.of("treehaul"), 0.01, false, 3, 1, "local",
                line -> {});
    }

    private static Map<String, String> rank(String number, long waitMillis, int entries) {
        return Map.of("rank", number, "waiting_ns", waitMillis + "000000", "lasted_ns", "2000000000", "entries",
                Integer.toString(entries));
    }

    private static String table(String name) throws Exception {
        Figure figure = Figures.all().stream().filter(one -> one.name().equals(name)).findFirst().orElseThrow();
        return figure.draw(given()).table(figure.columns());
    }

    @Test
    void measurementsAreBesideThoseOfThePaper() throws Exception {
        assertThat(table("nuss-table-3.6")).contains("cp; here cp -a,1,1,7037,1.00,2.000,1.900,2.100,1.00\n",
                "pct,1,4,3737,1.88,1.000,0.900,1.100,2.00\n",
                "pct,6,4,956,7.36,not measured,not measured,not measured,not measured\n",
                "rsync -a,1,1,not printed,not printed,4.000,3.900,4.100,0.50\n",
                "xcp,1,1,not printed,not printed,not measured,not measured,not measured,not measured\n");
        assertThat(table("nuss-table-3.11")).contains("4,32,0.100,7,0.100,3636,0.250,3799,0.500,1.97,4.00\n",
                "8,41,not measured,11,not measured,2701,not measured,2771,not measured,2.71,not measured\n");
        assertThat(table("nuss-table-3.15"))
                .contains("4,239,0.200,2326,0.400,2525,0.600,1.75,3.33,2498,0.250,3139,0.500,1.41,4.00\n");
        assertThat(table("nuss-table-3.4")).contains(
                "wait for work s,54.8,66.1,58.1,91.6,96.4,92.6,0.100,0.300,0.200\n",
                "entries and pieces of 4 KiB,not printed,not printed,not printed,not printed,not printed,not printed,10,30,20\n",
                "MB copied,1151,2188,1526,608,1264,1143,not measured,not measured,not measured\n");
        assertThat(table("nuss-figure-3.5")).contains("pct,1,32,3530,1.63,not measured",
                "pct,1,2,not printed,not printed,1.000");
    }

    @Test
    void theInterfacesOfFilesAreBesideThePaper() throws Exception {
        assertThat(table("yang-3.15")).contains("1,1,1,direct,10.0,1.00,not printed\n",
                "4,6,1,pxfs_file,40.0,4.00,20\n", "4,6,4,pxfs_file,40.0,4.00,not printed\n");
        assertThat(table("yang-3.22")).contains("1,6,1,local_file,20.0,1.00,1\n",
                "4,6,1,pxfs_file,40.0,2.00,5 to 10\n");
        assertThat(table("yang-3.23")).contains("2,4,1,orangefs_file,30.0,1.50,not printed\n");
        assertThat(table("npfs-2")).contains("limited,npfs,8,65536,10.00,not printed\n",
                "not limited,npfs,8,65536,80.00,not printed\n");
        assertThat(table("npfs-5")).contains("A,4,64,8.000,not printed\n", "B,4,64,not measured,not printed\n",
                "D,8,1024,1.000,not printed\n");
        assertThat(table("npfs-6")).contains("C,8,64,4.000,not printed\n", "D,4,64,4.000,not printed\n");
        assertThat(table("yang-3.54")).contains("4,8,4,pxfs_file,40.0,1.00,not printed\n");
    }

    @Test
    void ordersOfRequestsAreBesideThePaperAndTheSimulation() throws Exception {
        assertThat(table("liu-8-measured"))
                .contains("48,4.0000,3.0000,2.0000,50.0,33.3,50.0,33.3,10,up to 34.1,up to 15.2\n");
        assertThat(table("liu-transfers")).contains("4,application,5.000,5.00,2.0,not printed\n");
    }

    @Test
    void aSetOfTheThesisIsBesideTheOneMadeHere() throws IOException {
        assertThat(made.resolve("nuss-table-3.1.csv")).content()
                .containsPattern("0 - 1KB,144703,144703,[0-9]+,145\n")
                .containsPattern("100MB - 140MB,482,482,[0-9]+,1\n");
        assertThat(made.resolve("nuss-table-3.3.csv")).content()
                .contains("540KB - 29MB,0,0,0,0\n")
                .containsPattern("1GB - 2.25GB,80,80,[0-9]+,80\n");
    }

    @ParameterizedTest
    @EnumSource
    void theSpeedUpOfAThesisRunIsThatOfItsTimes(ThesisRuns runs) {
        assertThat(runs.rows()).allSatisfy(row -> {
            if (!Double.isNaN(runs.cp())) {
                assertThat(Math.abs(runs.cp() / row.last() - row.speedUp())).isLessThan(0.006);
            }
        });
    }

    @Test
    void aPartOfAFigureHasItsRowsAndStatementsOnly() throws IOException {
        assertThat(Files.readAllLines(made.resolve("lafon-3b.csv")).stream().skip(1)).hasSize(4)
                .allSatisfy(line -> assertThat(line).startsWith("H-DRQS,"));
        assertThat(made.resolve("lafon-3b.svg")).content()
                .contains("lstat() and readdir() dominate")
                .doesNotContain("300 % in time");
    }

    @Test
    void theHierarchicalOrderOfWritesIsThatByApplication() throws IOException {
        assertThat(Files.readAllLines(made.resolve("liu-12.csv")).stream().skip(1)).hasSize(8).allSatisfy(line -> {
            String[] cells = line.split(",", -1);
            assertThat(cells[3]).isEqualTo(cells[4]).isLessThan(cells[2]);
        });
    }

    @Test
    void theSameScaleGivesTheSameBytes() throws Exception {
        Results one = new Results(settings(), 1);
        Results other = new Results(settings(), 1);
        for (String name : List.of("lafon-2", "nuss-table-3.3", "liu-8")) {
            Figure figure = Figures.all().stream().filter(all -> all.name().equals(name)).findFirst().orElseThrow();
            assertThat(figure.draw(other).picture(name)).isEqualTo(figure.draw(one).picture(name));
        }
        Figure hosts = computed().getFirst();
        Results again = new Results(new ThesisCopies.Settings(Path.of("/"), Path.of("/"), Path.of("treehaul"), 0.001,
                false, 3, 1, "local", line -> {}), 1);
        assertThat(made.resolve(hosts.name() + ".svg")).content().isEqualTo(hosts.draw(again).picture(hosts.caption()));
    }

    @Test
    void aPageHasEveryFigure() throws IOException {
        assertThat(made.resolve("page.md")).content()
                .contains("## LaFon et al., Fig. 3. Running Time Illustrations (a)", "| sizes | paper_files |",
                        "| the paper says | here |");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {"lafon-7|there is no figure or table 'lafon-7'; did you mean 'lafon-1' or", "lafon3a|'lafon-3a'",
                    "3.15|did you mean 'nuss-table-3.15' or 'yang-3.15'?", "table-3.4|'nuss-table-3.4'",
                    "zebra|there is no figure or table 'zebra'; 'src-test/figures --list' names all",
                    "nuss-figure-2.2|it is not a measurement: the help text of pct"})
    void anUnknownNameIsRefusedWithNearOnes(String name, String message) {
        assertThat(refused("--output", directory.toString(), name)).contains(message);
        assertThat(directory).isEmptyDirectory();
    }

    @ParameterizedTest
    @CsvSource({"--scale,0", "--scale,2", "--rounds,0", "--processes,0", "--scheduler,pbs"})
    void aWrongValueIsRefused(String option, String value) {
        assertThat(refused(option, value, "lafon-2")).contains(option + " takes", "not " + value);
    }

    @Test
    void aCellThatWouldNeedQuotesIsRefused() {
        assertThatThrownBy(() -> new Drawing(List.of(List.of("a,b")), List.of(), 1, List.of(), List.of()))
                .hasMessageContaining("'a,b'");
    }

    @Test
    void theListNeedsNoNewBuild() throws Exception {
        Path root = Path.of(System.getProperty("treehaul.root", ".."));
        Path scripts = Files.createDirectories(directory.resolve("src-test"));
        for (String script : List.of("bench", "figures")) {
            Files.copy(root.resolve("src-test").resolve(script), scripts.resolve(script),
                    StandardCopyOption.COPY_ATTRIBUTES);
        }
        Files.createDirectories(scripts.resolve("target"));
        Files.writeString(scripts.resolve("target/bench.classpath"), System.getProperty("java.class.path"));
        Files.writeString(Files.createDirectories(directory.resolve("cli/target")).resolve("treehaul.jar"), "");
        Files.writeString(directory.resolve("pom.xml"), "newer than the build");
        Files.setLastModifiedTime(directory.resolve("pom.xml"),
                FileTime.fromMillis(System.currentTimeMillis() + 60_000));
        Files.createDirectories(scripts.resolve("src"));
        Files.writeString(scripts.resolve("pom.xml"), "");
        Path programs = Files.createDirectories(directory.resolve("programs"));
        Files.writeString(programs.resolve("mvn"), "#!/bin/sh\necho a build >&2\nexit 3\n");
        assertThat(programs.resolve("mvn").toFile().setExecutable(true)).isTrue();

        String list = output(0, scripts, programs, "--list");
        String build = output(3, scripts, programs, "lafon-2");

        assertThat(list).contains("lafon-3a", "nuss-table-3.15", "nuss-figure-2.1", "older than its sources")
                .doesNotContain("a build");
        assertThat(build).contains("a build");
    }

    private static String output(int code, Path scripts, Path programs, String argument) throws Exception {
        ProcessBuilder builder = new ProcessBuilder(scripts.resolve("figures").toString(), argument)
                .redirectErrorStream(true);
        builder.environment().put("PATH", programs + ":" + System.getenv("PATH"));
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        Process process = builder.start();
        String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(text).isEqualTo(code);
        return text;
    }
}
