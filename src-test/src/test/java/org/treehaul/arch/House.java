// SPDX-License-Identifier: Apache-2.0
package org.treehaul.arch;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.belongToAnyOf;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import java.lang.foreign.Linker;
import java.lang.foreign.SymbolLookup;
import java.util.Arrays;
import java.util.Collection;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.CompositeArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import org.jspecify.annotations.NullMarked;

/**
 * The rules for everything below one root package.
 *
 * @param root {@code org.treehaul}, or the root of a house built to break the rules
 * @param maxClasses the largest number of top-level classes in a package
 * @param maxKnot the largest number of classes in a package that all depend on each other
 */
record House(String root, int maxClasses, int maxKnot) {
    /** The room of annotations, which every room may use. */
    private static final String MARKS = "core.annotation";

    /**
     * The rooms that each room may use besides itself; a room covers the packages below it that are not rooms
     * themselves, and an allowed room includes the rooms inside it unless it is named by {@link #only}.
     */
    private static final Map<String, Set<String>> ARROWS = Map.ofEntries( //
            Map.entry(MARKS, Set.of()), //
            Map.entry("core.entry", Set.of()), //
            Map.entry("core.condition", Set.of("core.entry")), //
            Map.entry("core.fs", Set.of("core.entry")), //
            Map.entry("core.locality", Set.of("core.entry", "core.fs")), //
            Map.entry("core.places", Set.of("core.condition", "core.entry", "core.fs")), //
            Map.entry("core.async", Set.of("core.entry", "core.fs", "core.threads")), //
            Map.entry("core.picture", Set.of()), //
            Map.entry("core.storage", Set.of("core.entry", "core.fs")), //
            Map.entry("core.state", Set.of("core.entry", "core.fs")), //
            Map.entry("core.event", Set.of("core.entry", "core.fs")),
            Map.entry("core.walk.listing", Set.of("core.entry", "core.fs")), //
            Map.entry("core.walk.options", Set.of("core.condition", "core.entry", "core.walk.listing")), //
            Map.entry("core.walk.frontier", Set.of()), //
            Map.entry("core.walk.tuning", Set.of("core.fs")), //
            Map.entry("core.walk",
                    Set.of("core.condition", "core.entry", "core.fs", "core.event", "core.locality",
                            "core.walk.listing", "core.walk.options", "core.walk.frontier", "core.walk.tuning")),
            Map.entry("core.walk.summary",
                    Set.of("core.condition", "core.entry", "core.fs", "core.event", "core.walk", "core.walk.options")),
            Map.entry("core.copy.options", Set.of("core.condition", "core.entry", "core.event", "core.walk")),
            Map.entry("core.copy.failure",
                    Set.of("core.entry", "core.event", "core.fs", "core.walk", "core.copy.options")),
            Map.entry("core.copy.data",
                    Set.of("core.async", "core.entry", "core.event", "core.fs", "core.storage", "core.copy.options",
                            "core.copy.failure")),
            Map.entry("core.copy.target",
                    Set.of("core.entry", "core.fs", "core.walk", "core.copy.options", "core.copy.failure",
                            "core.copy.data")),
            Map.entry("core.copy.metadata",
                    Set.of("core.entry", "core.fs", "core.copy.options", "core.copy.data", "core.copy.target")),
            Map.entry("core.copy.outcome",
                    Set.of("core.entry", "core.event", "core.fs", "core.walk", "core.copy.options", "core.copy.failure",
                            "core.copy.target")),
            Map.entry("core.copy.links",
                    Set.of("core.entry", "core.fs", "core.walk", "core.copy.options", "core.copy.failure",
                            "core.copy.target", "core.copy.outcome")),
            Map.entry("core.copy.context",
                    Set.of("core.entry", "core.event", "core.fs", "core.walk", "core.copy.options", "core.copy.failure",
                            "core.copy.data", "core.copy.target", "core.copy.metadata", "core.copy.outcome",
                            "core.copy.links")),
            Map.entry("core.copy.file",
                    Set.of("core.entry", "core.event", "core.fs", "core.storage", "core.walk", "core.copy.outcome",
                            "core.copy.options", "core.copy.failure", "core.copy.data", "core.copy.target",
                            "core.copy.metadata", "core.copy.links", "core.copy.context")),
            Map.entry("core.copy",
                    Set.of("core.condition", "core.entry", "core.event", "core.fs", "core.walk", "core.copy.options",
                            "core.copy.failure", "core.copy.data", "core.copy.target", "core.copy.metadata",
                            "core.copy.outcome", "core.copy.links", "core.copy.context", "core.copy.file")),
            Map.entry("core.copy.batch",
                    Set.of("core.condition", "core.entry", "core.event", "core.fs", "core.storage", "core.walk",
                            "core.copy", "core.threads")),
            Map.entry("core.copy.store",
                    Set.of("core.condition", "core.entry", "core.event", "core.fs", "core.locality", "core.storage",
                            "core.walk", "core.copy.options", "core.copy.failure", "core.copy.data", "core.copy.target",
                            "core.copy.metadata", "core.copy.outcome")),
            Map.entry("core.copy.plain",
                    Set.of("core.entry", "core.event", "core.fs", "core.walk", "core.copy", "core.plan")),
            Map.entry("core.remove", Set.of("core.condition", "core.entry", "core.fs", "core.event", "core.walk")),
            Map.entry("core.move",
                    Set.of("core.entry", "core.fs", "core.event", "core.walk", "core.copy", "core.plan",
                            "core.operation", "core.threads")),
            Map.entry("core.threads", Set.of("core.fs", "core.walk")),
            Map.entry("core.compare.select",
                    Set.of("core.condition", "core.entry", "core.fs", "core.event", "core.walk")),
            Map.entry("core.compare",
                    Set.of("core.condition", "core.entry", "core.fs", "core.event", "core.walk", "core.compare.links",
                            "core.compare.select")),
            Map.entry("core.compare.store",
                    Set.of("core.entry", "core.fs", "core.event", "core.storage", "core.walk", only("core.compare"))),
            Map.entry("core.repair",
                    Set.of("core.condition", "core.entry", "core.fs", "core.event", "core.walk", "core.copy",
                            "core.compare")),
            Map.entry("core.sync.renames", Set.of("core.entry", "core.fs", "core.copy.links")), //
            Map.entry("core.sync",
                    Set.of("core.condition", "core.entry", "core.fs", "core.event", "core.walk", "core.copy",
                            "core.compare", "core.state", "core.threads", "core.sync.renames")),
            Map.entry("core.trees",
                    Set.of("core.entry", "core.fs", "core.event", "core.walk", "core.copy", "core.compare",
                            "core.remove")),
            Map.entry("core.manifest",
                    Set.of("core.entry", "core.fs", "core.event", "core.walk", "core.copy", "core.plan")),
            Map.entry("core.plan",
                    Set.of("core.condition", "core.entry", "core.fs", "core.event", "core.locality", "core.places",
                            "core.walk", "core.state")),
            Map.entry("core.operation", Set.of("core.entry", "core.fs", "core.event", "core.walk")),
            Map.entry("core.attributes",
                    Set.of("core.entry", "core.fs", "core.event", "core.condition", "core.walk", "core.operation")),
            Map.entry("core.task",
                    Set.of("core.condition", "core.entry", "core.fs", "core.event", "core.locality", "core.operation",
                            "core.places", "core.plan", "core.threads", "core.walk")),
            Map.entry("core.transfer", Set.of("core")), //
            Map.entry("core.transfer.operation",
                    Set.of("core.condition", "core.operation", "core.attributes", "core.entry", "core.fs", "core.walk",
                            "core.copy", "core.places", "core.plan", "core.sync", "core.task")),
            Map.entry("core.transfer.directory",
                    Set.of("core.entry", "core.fs", "core.state", "core.event", "core.walk", "core.copy", "core.plan",
                            "core.transfer.operation")),
            Map.entry("core.transfer.request",
                    Set.of("core.entry", "core.state", "core.copy", "core.plan", "core.transfer.operation",
                            "core.transfer.directory")),
            Map.entry("core.transfer.journal",
                    Set.of("core.entry", "core.fs", "core.state", "core.event", "core.copy", "core.plan",
                            "core.transfer.operation", "core.transfer.directory")),
            Map.entry("core.transfer.batch",
                    Set.of("core.state", "core.operation", "core.entry", "core.fs", "core.event", "core.walk",
                            "core.copy", "core.places", "core.plan", "core.task", "core.threads",
                            "core.transfer.operation", "core.transfer.directory", "core.transfer.request",
                            "core.transfer.journal")),
            Map.entry("core.transfer.verify",
                    Set.of("core.entry", "core.fs", "core.event", "core.walk", "core.copy", "core.compare", "core.plan",
                            "core.transfer.operation", "core.transfer.directory", "core.transfer.journal",
                            "core.transfer.batch")),
            Map.entry("core.transfer.work",
                    Set.of("core.state", "core.operation", "core.fs", "core.event", "core.walk", "core.copy",
                            "core.plan", "core.transfer.operation", "core.transfer.directory", "core.transfer.journal",
                            "core.transfer.batch", "core.transfer.verify")),
            Map.entry("core.transfer.finish",
                    Set.of("core.move", "core.sync", "core.task", "core.threads", "core.operation", "core.entry",
                            "core.fs", "core.state", "core.event", "core.walk", "core.copy", "core.plan",
                            "core.transfer.operation", "core.transfer.directory", "core.transfer.journal",
                            "core.transfer.batch", "core.transfer.verify")),
            Map.entry("strategies", Set.of("core", "strategies.ranks.communicator", "strategies.collective.order")), //
            Map.entry("strategies.collective.order", Set.of("core")), //
            Map.entry("strategies.ranks.communicator", Set.of("core.entry", "core.fs", "core.event")), //
            Map.entry("schedulers", Set.of("core")), //
            Map.entry("schedulers.common", Set.of("core", only("schedulers"))), //
            Map.entry("schedulers.local", Set.of("core", only("schedulers"), "schedulers.common")), //
            Map.entry("schedulers.slurm", Set.of("core", only("schedulers"), "schedulers.common")), //
            Map.entry("schedulers.pbs", Set.of("core", only("schedulers"), "schedulers.common")), //
            Map.entry("schedulers.pool", Set.of("core", "tuplespace", only("schedulers"), "schedulers.common")), //
            Map.entry("schedulers.pool.carry",
                    Set.of("core", "tuplespace", only("schedulers"), only("schedulers.pool"), "schedulers.batch",
                            "schedulers.discovery")),
            Map.entry("schedulers.pool.submitter", Set.of("core", "tuplespace", "schedulers.pool.carry")),
            Map.entry("schedulers.pool.work",
                    Set.of("core", "tuplespace", only("schedulers.pool"), "schedulers.pool.carry",
                            "schedulers.pool.submitter")),
            Map.entry("schedulers.discovery",
                    Set.of("core", only("schedulers"), "schedulers.local", "schedulers.slurm", "schedulers.pbs",
                            only("schedulers.pool"))),
            Map.entry("schedulers.batch", Set.of("core", "strategies", only("schedulers"), "schedulers.discovery")),
            Map.entry("schedulers.common.net", Set.of("core")), //
            Map.entry("schedulers.mpj", Set.of("core", "strategies", "schedulers.common.net")), //
            Map.entry("schedulers.tasks", Set.of("core", "schedulers.common.net")), //
            Map.entry("schedulers.stage", Set.of("core", "tuplespace", "strategies.collective.order")), //
            Map.entry("schedulers.stage.tree", Set.of("core", only("schedulers.stage"))), //
            Map.entry("schedulers.stage.files",
                    Set.of("core", "tuplespace", only("schedulers.stage"), "schedulers.stage.tree")),
            Map.entry("schedulers.stage.collective", Set.of("core", "strategies", only("schedulers.stage"))), //
            Map.entry("schedulers.stage.buffer", Set.of("core", only("schedulers.stage"))), //
            Map.entry("schedulers.stage.order", Set.of("core", "strategies.collective.order")), //
            Map.entry("schedulers.stage.net",
                    Set.of("core", "strategies.collective.order", only("schedulers.stage"), "schedulers.stage.order")),
            Map.entry("schedulers.stage.async", Set.of("core", only("schedulers.stage"))), //
            Map.entry("schedulers.stage.node",
                    Set.of("core", "tuplespace", only("schedulers.stage"), "schedulers.stage.net",
                            only("schedulers.tasks"))),
            Map.entry("tuplespace", Set.of("tuplespace.tuple", "tuplespace.store", "tuplespace.memory")),
            Map.entry("tuplespace.tuple", Set.of()), //
            Map.entry("tuplespace.store", Set.of("tuplespace.tuple")), //
            Map.entry("tuplespace.memory", Set.of("tuplespace.store", "tuplespace.tuple")),
            Map.entry("tuplespace.sql", Set.of("tuplespace.store", "tuplespace.tuple")), //
            Map.entry("tuplespace.partition",
                    Set.of("tuplespace.store", "tuplespace.tuple", "tuplespace.partition.copies",
                            "tuplespace.partition.gate")),
            Map.entry("tuplespace.partition.copies", Set.of("tuplespace.store")), //
            Map.entry("tuplespace.partition.gate", Set.of("tuplespace.store")), //
            Map.entry("tuplespace.sqlite",
                    Set.of("tuplespace.store", "tuplespace.tuple", "tuplespace.sql", "tuplespace.sqlite.file",
                            "tuplespace.sqlite.sql", "tuplespace.sqlite.connection")),
            Map.entry("tuplespace.sqlite.file",
                    Set.of("tuplespace.store", "tuplespace.tuple", "tuplespace.sqlite.sql",
                            "tuplespace.sqlite.connection")),
            Map.entry("tuplespace.sqlite.sql",
                    Set.of("tuplespace.store", "tuplespace.tuple", "tuplespace.sql", "tuplespace.sqlite.connection")),
            Map.entry("tuplespace.sqlite.connection", Set.of("tuplespace.store", "tuplespace.tuple", "tuplespace.sql")),
            Map.entry("tuplespace.postgresql",
                    Set.of("tuplespace.store", "tuplespace.tuple", "tuplespace.sql", "tuplespace.postgresql.sql",
                            "tuplespace.postgresql.connection")),
            Map.entry("tuplespace.postgresql.sql",
                    Set.of("tuplespace.store", "tuplespace.tuple", "tuplespace.sql",
                            "tuplespace.postgresql.connection")),
            Map.entry("tuplespace.postgresql.connection",
                    Set.of("tuplespace.store", "tuplespace.tuple", "tuplespace.sql")),
            Map.entry("tuplespace.files", Set.of("core", "tuplespace")),
            Map.entry("tuplespace.files.index", Set.of("core", "tuplespace")),
            Map.entry("tuplespace.transfer", Set.of("core", "tuplespace")), //
            Map.entry("cli", Set.of("core", "strategies", "schedulers", "tuplespace")), //
            Map.entry("cli.launch", Set.of()));

    /**
     * Packages with more classes than allowed, and their numbers of classes. A number here may only become smaller.
     */
    private static final Map<String, Integer> CROWDED = Map.of();

    /** Packages with a larger knot than allowed, and its size. A number here may only become smaller. */
    private static final Map<String, Integer> KNOTTED = Map.of();

    /** The classes of the command line that offer simulation and profiles. */
    private static final Set<String> OFFER_RESEARCH = Set.of("cli.common.ProfileFiles", "cli.tree.PredictionReport",
            "cli.tree.ShapeOption", "cli.tree.SimulateCommand", "cli.tree.SimulationOptions");

    /** Returns all rules, by a name for the report. */
    Map<String, ArchRule> rules() {
        return Map.of( //
                "crowds",
                measured("stand in packages that are not crowded", maxClasses, CROWDED, Density::sizes,
                        "%s has %d top-level classes"), //
                "knots",
                measured("form no large knots", maxKnot, KNOTTED, Density::knots,
                        "the largest knot of %s has %d classes"), //
                "arrows", arrows(), //
                "cycles", noCycles(), //
                "downcalls", downcallsInOnePackage(), //
                "process", onlyTheCommandLineOwnsTheProcess(), //
                "drivers",
                CompositeArchRule.of(driverInOnePackage("tuplespace.sqlite", "org.sqlite"))
                        .and(driverInOnePackage("tuplespace.postgresql", "org.postgresql", "com.zaxxer.hikari"))
                        .and(driverInOnePackage("schedulers.stage.net", "io.netty")), //
                "research", researchOffTheHotPath(), //
                "signatures", signaturesOfJdkAndOurOwn(), //
                "packages", packagesAreNullMarked());
    }

    /** Compares a measure of each package with the limit, or with its number in the exceptions. */
    private ArchRule measured(String description, int limit, Map<String, Integer> exceptions,
            Function<Density, Map<String, Integer>> measure, String report) {
        return classes().that(stand("")).should(new ArchCondition<JavaClass>(description) {
            private Map<String, Integer> numbers = Map.of();

            @Override
            public void init(Collection<JavaClass> types) {
                numbers = measure.apply(new Density(types));
            }

            @Override
            public void check(JavaClass type, ConditionEvents events) {}

            @Override
            public void finish(ConditionEvents events) {
                numbers.forEach((name, number) -> {
                    Integer exception = exceptions.get(name.substring(Math.min(name.length(), root.length() + 1)));
                    if (exception == null ? number > limit : !exception.equals(number)) {
                        events.add(SimpleConditionEvent.violated(name, String.format(report, name, number)
                                + (exception == null ? "" : "; its exception in House says " + exception)));
                    }
                });
            }
        }).allowEmptyShould(true);
    }

    private ArchRule arrows() {
        return classes().that(stand("")).should(new ArchCondition<JavaClass>("use only the rooms they may") {
            @Override
            public void check(JavaClass from, ConditionEvents events) {
                String room = room(from);
                if (room.isEmpty() && !from.getSimpleName().equals("package-info")) {
                    events.add(SimpleConditionEvent.violated(from, from.getName()
                            + " stands in no room: give its package a line in " + House.class.getName()));
                }
                for (Dependency use : from.getDirectDependenciesFromSelf()) {
                    JavaClass to = use.getTargetClass().getBaseComponentType();
                    if (inside(to.getPackageName(), root) && !mayUse(room, room(to))) {
                        events.add(SimpleConditionEvent.violated(use, use.getDescription()));
                    }
                }
            }
        }).allowEmptyShould(true);
    }

    private static boolean mayUse(String from, String to) {
        return from.equals(to) || to.equals(MARKS)
                || ARROWS.getOrDefault(from, Set.of())
                        .stream()
                        .anyMatch(allowed -> inside(to, allowed) || allowed.equals(only(to)));
    }

    /** Returns the mark of a room without the rooms inside it. */
    private static String only(String room) {
        return "=" + room;
    }

    /** Returns the room of a class, the innermost if rooms are nested; empty if it is in none. */
    private String room(JavaClass type) {
        String name = type.getPackageName();
        while (name.length() > root.length()) {
            String candidate = name.substring(root.length() + 1);
            if (ARROWS.containsKey(candidate)) {
                return candidate;
            }
            name = name.substring(0, name.lastIndexOf('.'));
        }
        return "";
    }

    /** Takes each package for itself: a package and one inside it form a cycle, too, if each uses the other. */
    private ArchRule noCycles() {
        return slices().assignedFrom(new SliceAssignment() {
            @Override
            public SliceIdentifier getIdentifierOf(JavaClass type) {
                return inside(type.getPackageName(), root)
                        ? SliceIdentifier.of(type.getPackageName())
                        : SliceIdentifier.ignore();
            }

            @Override
            public String getDescription() {
                return "the packages";
            }
        }).should().beFreeOfCycles().allowEmptyShould(true);
    }

    private ArchRule downcallsInOnePackage() {
        return noClasses().that(stand(""))
                .and(DescribedPredicate.not(stand("core.fs.linux")))
                .should()
                .dependOnClassesThat(belongToAnyOf(Linker.class, SymbolLookup.class))
                .allowEmptyShould(true);
    }

    private ArchRule onlyTheCommandLineOwnsTheProcess() {
        return noClasses().that(stand(""))
                .and(DescribedPredicate.not(stand("cli")))
                // The driver of SQLite takes the place of its library only from properties.
                .and()
                .doNotHaveFullyQualifiedName("org.treehaul.tuplespace.sqlite.connection.NativeLibrary")
                .should()
                .accessField(System.class, "out")
                .orShould()
                .accessField(System.class, "err")
                .orShould()
                .callMethod(System.class, "exit", int.class)
                .orShould()
                .callMethod(Runtime.class, "exit", int.class)
                .orShould()
                .callMethod(Runtime.class, "halt", int.class)
                .orShould()
                .callMethod(Runtime.class, "addShutdownHook", Thread.class)
                .orShould()
                .callMethod(Throwable.class, "printStackTrace")
                .orShould()
                .callMethod(Locale.class, "setDefault", Locale.class)
                .orShould()
                .callMethod(System.class, "setProperty", String.class, String.class)
                .orShould()
                .dependOnClassesThat()
                .haveFullyQualifiedName("sun.misc.Signal")
                .allowEmptyShould(true);
    }

    /**
     * The drivers, and the network library, are optional: a program that opens no space of a kind, and reaches no
     * server, does not need them.
     */
    private ArchRule driverInOnePackage(String store, String... libraries) {
        return noClasses().that(stand(""))
                .and(DescribedPredicate.not(stand(store)))
                .should()
                .dependOnClassesThat(describe("belong to the driver of " + store,
                        type -> Arrays.stream(libraries).anyMatch(library -> inside(type.getPackageName(), library))))
                .allowEmptyShould(true);
    }

    /** A walk or a copy by ranks must not load what only explains or predicts them. */
    private ArchRule researchOffTheHotPath() {
        DescribedPredicate<JavaClass> research = stand("strategies.ranks.profile")
                .or(stand("strategies.ranks.simulation"));
        return noClasses().that(stand(""))
                .and(DescribedPredicate.not(research))
                .and(DescribedPredicate.not(describe("offer it to users", this::offersResearch)))
                .should()
                .dependOnClassesThat(research)
                .allowEmptyShould(true);
    }

    private boolean offersResearch(JavaClass type) {
        String name = type.getName().substring(root.length() + 1);
        return OFFER_RESEARCH.contains(name.contains("$") ? name.substring(0, name.indexOf('$')) : name);
    }

    /** The types that an embedder sees must not tie the embedder to a library of ours. */
    private ArchRule signaturesOfJdkAndOurOwn() {
        return classes().that(stand(""))
                .and(DescribedPredicate.not(stand("cli")))
                .and()
                .arePublic()
                .should(new ArchCondition<JavaClass>("show only types of the JDK and of our own") {
                    @Override
                    public void check(JavaClass type, ConditionEvents events) {
                        for (JavaCodeUnit unit : type.getCodeUnits()) {
                            if (unit.getModifiers().contains(JavaModifier.PUBLIC)
                                    || unit.getModifiers().contains(JavaModifier.PROTECTED)) {
                                unit.getAllInvolvedRawTypes()
                                        .stream()
                                        .map(JavaClass::getBaseComponentType)
                                        .filter(shown -> !shown.isPrimitive() && !inside(shown.getPackageName(), "java")
                                                && !inside(shown.getPackageName(), root))
                                        .forEach(shown -> events.add(SimpleConditionEvent.violated(unit,
                                                unit.getDescription() + " shows " + shown.getName())));
                            }
                        }
                    }
                })
                .allowEmptyShould(true);
    }

    private ArchRule packagesAreNullMarked() {
        return classes().that(stand("")).should(new ArchCondition<JavaClass>("stand in a package that is @NullMarked") {
            @Override
            public void check(JavaClass type, ConditionEvents events) {
                if (!type.getPackage().isAnnotatedWith(NullMarked.class)) {
                    events.add(SimpleConditionEvent.violated(type,
                            type.getPackageName() + " has no package-info with @NullMarked"));
                }
            }
        }).allowEmptyShould(true);
    }

    private DescribedPredicate<JavaClass> stand(String room) {
        String prefix = room.isEmpty() ? root : root + "." + room;
        return describe("stand in " + prefix, type -> inside(type.getPackageName(), prefix));
    }

    private static boolean inside(String name, String prefix) {
        return name.equals(prefix) || name.startsWith(prefix + ".");
    }
}
