// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.space;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

import org.treehaul.cli.args.ExactArguments;
import org.treehaul.cli.args.Options;
import org.treehaul.cli.common.CommonOptions;
import org.treehaul.cli.common.ExitCode;
import org.treehaul.cli.common.Session;
import org.treehaul.cli.common.Texts;
import org.treehaul.cli.report.JsonLines;
import org.treehaul.cli.report.Text;
import org.treehaul.tuplespace.partition.Partitions;
import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.store.SpaceUri;
import picocli.CommandLine.Model.CommandSpec;

/** Makes, describes and splits spaces over several stores. */
final class PartitionVerbs {
    private static final String SCHEME = SpaceUri.PARTITIONS + ":";
    /** Most stores of a space. */
    private static final int MOST = 64;

    private final CommonOptions common;
    private int first;
    private long limit;

    PartitionVerbs(CommandSpec spec, CommonOptions common) {
        this.common = common;
        Options.add(spec, Options.value(Integer.class, value -> first = value, "--first"), "N",
                "With create: the number of partitions at the beginning. Default: one for each store.");
        Options.add(spec, Options.value(Long.class, value -> limit = value, "--limit"), "N",
                "With create: split a partition that has more than N tuples. Default: never.");
    }

    /** Returns the address of a space over several stores that a text names; empty if it names another kind. */
    static Optional<SpaceUri> named(String text) {
        return text.startsWith(SCHEME) && text.length() > SCHEME.length()
                ? Optional.of(new SpaceUri(SpaceUri.PARTITIONS, Texts.path(text.substring(SCHEME.length())).toString()))
                : Optional.empty();
    }

    /** Makes a space, and the file that lists its stores. */
    ExitCode create(Session session, SpaceUri space, List<String> stores) {
        if (stores.isEmpty() || stores.size() > MOST) {
            throw common.usage("name from 1 to " + MOST + " stores after " + SCHEME + "FILE, such as directories");
        }
        if (first < 0 || first > stores.size() || limit < 0) {
            throw common.usage("--first is from 1 to the number of stores, and --limit is not negative");
        }
        List<SpaceUri> addresses = stores.stream().map(this::store).toList();
        return change(session, space, () -> {
            Partitions.create(space.path(), addresses, first == 0 ? stores.size() : first, limit);
        });
    }

    private SpaceUri store(String text) {
        if (!SpaceUri.hasScheme(text) || text.startsWith(SpaceUri.SQLITE + ":")) {
            Path path = Texts.path(SpaceUri.parse(text).address());
            return SpaceUri.of(path.toAbsolutePath().normalize());
        }
        if (text.startsWith(SpaceUri.MEMORY + ":") || text.startsWith(SCHEME)) {
            throw common.usage("a store is a directory or an address of a server, not '" + text + "'");
        }
        if (!Texts.isText(text)) {
            throw common.usage("the address of a store is not UTF-8: '" + ExactArguments.printable(text) + "'");
        }
        return SpaceUri.parse(Texts.decode(text));
    }

    /** Splits the partitions with the given numbers, or all that have more tuples than the limit. */
    ExitCode split(Session session, SpaceUri space, List<String> numbers) {
        for (String number : numbers) {
            if (!number.matches("[0-9]{1,2}")) {
                throw common.usage("'" + number + "' is not the number of a partition, as 'space status' prints it");
            }
        }
        return change(session, space, () -> {
            List<Integer> made = new ArrayList<>();
            if (numbers.isEmpty()) {
                made.addAll(Partitions.splitFull(space));
            }
            numbers.forEach(number -> made.add(Partitions.split(space, Integer.parseInt(number))));
            session.screen()
                    .note(made.isEmpty()
                            ? "no partition has more tuples than the limit"
                            : "new: " + (made.size() == 1 ? "partition " : "partitions ")
                                    + String.join(", ", made.stream().map(String::valueOf).toList()));
        });
    }

    /** Makes a change, and prints what is there now. */
    private static ExitCode change(Session session, SpaceUri space, Runnable change) {
        try {
            change.run();
        } catch (SpaceException e) {
            session.screen().error(SpaceOption.explain(e, space));
            return ExitCode.TROUBLE;
        }
        return status(session, space);
    }

    /** Prints a line for each store. */
    static ExitCode status(Session session, SpaceUri space) {
        List<Partitions.Status> all;
        try {
            all = Partitions.status(space);
        } catch (SpaceException e) {
            session.screen().error(SpaceOption.explain(e, space));
            return ExitCode.TROUBLE;
        }
        session.json()
                .ifPresentOrElse(json -> all.forEach(one -> print(json, one)),
                        () -> all.forEach(one -> session.output().line(line(one))));
        Optional<String> problem = Partitions.problem(space);
        problem.ifPresent(session.screen()::error);
        return session.written(problem.isPresent() ? ExitCode.DIFFERENT : ExitCode.DONE);
    }

    private static void print(JsonLines json, Partitions.Status one) {
        json.begin("partition")
                .number("number", one.number())
                .text("store", one.store().toString())
                .flag("active", one.isActive());
        one.tuples().ifPresent(tuples -> json.number("tuples", tuples));
        one.bytes().ifPresent(bytes -> json.number("bytes", bytes));
        one.problem().ifPresent(problem -> json.text("problem", problem));
        json.end();
    }

    private static String line(Partitions.Status one) {
        String name = "partition " + one.number() + ": " + one.store() + ": ";
        return one.problem()
                .map(problem -> name + problem)
                .orElseGet(() -> one.isActive()
                        ? name + tuples(one.tuples())
                                + (one.bytes().isPresent() ? ", " + Text.bytes(one.bytes().getAsLong()) : "")
                        : name + "free for a split");
    }

    private static String tuples(OptionalLong number) {
        return number.isPresent()
                ? Text.count(number.getAsLong(), "tuple", "tuples")
                : "tuples of record classes that this program does not have";
    }
}
