// SPDX-License-Identifier: Apache-2.0
package org.treehaul.figures;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;

/** The command: {@code src-test/figures}. */
@Command(
        name = "src-test/figures",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = "Draws figures of papers from our numbers, beside what the paper says: NAME.svg and NAME.csv for each.")
public final class Figures implements Callable<Integer> {

    @Option(names = "--list", description = "Print the name and the caption of every figure, and draw none.")
    boolean isList;

    @Option(
            names = "--scale",
            paramLabel = "PART",
            description = "Size of the trees, as a part of those of the paper; 1 by default.")
    double scale = 1;

    @Option(
            names = "--output",
            paramLabel = "DIR",
            description = "Write the files there; by default into docs/reports/figures.")
    @Nullable Path output;

    @Parameters(paramLabel = "NAME", arity = "0..*", description = "Figures; all by default.")
    List<String> names = new ArrayList<>();

    /** Returns all figures. */
    static List<Figure> all() {
        return Stream.of(LafonFigures.all()).flatMap(List::stream).toList();
    }

    @Override
    public Integer call() throws IOException {
        if (isList) {
            all().forEach(figure -> System.out.println(figure.name() + "  " + figure.caption()));
            return 0;
        }
        if (!(scale > 0 && scale <= 1)) {
            throw new ParameterException(new CommandLine(this),
                    "--scale takes a number above 0, up to 1, not " + scale);
        }
        List<Figure> chosen = names.isEmpty() ? all() : names.stream().map(this::named).toList();
        Path directory = output == null
                ? Path.of(System.getProperty("treehaul.root", "."), "docs/reports/figures")
                : output;
        Files.createDirectories(directory);
        for (Figure figure : chosen) {
            Drawing drawing = figure.draw(scale);
            write(directory.resolve(figure.name() + ".csv"), drawing.table(figure.columns()));
            write(directory.resolve(figure.name() + ".svg"), drawing.picture(figure.caption()));
        }
        return 0;
    }

    private Figure named(String name) {
        return all().stream()
                .filter(figure -> figure.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new ParameterException(new CommandLine(this), "there is no figure " + name
                        + "; there are " + all().stream().map(Figure::name).collect(Collectors.joining(", "))));
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
