// SPDX-License-Identifier: Apache-2.0
package org.treehaul.figures;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.treehaul.bench.ThesisCopies;
import org.treehaul.cli.args.Suggestions;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The command: {@code src-test/figures}. */
@Command(
        name = "src-test/figures",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = "Draws figures and tables of papers with our numbers beside those of the paper: NAME.svg and NAME.csv for each.")
public final class Figures implements Callable<Integer> {

    /** Figures of the papers that are no measurement, and where this project has their subject. */
    private static final Map<String, String> NOT_MADE = new LinkedHashMap<>();

    static {
        NOT_MADE.put("nuss-figure-2.1",
                "an example of a pct command and of its job script; see 'treehaul cp --scheduler slurm --dry-run'");
        NOT_MADE.put("nuss-figure-2.2", "the help text of pct; see 'treehaul cp --help'");
        NOT_MADE.put("nuss-figure-2.3", "an example of the progress of pct jobs; see 'treehaul status'");
        NOT_MADE.put("nuss-figure-2.4", "the help text of Bpct; see 'treehaul cp --help'");
        NOT_MADE.put("nuss-figure-2.5", "an example of the progress of Bpct batches; see 'treehaul status'");
        NOT_MADE.put("npfs-1", "a drawing of the processes of NPFS; see docs/guide/stage.md");
        NOT_MADE.put("npfs-4", "a drawing of the cases of figure 5; see docs/reports/npfs.md");
        for (int number = 1; number <= 7; number++) {
            NOT_MADE.put("liu-" + number,
                    number == 5
                            ? "an example of times within one call of MPICH, which motivates equation 1"
                            : "a drawing without numbers; see docs/guide/collective.md");
        }
    }

    @Option(names = "--list", description = "Print the name and the caption of every figure and table, and draw none.")
    boolean isList;

    @Option(
            names = "--scale",
            paramLabel = "PART",
            description = "Size of the trees. 1: those of LaFon et al., and 200 draws for Liu et al., or their sizes of requests where they are measured; for Yang his numbers of files and blocks; for Guardia and Sato 1000 requests; for Nuss his numbers of files, with 4 GB of each set. 0.1 by default.")
    double scale = 0.1;

    @Option(
            names = "--full-sizes",
            description = "Copy the files of Nuss in their full sizes: at scale 1, sets of 182 GB, 1 TB and 175 GB.")
    boolean isFull;

    @Option(names = "--rounds", paramLabel = "N", description = "How often each copy is made; 3 by default.")
    int rounds = 3;

    @Option(
            names = "--processes",
            paramLabel = "N",
            description = "Copy with up to this many processes at a time; twice the number of cores by default.")
    int processes = 2 * Runtime.getRuntime().availableProcessors();

    @Option(names = "--seed", paramLabel = "N", description = "Make the sets of Nuss from this; 1 by default.")
    long seed = 1;

    @Option(
            names = "--on",
            paramLabel = "DIR",
            description = "Copy within this directory; /dev/shm/treehaul-figures by default.")
    Path on = Path.of("/dev/shm/treehaul-figures");

    @Option(
            names = "--scheduler",
            paramLabel = "NAME",
            description = "Copy by jobs of this scheduler: local, the default, or slurm, for root, which starts one of its own.")
    String scheduler = "local";

    @Option(names = "--treehaul", paramLabel = "PATH", description = "Measure this program; ./treehaul by default.")
    @Nullable Path treehaul;

    @Option(
            names = "--output",
            paramLabel = "DIR",
            description = "Write the files there; by default into src-test/target/figures.")
    @Nullable Path output;

    @Option(names = "--page", paramLabel = "FILE", description = "Write all figures as one page in Markdown, too.")
    @Nullable Path page;

    @Spec
    @Nullable CommandSpec spec;

    @Parameters(paramLabel = "NAME", arity = "0..*", description = "Figures and tables; all by default.")
    List<String> names = new ArrayList<>();

    /** Returns all figures and tables that can be made. */
    static List<Figure> all() {
        return Stream
                .of(LafonFigures.all(), NussSets.all(), NussWaits.all(), NussPct.tables(), NussBpct.tables(),
                        NussPct.figures(), NussBpct.figures(), LiuFigures.all(), LiuMeasured.all(), YangIoFigures.all(),
                        NpfsFigures.all())
                .flatMap(List::stream)
                .toList();
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (isList) {
            all().forEach(figure -> System.out.printf("%-16s %-9s %s%n", figure.name(),
                    figure.kind().name().toLowerCase(Locale.ROOT), figure.caption()));
            NOT_MADE.forEach((name, reason) -> System.out.printf("%-16s %-9s %s%n", name, "not made",
                    "not a measurement: " + reason));
            return 0;
        }
        check(scale > 0 && scale <= 1, "--scale takes a number above 0, up to 1, not " + scale);
        check(rounds > 0, "--rounds takes a number above 0, not " + rounds);
        check(processes > 0, "--processes takes a number above 0, not " + processes);
        check(scheduler.equals("local") || scheduler.equals("slurm"),
                "--scheduler takes local or slurm, not " + scheduler);
        List<Figure> chosen = names.isEmpty() ? all() : names.stream().map(this::named).toList();
        Path root = Path.of(System.getProperty("treehaul.root", "."));
        Path directory = output == null ? root.resolve("src-test/target/figures") : output;
        Files.createDirectories(directory);
        ThesisCopies.Settings settings = new ThesisCopies.Settings(on, root,
                treehaul == null ? root.resolve("treehaul") : treehaul, scale, isFull, rounds, seed, scheduler,
                System.err::println);
        StringBuilder sections = new StringBuilder();
        try (Results results = new Results(settings, processes)) {
            for (Figure figure : chosen) {
                Drawing drawing = figure.draw(results);
                write(directory.resolve(figure.name() + ".csv"), drawing.table(figure.columns()));
                write(directory.resolve(figure.name() + ".svg"), drawing.picture(figure.caption()));
                if (page != null) {
                    Path from = Objects.requireNonNull(page.toAbsolutePath().normalize().getParent());
                    sections.append(drawing.markdown(figure,
                            from.relativize(directory.toAbsolutePath().normalize().resolve(figure.name())).toString()));
                }
            }
            if (page != null) {
                write(page, "# Figures and tables of papers, made here\n\n    src-test/figures " + String.join(" ",
                        Objects.requireNonNull(spec, "set by picocli").commandLine().getParseResult().originalArgs())
                        + "\n\n" + sections.toString().stripTrailing() + "\n");
            }
            results.wrong().forEach(line -> System.err.println("WRONG: " + line));
            return results.wrong().isEmpty() ? 0 : 1;
        }
    }

    private void check(boolean isRight, String message) {
        if (!isRight) {
            throw new ParameterException(Objects.requireNonNull(spec, "set by picocli").commandLine(), message);
        }
    }

    private Figure named(String name) {
        List<String> known = all().stream().map(Figure::name).toList();
        int at = known.indexOf(name);
        if (at >= 0) {
            return all().get(at);
        }
        String reason = NOT_MADE.get(name);
        check(reason == null, name + " is not made, as it is not a measurement: " + reason);
        List<String> near = Suggestions.near(name, known);
        // Half a name is not a typing error.
        List<String> offered = near.isEmpty()
                ? known.stream().filter(one -> one.contains(name)).limit(3).toList()
                : near;
        check(false,
                "there is no figure or table '" + name + "'; "
                        + (offered.isEmpty() ? "" : "did you mean '" + String.join("' or '", offered) + "'? ")
                        + "'src-test/figures --list' names all");
        throw new AssertionError("refused");
    }

    private static void write(Path file, String text) throws IOException {
        Files.writeString(file, text, StandardCharsets.UTF_8);
        System.out.println(file);
    }

    /** Runs the command. */
    public static void main(String... arguments) {
        System.exit(new CommandLine(new Figures()).execute(arguments));
    }
}
