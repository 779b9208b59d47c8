// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.space;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;

import org.treehaul.cli.args.Options;
import org.treehaul.cli.common.CommonOptions;
import org.treehaul.cli.common.Session;
import org.treehaul.core.entry.ByteString;
import org.treehaul.tuplespace.store.SpaceUri;
import picocli.CommandLine.Model.CommandSpec;

/** {@code treehaul space}: checks a tuple space or index; makes, describes and splits one over several stores. */
public final class SpaceCommand implements Callable<Integer> {

    public final CommandSpec spec = CommandSpec.wrapWithoutInspection(this);
    private final CommonOptions common = CommonOptions.ofOneThread(spec);
    private final SpaceOption space = new SpaceOption(spec);
    private final SpaceCheck check = new SpaceCheck(spec);
    private final PartitionVerbs partitions = new PartitionVerbs(spec, common);
    private List<ByteString> operands = List.of();

    /** Defines the command for Picocli. */
    public SpaceCommand() {
        spec.name("space");
        spec.usageMessage()
                .header("Check a tuple space or an index, or make and split one over several stores.")
                .customSynopsis("treehaul space check [OPTION]... [SPACE]",
                        "       treehaul space create [OPTION]... partitions:FILE STORE...",
                        "       treehaul space status [OPTION]... partitions:FILE",
                        "       treehaul space split [OPTION]... partitions:FILE [N]...")
                .description("%ncheck reads the whole SPACE, a directory, partitions:FILE or "
                        + "postgresql://HOST/DATABASE, or that of --space: all tuples, and in a directory also its "
                        + "pages, its indexes and the checksums of the tuples. It prints one line for each damage "
                        + "and changes nothing. create makes a space over several STOREs, directories or addresses of "
                        + "servers, and the FILE that lists them. status prints a line for each store. split splits the "
                        + "partitions N, or all that have more tuples than the limit.%n")
                .footer("%nExamples:", "  treehaul space check ~/scratch.space",
                        "  treehaul space create --first 1 partitions:tasks.list /disk0/tasks /disk1/tasks",
                        "%nExit codes: 0 done, 1 damaged or a store is missing, 2 wrong usage, or the space cannot be "
                                + "used.");
        Options.add(spec, Options.operands(ByteString.class, () -> operands, value -> operands = value).hidden(true),
                "VERB [SPACE] [STORE|N]...", "The use, the space, and its stores or partitions.");
    }

    @Override
    public Integer call() {
        List<String> words = operands.stream()
                .map(word -> new String(word.toBytes(), StandardCharsets.ISO_8859_1))
                .toList();
        String verb = words.isEmpty() ? "" : words.getFirst();
        Optional<SpaceUri> operand = words.size() < 2 ? Optional.empty() : PartitionVerbs.named(words.get(1));
        Optional<SpaceUri> named = operand.or(space::partitions);
        List<String> rest = words.subList(Math.min(operand.isPresent() ? 2 : 1, words.size()), words.size());
        int most = switch (verb) {
            case "check" -> operand.isPresent() ? 0 : 1;
            case "status" -> named.isPresent() ? 0 : -1;
            case "create", "split" -> named.isPresent() ? Integer.MAX_VALUE : -1;
            default -> -1;
        };
        if (rest.size() > most) {
            throw common.usage("use 'treehaul space check DIR', or create, status or split with partitions:FILE");
        }
        common.progress = CommonOptions.When.never;
        try (Session session = Session.begin(common, true)) {
            return (switch (verb) {
                case "create" -> partitions.create(session, named.orElseThrow(), rest);
                case "status" -> PartitionVerbs.status(session, named.orElseThrow());
                case "split" -> partitions.split(session, named.orElseThrow(), rest);
                default -> named.isPresent() && rest.isEmpty()
                        ? check.run(session, named.get())
                        : check.run(session, rest.isEmpty() ? space.space() : space.space(rest.getFirst()));
            }).code();
        }
    }
}
