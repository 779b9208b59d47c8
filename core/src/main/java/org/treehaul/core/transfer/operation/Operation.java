// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer.operation;

import java.util.Collections;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;

import org.treehaul.core.annotation.Internal;
import org.treehaul.core.attributes.AttributeChange;
import org.treehaul.core.attributes.AttributeSetting;
import org.treehaul.core.attributes.ModeChange;
import org.treehaul.core.attributes.OwnerChange;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.operation.EntryOperation;
import org.treehaul.core.operation.OperationProvider;
import org.treehaul.core.operation.Removal;
import org.treehaul.core.operation.Repetition;
import org.treehaul.core.places.PlacesAddress;
import org.treehaul.core.sync.SyncOptions;
import org.treehaul.core.task.CommandOperation;
import org.treehaul.core.task.CommandTask;
import org.treehaul.core.task.UnknownTaskException;

/**
 * The operation that a transfer applies to the entries of its plan. The engine decides by the methods of this type, or
 * by an exhaustive {@code switch}, never by the name. Immutable.
 */
public sealed interface Operation {

    /** The names of the operations of TreeHaul. */
    Set<String> NAMES = Set.of(Copy.NAME, Move.NAME, Sync.NAME, Verify.NAME, Remove.NAME, ChangeMode.NAME,
            ChangeOwner.NAME, Run.NAME);

    /**
     * Returns the operation of TreeHaul with a name, a version and parameters from the file of a transfer; empty if
     * this program does not know it, or not these parameters.
     */
    static Optional<Operation> find(String name, String version, SortedMap<String, String> parameters) {
        return named(name, parameters)
                .filter(one -> String.valueOf(one.version()).equals(version) && one.parameters().equals(parameters));
    }

    private static Optional<Operation> named(String name, SortedMap<String, String> parameters) {
        return switch (name) {
            case Copy.NAME -> Optional.of(new Copy());
            case Move.NAME -> Optional.of(new Move());
            case Sync.NAME -> SyncParameters.parse(parameters).map(sync -> sync);
            case Verify.NAME -> Optional.of(new Verify());
            case Remove.NAME -> Optional.of(new Remove());
            case ChangeMode.NAME -> ChangeMode.of(parameters);
            case ChangeOwner.NAME -> ChangeOwner.of(parameters);
            case Run.NAME -> Run.of(parameters);
            default -> Optional.empty();
        };
    }

    /** Returns the name in the file of a transfer and in the output of {@code status --json}. */
    String name();

    /**
     * Returns the version of the operation's meaning. A program of another version must not carry out the transfer.
     */
    default int version() {
        return 1;
    }

    /**
     * Returns the parameters in the file of a transfer, strings by name; the names consist of letters, digits, dots,
     * hyphens and underscores.
     */
    default SortedMap<String, String> parameters() {
        return Collections.emptySortedMap();
    }

    /** Returns the past participle for messages, such as {@code copied}. */
    String participle();

    /** Returns the property that makes a second attempt at an entry safe. */
    Repetition repetition();

    /** Returns whether the transfer is planned from the command of the user; otherwise it is created with its plan. */
    default boolean isPlanned() {
        return false;
    }

    /** Returns whether the entries have places in a destination, which workers must see. */
    default boolean hasDestination() {
        return false;
    }

    /**
     * Returns whether a worker takes only batches whose data its own host has. The roots of the plan are in no mounted
     * tree then.
     */
    default boolean isAtData() {
        return false;
    }

    /** Returns whether planning writes tokens into the destinations, by which workers recognize them. */
    default boolean hasTokens() {
        return false;
    }

    /** Returns whether killed workers may leave temporary files in the destinations. */
    default boolean hasTemporaryFiles() {
        return false;
    }

    /** Returns whether the bandwidth limit of the user applies. */
    default boolean isLimited() {
        return false;
    }

    /** Returns whether a finished transfer can be verified. */
    default boolean isVerifiable() {
        return false;
    }

    /**
     * Returns the options of the workers from the settings of a plan.
     *
     * @throws IllegalArgumentException if a setting is missing or cannot be read
     */
    @Internal
    default CopyOptions options(SortedMap<String, String> settings) {
        return CopySettings.parse(settings);
    }

    /** Copies each entry of the plan to its place in the destination. */
    sealed interface Copying extends Operation {

        @Override
        default String participle() {
            return "copied";
        }

        @Override
        default Repetition repetition() {
            return Repetition.IDEMPOTENT;
        }

        @Override
        default boolean isPlanned() {
            return true;
        }

        @Override
        default boolean hasDestination() {
            return true;
        }

        @Override
        default boolean hasTokens() {
            return true;
        }

        @Override
        default boolean hasTemporaryFiles() {
            return true;
        }

        @Override
        default boolean isLimited() {
            return true;
        }

        @Override
        default boolean isVerifiable() {
            return true;
        }
    }

    /** Copies everything that the user named. */
    record Copy() implements Copying {

        private static final String NAME = "copy";

        @Override
        public String name() {
            return NAME;
        }
    }

    /**
     * Makes a destination equal to a source: copies what a comparison found to differ. After that finishing compares
     * again, and does the rest, which includes all removals.
     *
     * @param source the absolute path of the source, with a slash at its end if the user gave one
     * @param destination the absolute path of the destination, as the user gave it
     * @param options the rules of the comparison and of the removals; their options of copying are those of the plan
     */
    record Sync(ByteString source, ByteString destination, SyncOptions options) implements Copying {

        static final String NAME = "sync";

        @Override
        public String name() {
            return NAME;
        }

        @Override
        public SortedMap<String, String> parameters() {
            return SyncParameters.of(this);
        }
    }

    /**
     * Copies each entry; when all copies are complete and on disk, finishing removes the sources that have not changed
     * since they were planned.
     */
    record Move() implements Copying {

        private static final String NAME = "move";

        @Override
        public String name() {
            return NAME;
        }

        @Override
        public String participle() {
            return "moved";
        }

        @Override
        public boolean isVerifiable() {
            return false;
        }
    }

    /** Compares each entry that a finished transfer copied with its source. Uses the plan and tokens of the copy. */
    record Verify() implements Operation {

        private static final String NAME = "verify";

        @Override
        public String name() {
            return NAME;
        }

        @Override
        public String participle() {
            return "compared";
        }

        @Override
        public Repetition repetition() {
            return Repetition.READ_ONLY;
        }

        @Override
        public boolean hasDestination() {
            return true;
        }
    }

    /**
     * An operation on single entries, without a destination. Its plan has the identity of each entry; the transfer is
     * planned to its end before it begins.
     */
    sealed interface OnEntries extends Operation {

        /**
         * Creates the operation of one worker.
         *
         * @throws UnknownOperationException if this program does not have it, or has another version
         */
        @Internal
        EntryOperation create() throws UnknownOperationException;

        @Override
        @Internal
        default CopyOptions options(SortedMap<String, String> settings) {
            return CopyOptions.builder().threads(EntrySettings.threads(settings)).build();
        }
    }

    /** Removes each entry. */
    record Remove() implements OnEntries {

        private static final String NAME = "remove";

        @Override
        public String name() {
            return NAME;
        }

        @Override
        public String participle() {
            return "removed";
        }

        @Override
        public Repetition repetition() {
            return Repetition.COMPARED_WITH_PLAN;
        }

        @Override
        public EntryOperation create() {
            return new Removal();
        }
    }

    /** Changes an attribute of each entry that differs. */
    sealed interface OnAttributes extends OnEntries {

        /** Returns the change. */
        AttributeChange change();

        @Override
        default String participle() {
            return "changed";
        }

        // A change that the user makes after planning is not undone.
        @Override
        default Repetition repetition() {
            return Repetition.COMPARED_WITH_PLAN;
        }

        @Override
        @Internal
        default EntryOperation create() {
            return new AttributeSetting(change());
        }
    }

    /**
     * Changes the mode of each entry that differs.
     *
     * @param change a {@linkplain ModeChange#isRepeatable() repeatable} change
     */
    record ChangeMode(ModeChange change) implements OnAttributes {

        private static final String NAME = "change-mode";
        private static final String MODE = "mode";
        private static final String UMASK = "umask";

        /**
         * Checks the change.
         *
         * @throws IllegalArgumentException if it is not repeatable: after a kill nothing shows which directories have
         *         been changed
         */
        public ChangeMode {
            if (!change.isRepeatable()) {
                throw new IllegalArgumentException("'" + change + "' gives another mode each time");
            }
        }

        private static Optional<Operation> of(SortedMap<String, String> parameters) {
            try {
                return Optional.of(new ChangeMode(ModeChange.parse(parameters.getOrDefault(MODE, ""),
                        Integer.parseInt(parameters.getOrDefault(UMASK, ""), 8))));
            } catch (IllegalArgumentException e) {
                return Optional.empty();
            }
        }

        @Override
        public String name() {
            return NAME;
        }

        @Override
        public SortedMap<String, String> parameters() {
            return new TreeMap<>(
                    Map.of(MODE, change.expression(), UMASK, String.format(Locale.ROOT, "%03o", change.umask())));
        }
    }

    /** Changes the owner and the group of each entry that differs. */
    record ChangeOwner(OwnerChange change) implements OnAttributes {

        private static final String NAME = "change-owner";
        private static final String USER = "user";
        private static final String GROUP = "group";
        private static final String FROM_USER = "from-user";
        private static final String FROM_GROUP = "from-group";

        private static Optional<Operation> of(SortedMap<String, String> parameters) {
            try {
                return Optional.of(new ChangeOwner(new OwnerChange(number(parameters, USER), number(parameters, GROUP),
                        number(parameters, FROM_USER), number(parameters, FROM_GROUP))));
            } catch (IllegalArgumentException e) {
                return Optional.empty();
            }
        }

        private static OptionalLong number(SortedMap<String, String> parameters, String name) {
            String text = parameters.get(name);
            return text == null ? OptionalLong.empty() : OptionalLong.of(Long.parseLong(text));
        }

        @Override
        public String name() {
            return NAME;
        }

        @Override
        public SortedMap<String, String> parameters() {
            SortedMap<String, String> all = new TreeMap<>();
            change.user().ifPresent(number -> all.put(USER, Long.toString(number)));
            change.group().ifPresent(number -> all.put(GROUP, Long.toString(number)));
            change.fromUser().ifPresent(number -> all.put(FROM_USER, Long.toString(number)));
            change.fromGroup().ifPresent(number -> all.put(FROM_GROUP, Long.toString(number)));
            return all;
        }
    }

    /**
     * Runs a command, or a Java class, for each entry.
     *
     * @param task the command or the class, and its rules
     * @param at the files, if these are in no mounted tree; each is handled on a host that has its data
     */
    record Run(CommandTask task, Optional<PlacesAddress> at) implements OnEntries {

        private static final String NAME = "run";

        /** Creates the operation on files of mounted trees. */
        public Run(CommandTask task) {
            this(task, Optional.empty());
        }

        private static Optional<Operation> of(SortedMap<String, String> parameters) {
            try {
                return Optional.of(new Run(CommandTask.of(parameters), PlacesAddress.of(parameters)));
            } catch (IllegalArgumentException e) {
                return Optional.empty();
            }
        }

        @Override
        public String name() {
            return NAME;
        }

        @Override
        public SortedMap<String, String> parameters() {
            SortedMap<String, String> all = task.parameters();
            at.ifPresent(address -> all.putAll(address.lines()));
            return all;
        }

        @Override
        public boolean isAtData() {
            return at.isPresent();
        }

        @Override
        public String participle() {
            return "processed";
        }

        // The command may change the entry itself, so that only its kind can be compared.
        @Override
        public Repetition repetition() {
            return Repetition.IDEMPOTENT;
        }

        @Override
        @Internal
        public EntryOperation create() throws UnknownOperationException {
            try {
                return CommandOperation.of(task, at);
            } catch (UnknownTaskException e) {
                throw new UnknownOperationException(String.valueOf(e.getMessage()), e);
            }
        }
    }

    /**
     * An operation of another jar. Commands that only show, cancel or forget a transfer do without the jar; each job
     * needs it, and refuses to begin if it does not find name, version and repetition.
     *
     * @param name the name, see {@link OperationProvider#name}
     * @param version the version, from 1
     * @param repetition the property that makes a second attempt at an entry safe
     * @param parameters the parameters; the keys consist of letters, digits, dots, hyphens and underscores
     */
    record Custom(String name, int version, Repetition repetition,
            SortedMap<String, String> parameters) implements OnEntries {

        private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9-]{0,63}");
        private static final Pattern KEYS = Pattern.compile("[A-Za-z0-9._-]{1,64}");

        /**
         * Checks the values.
         *
         * @throws IllegalArgumentException if name, version or a key is not as described, or the name is one of
         *         TreeHaul
         */
        public Custom {
            parameters = Collections.unmodifiableSortedMap(new TreeMap<>(parameters));
            if (!NAME.matcher(name).matches() || Operation.NAMES.contains(name)) {
                throw new IllegalArgumentException("not a name for an operation: '" + name + "'");
            }
            if (version < 1) {
                throw new IllegalArgumentException("version " + version + " of operation '" + name + "'");
            }
            parameters.keySet().stream().filter(key -> !KEYS.matcher(key).matches()).findFirst().ifPresent(key -> {
                throw new IllegalArgumentException("not a name for a parameter: '" + key + "'");
            });
        }

        /**
         * Returns the operation of a provider.
         *
         * @throws IllegalArgumentException if the provider refuses the parameters, or a value is not as described
         */
        public static Custom of(OperationProvider provider, Map<String, String> parameters) {
            Custom custom = new Custom(provider.name(), provider.version(), provider.repetition(),
                    new TreeMap<>(parameters));
            provider.create(custom.parameters);
            return custom;
        }

        @Override
        public String participle() {
            return "processed";
        }

        @Override
        public EntryOperation create() throws UnknownOperationException {
            return OperationProviders.create(this);
        }
    }
}
