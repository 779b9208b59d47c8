// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer.operation;

import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.treehaul.core.annotation.Internal;
import org.treehaul.core.condition.ConditionContext;
import org.treehaul.core.condition.FileField;
import org.treehaul.core.condition.FileQuery;
import org.treehaul.core.condition.FileTimes;
import org.treehaul.core.copy.options.Backup;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.copy.options.Preserve;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.walk.options.EntryFilter;
import org.treehaul.core.walk.options.Patterns;
import org.treehaul.core.walk.options.Symlinks;

/**
 * Converts copy options to the settings in a plan and back. The filter is parsed separately: the plan already reflects
 * it, and only retries of entries that could not be planned need it again.
 */
@Internal
public final class CopySettings {

    // The sources as the user gave them, with which paths in conditions begin.
    private static final String ROOTS = "where-roots";

    private static final Set<String> KEYS = Set.of("recursive", "symlinks", "preserve", "required", "existing",
            "remove-destination", "force", "in-place", "attributes-only", "one-file-system", "threads", "chunk-bytes",
            "verify", "fsync", "reflink", "sparse", "bandwidth", "filter");

    // Plans of older versions lack these flags, which are off then.
    private static final Set<String> LATER_FLAGS = Set.of("force");

    // These keys are written only for values other than the default, so that other plans stay unchanged.
    private static final Set<String> OPTIONAL_KEYS = Set.of("backup", "backup-suffix", "form", "new-modes", "where",
            "takes-names", "direct", ROOTS);

    private static final String NO_FILTER = "none";
    private static final String OTHER_FILTER = "program";
    private static final String PATTERNS = "patterns";

    private CopySettings() {}

    /**
     * Returns the settings for options; equal options give equal settings.
     *
     * @throws IllegalArgumentException for options of a dry run, which has no plan
     */
    public static Map<String, String> of(CopyOptions options) {
        if (options.dryRun()) {
            throw new IllegalArgumentException("a dry run cannot be carried out by jobs");
        }
        Map<String, String> words = new TreeMap<>();
        words.put("recursive", String.valueOf(options.recursive()));
        words.put("symlinks", word(options.symlinks()));
        words.put("preserve", words(options.preserve()));
        words.put("required", words(options.required()));
        words.put("existing", word(options.existing()));
        words.put("remove-destination", String.valueOf(options.removeDestination()));
        words.put("force", String.valueOf(options.force()));
        words.put("in-place", String.valueOf(options.inPlace()));
        words.put("attributes-only", String.valueOf(options.attributesOnly()));
        words.put("one-file-system", String.valueOf(options.oneFileSystem()));
        words.put("threads", String.valueOf(options.threads()));
        words.put("chunk-bytes", String.valueOf(options.chunkBytes()));
        words.put("verify", word(options.verify()));
        words.put("fsync", String.valueOf(options.fsync()));
        words.put("reflink", word(options.reflink()));
        words.put("sparse", word(options.sparse()));
        words.put("bandwidth", String.valueOf(options.bandwidth()));
        words.put("filter", filterWords(options.filter()));
        if (options.confirmation().isPresent() || options.copyContents()) {
            throw new IllegalArgumentException("a copy that asks, or reads FIFOs and devices, cannot be planned");
        }
        if (options.backup().isMade()) {
            words.put("backup", word(options.backup().control()));
            words.put("backup-suffix", ByteString.escape(options.backup().suffix().toBytes()));
        }
        if (options.form() != CopyOptions.Form.COPY) {
            words.put("form", word(options.form()));
        }
        if (options.takesNames()) {
            words.put("takes-names", "true");
        }
        if (options.direct()) {
            words.put("direct", "true");
        }
        if (options.newModes()) {
            words.put("new-modes", "true");
        }
        if (!options.where().isAll()) {
            words.put("where", String.join("\n", options.where().conditions()));
        }
        return words;
    }

    /**
     * Returns the settings for options, and for sources if conditions depend on their paths.
     *
     * @param sources the paths of the sources as the user gave them, in the order of the roots in the plan
     */
    public static Map<String, String> of(CopyOptions options, List<ByteString> sources) {
        Map<String, String> words = of(options);
        Set<FileField> fields = options.where().fields();
        if (fields.contains(FileField.PATH) || fields.contains(FileField.DIRECTORY)) {
            words.put(ROOTS,
                    sources.stream()
                            .map(source -> ByteString.escape(source.toBytes()))
                            .collect(Collectors.joining("\n")));
        }
        return words;
    }

    /**
     * Returns the path of a source as the user gave it, if conditions depend on it; otherwise its absolute path.
     *
     * @param number the position among the roots of the plan
     * @param source the absolute path
     */
    public static ByteString given(Map<String, String> words, int number, ByteString source) {
        String text = words.get(ROOTS);
        List<String> given = text == null ? List.of() : List.of(text.split("\n", -1));
        return number < given.size() ? ByteString.unescape(given.get(number)) : source;
    }

    private static String filterWords(EntryFilter filter) {
        if (filter instanceof Patterns patterns) {
            return PATTERNS + patterns.texts().stream().map(text -> "\n" + text).collect(Collectors.joining());
        }
        return filter.equals(EntryFilter.none()) ? NO_FILTER : OTHER_FILTER;
    }

    /**
     * Returns the filter in the settings; empty if it is a program's own.
     *
     * @throws IllegalArgumentException if the settings do not contain a filter
     */
    public static Optional<EntryFilter> filter(Map<String, String> words) {
        String text = new Reader(words).text("filter");
        if (text.equals(NO_FILTER)) {
            return Optional.of(EntryFilter.none());
        }
        if (text.equals(OTHER_FILTER)) {
            return Optional.empty();
        }
        List<String> lines = List.of(text.split("\n", -1));
        if (!lines.getFirst().equals(PATTERNS)) {
            throw new Reader(words).bad("filter");
        }
        Patterns.Builder patterns = Patterns.builder();
        lines.subList(1, lines.size()).forEach(line -> patterns.exclude(ByteString.unescape(line)));
        return Optional.of(patterns.build());
    }

    /**
     * Returns the options in the settings, without a filter.
     *
     * @throws IllegalArgumentException if a setting is missing, superfluous or unknown; the message names it
     */
    public static CopyOptions parse(Map<String, String> words) {
        Set<String> odd = new TreeSet<>(words.keySet());
        odd.removeAll(KEYS);
        odd.removeAll(OPTIONAL_KEYS);
        Set<String> lacking = new TreeSet<>(KEYS);
        lacking.removeAll(words.keySet());
        lacking.removeAll(LATER_FLAGS);
        if (words.containsKey("backup") != words.containsKey("backup-suffix")) {
            lacking.add("backup and backup-suffix");
        }
        if (!odd.isEmpty() || !lacking.isEmpty()) {
            throw new IllegalArgumentException("settings of another version of this program: "
                    + (odd.isEmpty() ? "without " + lacking : "with " + odd));
        }
        Reader read = new Reader(words);
        return CopyOptions.builder()
                .recursive(read.flag("recursive"))
                .symlinks(read.one(Symlinks.class, "symlinks"))
                .preserve(read.some("preserve"))
                .required(read.some("required"))
                .existing(read.one(CopyOptions.Existing.class, "existing"))
                .removeDestination(read.flag("remove-destination"))
                .force(read.flag("force"))
                .inPlace(read.flag("in-place"))
                .attributesOnly(read.flag("attributes-only"))
                .oneFileSystem(read.flag("one-file-system"))
                .filter(EntryFilter.none())
                .threads((int) read.number("threads"))
                .chunkBytes(read.number("chunk-bytes"))
                .verify(read.one(CopyOptions.Verify.class, "verify"))
                .fsync(read.flag("fsync"))
                .reflink(read.one(CopyOptions.When.class, "reflink"))
                .sparse(read.one(CopyOptions.When.class, "sparse"))
                .bandwidth(read.number("bandwidth"))
                .backup(words.containsKey("backup")
                        ? new Backup(read.one(Backup.Control.class, "backup"),
                                ByteString.unescape(read.text("backup-suffix")))
                        : Backup.none())
                .form(words.containsKey("form") ? read.one(CopyOptions.Form.class, "form") : CopyOptions.Form.COPY)
                .where(where(words))
                .takesNames(words.containsKey("takes-names") && read.flag("takes-names"))
                .direct(words.containsKey("direct") && read.flag("direct"))
                .newModes(words.containsKey("new-modes") && read.flag("new-modes"))
                .build();
    }

    // Times and accounts are numbers in these conditions, so that they mean the same on any day and any machine.
    private static FileQuery where(Map<String, String> words) {
        String text = words.get("where");
        return text == null
                ? FileQuery.all()
                : FileQuery.parse(Stream.of(text.split("\n", -1)).map(ByteString::of).toList(),
                        ConditionContext.ofTrees(FileTimes.unknown()));
    }

    private static String word(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }

    private static String words(Collection<Preserve> values) {
        List<String> words = new ArrayList<>();
        EnumSet<Preserve> sorted = EnumSet.noneOf(Preserve.class);
        sorted.addAll(values);
        sorted.forEach(value -> words.add(word(value)));
        return String.join(",", words);
    }

    private record Reader(Map<String, String> words) {

        String text(String key) {
            return Objects.requireNonNull(words.get(key), key);
        }

        boolean flag(String key) {
            if (LATER_FLAGS.contains(key) && !words.containsKey(key)) {
                return false;
            }
            return switch (text(key)) {
                case "true" -> true;
                case "false" -> false;
                default -> throw bad(key);
            };
        }

        long number(String key) {
            try {
                return Long.parseLong(text(key));
            } catch (NumberFormatException e) {
                throw bad(key);
            }
        }

        <E extends Enum<E>> E one(Class<E> type, String key) {
            return value(type, key, text(key));
        }

        Set<Preserve> some(String key) {
            Set<Preserve> values = EnumSet.noneOf(Preserve.class);
            for (String word : text(key).isEmpty() ? List.<String>of() : List.of(text(key).split(",", -1))) {
                values.add(value(Preserve.class, key, word));
            }
            return values;
        }

        private <E extends Enum<E>> E value(Class<E> type, String key, String word) {
            for (E value : type.getEnumConstants()) {
                if (word(value).equals(word)) {
                    return value;
                }
            }
            throw bad(key);
        }

        private IllegalArgumentException bad(String key) {
            return new IllegalArgumentException("setting " + key + " cannot be '" + text(key) + "'");
        }
    }
}
