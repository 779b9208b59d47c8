// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.stage;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import org.jspecify.annotations.Nullable;
import org.treehaul.cli.args.ByteSize;
import org.treehaul.cli.args.ExactArguments;
import org.treehaul.cli.args.Options;
import org.treehaul.cli.common.CommonOptions;
import org.treehaul.cli.common.ExitCode;
import org.treehaul.cli.common.SpaceAddress;
import org.treehaul.cli.staged.StageAccess;
import org.treehaul.cli.staged.StagedEntry;
import org.treehaul.core.entry.ByteString;
import org.treehaul.schedulers.stage.StripeLayout;
import org.treehaul.schedulers.stage.tree.StageInOptions;
import org.treehaul.tuplespace.store.SpaceUri;
import picocli.CommandLine.Model.CommandSpec;

/** The options and operands of {@code treehaul stage}. */
final class StageInput {

    // The options of some verbs only.
    private static final Map<String, List<String>> OPTIONS = Map.ofEntries(
            Map.entry("--directories", List.of("in", "servers")), Map.entry("--add-servers", List.of("in", "servers")),
            Map.entry("--servers", List.of("in")), Map.entry("--segments", List.of("in")),
            Map.entry("--stripe", List.of("in")), Map.entry("--copies", List.of("in")),
            Map.entry("--durable", List.of("in", "out", "repair", "drain")), Map.entry("--long", List.of("ls")),
            Map.entry("--recursive", List.of("rm")), Map.entry("--clean", List.of("check")),
            Map.entry("--dry-run", List.of("repair")), Map.entry("--lost", List.of("drain")),
            Map.entry("--force", List.of("drain")), Map.entry("--undo", List.of("drain")));
    private static final int LEAST_STRIPE = 4096;
    private static final int MOST_THREADS = 16;

    final CommonOptions common;
    private final StageAccess access;
    private @Nullable String addresses;
    private final CommandSpec spec;
    private List<ByteString> operands = List.of();
    private @Nullable ByteString directories;
    private @Nullable String servers;
    int segments;
    long stripe = StageInOptions.DEFAULT_STRIPE;
    private int copies = 1;
    boolean isDurable;
    boolean isDry;
    boolean isLost;
    boolean isForced;
    boolean isUndone;
    boolean isLong;
    boolean isRecursive;
    boolean isCleaned;

    StageInput(CommandSpec spec) {
        this.spec = spec;
        common = new CommonOptions(spec);
        common.addQuiet();
        Options.describe(spec, "--threads", "Use N threads, 1 to 256. Default: two per processor, at most 16.");
        Options.add(spec, Options.operands(ByteString.class, () -> operands, value -> operands = value).hidden(true),
                "VERB [OPERAND]...", "The use, and its paths.");
        access = new StageAccess(spec, common).addSpace();
        Options.add(spec, Options.value(ByteString.class, value -> directories = value, "--directories"), "DIRS",
                "With in and servers: keep segments in NAME.stage in each of the DIRS, with commas between them; each becomes a server of the stage.");
        Options.add(spec, Options.value(String.class, value -> addresses = value, "--add-servers"), "ADDRESSES",
                "With in and servers: keep segments on these servers (treehaul serve), HOST:PORT with commas between them.");
        access.addServers("");
        Options.add(spec, Options.value(String.class, value -> servers = value, "--servers"), "NAMES",
                "With in: use these servers of the stage, with commas between them, in this order. Default: all.");
        Options.add(spec, Options.value(Integer.class, value -> segments = value, "--segments"), "N",
                "With in: cut a file into N segments. Default: one for each server.");
        Options.add(spec, Options.value(ByteSize.class, value -> stripe = value.bytes(), "--stripe"), "SIZE",
                "With in: cut files above SIZE into stripes of SIZE. Default: 1M.");
        Options.add(spec, Options.value(Integer.class, value -> copies = value, "--copies"), "N",
                "With in: keep N copies of each segment on different servers, 1 to 3. Default: 1.");
        Options.add(spec, Options.flag(value -> isDurable = value, "--durable"),
                "With in, out, repair and drain: have each file or copy on disk before it gets its name.");
        Options.add(spec, Options.flag(value -> isDry = value, "--dry-run"),
                "With repair: print the copies that would be built, and build none.");
        Options.add(spec, Options.flag(value -> isLost = value, "--lost"),
                "With drain: the server is gone. Give up its segments, and list files without another copy.");
        Options.add(spec, Options.flag(value -> isForced = value, "--force"),
                "With drain --lost: give up a server that answers, too.");
        Options.add(spec, Options.flag(value -> isUndone = value, "--undo"),
                "With drain: the server is back, or stays. It takes new segments, and what it still has is used again.");
        Options.add(spec, Options.flag(value -> isLong = value, "-l", "--long"),
                "With ls: print kind, mode, size, time and servers too.");
        Options.add(spec, Options.flag(value -> isRecursive = value, "-r", "--recursive"),
                "With rm: remove directories and everything in them.");
        Options.add(spec, Options.flag(value -> isCleaned = value, "--clean"),
                "With check: remove segments that no file has, and unfinished files. Nothing may be staged at the same time.");
    }

    /** Runs the verb. */
    ExitCode run() {
        String verb = operands.isEmpty() ? "" : operands.getFirst().toString();
        List<ByteString> rest = operands.subList(Math.min(1, operands.size()), operands.size());
        boolean isFitting = switch (verb) {
            case "in", "out", "drain" -> rest.size() == 2;
            case "ls", "verify", "check", "repair", "servers", "unsaved" -> rest.size() == 1;
            case "rm" -> !rest.isEmpty();
            default -> false;
        };
        if (!isFitting) {
            throw common
                    .usage("use 'treehaul stage in SOURCE NAME:[PATH]', 'out NAME:[PATH] DEST', 'drain NAME: SERVER', "
                            + "or 'ls', 'rm', 'verify', 'check', 'repair', 'servers' or 'unsaved' with NAME:[PATH]");
        }
        checkOptions(verb);
        checkNumbers();
        if (common.threads == 0) {
            common.threads = Math.min(MOST_THREADS, 2 * Runtime.getRuntime().availableProcessors());
        }
        StageVerbs verbs = new StageVerbs(this);
        StageCare care = new StageCare(this, verbs);
        return switch (verb) {
            case "in" -> verbs.in(rest.getFirst(), staged(rest.getLast()));
            case "out" -> verbs.out(staged(rest.getFirst()), rest.getLast());
            case "ls" -> verbs.ls(staged(rest.getFirst()));
            case "rm" -> verbs.rm(rest.stream().map(this::staged).toList());
            case "verify" -> verbs.verify(staged(rest.getFirst()));
            case "repair" -> care.repair(staged(rest.getFirst()));
            case "drain" -> care.drain(whole("drain", rest.getFirst()), rest.getLast());
            case "servers" -> care.servers(whole("servers", rest.getFirst()));
            case "unsaved" -> care.unsaved(staged(rest.getFirst()));
            default -> verbs.check(whole("check", rest.getFirst()));
        };
    }

    private void checkOptions(String verb) {
        OPTIONS.forEach((option, verbs) -> {
            if (common.isGiven(option) && !verbs.contains(verb)) {
                throw common.usage(option + " is for " + String.join(" and ", verbs) + ", not for " + verb);
            }
        });
        if (isForced && !isLost) {
            throw common.usage("--force is for drain --lost");
        }
        if (isUndone && isLost) {
            throw common.usage("--undo cannot be combined with --lost, which it takes back");
        }
    }

    // Before the catalogue is made, and directories and servers are added to it.
    private void checkNumbers() {
        if (segments != 0 || common.isGiven("--segments")) {
            common.checkBetween("--segments", 1, StripeLayout.MOST_SEGMENTS, segments);
        }
        common.checkBetween("--stripe", LEAST_STRIPE, StripeLayout.LARGEST_STRIPE, stripe);
        common.checkBetween("--copies", 1, StripeLayout.MOST_COPIES, copies);
    }

    private StagedEntry whole(String verb, ByteString operand) {
        StagedEntry staged = staged(operand);
        if (staged.path().length() > 0) {
            throw common.usage(verb + " is for a whole stage: NAME:, not " + operand);
        }
        return staged;
    }

    private StagedEntry staged(ByteString operand) {
        return StagedEntry.parse(common, operand);
    }

    /** Returns the access to the stage. */
    StageAccess access() {
        return access;
    }

    /** Returns the addresses of new servers, if they are given. */
    Optional<String> addresses() {
        return Optional.ofNullable(addresses);
    }

    /** Returns the address of a catalogue that may be made. */
    SpaceUri spaceToCreate() {
        return SpaceAddress.toCreate(spec, "--space", access.givenSpace(), access.space());
    }

    /** Returns the directories of new servers, none if the option was not given. */
    List<ByteString> directories() {
        ByteString given = directories;
        if (given == null) {
            return List.of();
        }
        List<ByteString> all = new ArrayList<>();
        byte[] bytes = given.toBytes();
        int from = 0;
        for (int i = 0; i <= bytes.length; i++) {
            if (i == bytes.length || bytes[i] == ',') {
                if (i == from) {
                    throw common.usage("--directories needs directories with commas between them, not '" + given + "'");
                }
                all.add(ByteString.of(bytes, from, i));
                from = i + 1;
            }
        }
        return all;
    }

    /** Returns how files are spread over the servers that a stage has. */
    StageInOptions options(List<String> known) {
        List<String> wanted = servers == null ? known : List.of(servers.split(",", -1));
        for (String one : wanted) {
            if (!known.contains(one)) {
                throw common.usage("--servers: the stage has no server '" + ExactArguments.printable(one) + "', only "
                        + String.join(", ", known));
            }
        }
        if (copies > wanted.size()) {
            throw common.usage(
                    "--copies " + copies + " needs " + copies + " servers, not only " + String.join(", ", wanted));
        }
        try {
            return new StageInOptions(wanted, segments, stripe, common.threads, isDurable, copies);
        } catch (IllegalArgumentException e) {
            throw common.usage("--servers: " + e.getMessage());
        }
    }
}
