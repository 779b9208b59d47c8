// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.files;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

import org.treehaul.core.condition.BytePattern;
import org.treehaul.core.condition.FileField;
import org.treehaul.core.condition.FileQuery;
import org.treehaul.core.condition.NumberSet;
import org.treehaul.core.condition.TextCondition;
import org.treehaul.core.entry.ByteString;
import org.treehaul.tuplespace.TupleSpace;
import org.treehaul.tuplespace.tuple.Bytes;
import org.treehaul.tuplespace.tuple.Condition;
import org.treehaul.tuplespace.tuple.Template;

/**
 * A query translated for the space: templates of which no two match the same tuple, and whether their matches must be
 * checked again.
 *
 * @param templates templates that together match every match of the query
 * @param isExact whether they match nothing else
 */
record Selection(List<Template<FileTuple>> templates, boolean isExact) {

    // Each template costs a scan of the tuples, or a lookup in an index.
    private static final int MOST_TEMPLATES = 16;

    // The number of modes; a database accepts some ten thousand values in one statement.
    private static final long MOST_POINTS = 4096;

    private static final String DIRECTORY = FileField.DIRECTORY.label();
    private static final String NAME = FileField.NAME.label();
    private static final ByteString DOT = ByteString.of(".");

    /** A function that adds conditions to a template. */
    private interface Narrowing extends UnaryOperator<Template<FileTuple>> {}

    Selection {
        templates = List.copyOf(templates);
    }

    /** Returns one template for several, because each costs an exchange with the server of a space. */
    static List<Template<FileTuple>> together(List<Template<FileTuple>> templates) {
        return templates.size() < 2 ? templates : List.of(Template.ofAny(FileTuple.class, templates));
    }

    /**
     * Translates a query.
     *
     * @param space the space of the index, whose trees are those in which depths are counted
     */
    static Selection of(FileQuery query, TupleSpace space) {
        Template<FileTuple> template = Template.of(FileTuple.class);
        for (Map.Entry<FileField, NumberSet> numbers : query.numbers().entrySet()) {
            if (numbers.getValue().isEmpty()) {
                return new Selection(List.of(), true);
            }
            if (numbers.getKey().isStored()) {
                template = template.with(numbers(numbers.getKey(), numbers.getValue()));
            } else if (numbers.getKey() == FileField.DEPTH) {
                template = template.with(depth(numbers.getValue(), IndexedValues.roots(space)));
            }
        }
        for (Map.Entry<FileField, List<TextCondition>> texts : query.texts().entrySet()) {
            for (TextCondition condition : texts.getValue()) {
                if (texts.getKey() == FileField.EXTENSION) {
                    template = extension(template, condition);
                } else if (texts.getKey() != FileField.PATH) {
                    for (Condition part : text(texts.getKey().label(), condition)) {
                        template = template.with(part);
                    }
                }
            }
        }
        boolean isExact = query.groups().isEmpty() && !query.numbers().containsKey(FileField.EMPTY);
        Selection selection = new Selection(List.of(template), isExact);
        for (TextCondition condition : query.texts().getOrDefault(FileField.PATH, List.of())) {
            selection = selection.narrowPath(condition);
        }
        return selection;
    }

    private static Condition depth(NumberSet set, List<ByteString> roots) {
        return new Condition.Test(DIRECTORY, FileField.DEPTH.label(),
                value -> set.contains(IndexedValues.depthIn(bytes(value), roots)));
    }

    // The suffix lets the store reject most tuples without a call.
    private static Template<FileTuple> extension(Template<FileTuple> template, TextCondition condition) {
        boolean isOne = !condition.isNegated() && !condition.hasMissing() && condition.any().size() == 1;
        Template<FileTuple> narrowed = isOne && condition.any().getFirst().isLiteral()
                ? template.suffix(NAME, DOT.plus(condition.any().getFirst().head()))
                : template;
        return narrowed.with(new Condition.Test(NAME, FileField.EXTENSION.label(),
                value -> condition.matches(FileField.extension(bytes(value)))));
    }

    private static ByteString bytes(Object value) {
        return ByteString.of(((Bytes) value).array());
    }

    /** Replaces each template by several narrower ones that exclude each other. */
    private Selection narrow(List<Narrowing> ways) {
        if (templates.size() * ways.size() > MOST_TEMPLATES) {
            return new Selection(templates, false);
        }
        List<Template<FileTuple>> narrowed = new ArrayList<>();
        templates.forEach(template -> ways.forEach(way -> narrowed.add(way.apply(template))));
        return new Selection(narrowed, isExact);
    }

    private static Condition numbers(FileField field, NumberSet set) {
        String label = field.label();
        List<Condition> ways = new ArrayList<>();
        if (field == FileField.KIND) {
            ways.add(new Condition.In(label,
                    FileField.KINDS.stream()
                            .filter(kind -> set.contains(FileField.KINDS.indexOf(kind)))
                            .collect(Collectors.toSet())));
        } else if (field == FileField.UNREAD) {
            ways.add(new Condition.Equal(label, set.contains(1)));
        } else if (set.ranges().size() > 1 && count(set) <= MOST_POINTS) {
            ways.add(new Condition.In(label, points(set)));
        } else {
            set.ranges().forEach(range -> ways.add(range(field, range)));
        }
        if (set.hasMissing()) {
            ways.add(new Condition.Absent(label));
        }
        return anyOf(label, ways);
    }

    private static Condition anyOf(String label, List<Condition> ways) {
        return ways.size() == 1 ? ways.getFirst() : new Condition.AnyOf(label, ways);
    }

    private static Condition range(FileField field, NumberSet.Range range) {
        String label = field.label();
        NumberSet.Range domain = field.domain();
        if (range.low() == range.high()) {
            return new Condition.Equal(label, range.low());
        }
        Object low = range.low() == domain.low() ? null : (Object) range.low();
        Object high = range.high() == domain.high() ? null : (Object) range.high();
        return low == null && high == null
                ? new Condition.Not(new Condition.Absent(label))
                : new Condition.Range(label, low, high);
    }

    private static long count(NumberSet set) {
        long count = 0;
        for (NumberSet.Range range : set.ranges()) {
            long length = range.high() - range.low();
            if (length < 0 || length >= MOST_POINTS) {
                return Long.MAX_VALUE;
            }
            count += length + 1;
        }
        return count;
    }

    private static Set<Object> points(NumberSet set) {
        Set<Object> points = new HashSet<>();
        for (NumberSet.Range range : set.ranges()) {
            // Not up to the high end, after which no number may come.
            for (long i = 0; i <= range.high() - range.low(); i++) {
                points.add(range.low() + i);
            }
        }
        return points;
    }

    // Converts one condition on a field of bytes to conditions that must all hold.
    private static List<Condition> text(String label, TextCondition condition) {
        List<Condition> all = new ArrayList<>();
        if (condition.isNegated()) {
            condition.any().forEach(pattern -> all.add(new Condition.Not(single(label, pattern))));
            if (condition.hasMissing()) {
                all.add(new Condition.Not(new Condition.Absent(label)));
            }
            return all;
        }
        List<Condition> ways = new ArrayList<>();
        if (condition.any().size() > 1 && condition.any().stream().allMatch(BytePattern::isLiteral)) {
            ways.add(new Condition.In(label,
                    condition.any().stream().map(BytePattern::head).collect(Collectors.toSet())));
        } else {
            condition.any().forEach(pattern -> ways.add(single(label, pattern)));
        }
        if (condition.hasMissing()) {
            ways.add(new Condition.Absent(label));
        }
        all.add(anyOf(label, ways));
        if (ways.size() == 1 && condition.any().size() == 1 && !condition.any().getFirst().isHeadOrTail()) {
            // Prefix and suffix let the store reject most tuples that do not match.
            BytePattern pattern = condition.any().getFirst();
            if (pattern.tail().length() > 0) {
                all.addFirst(new Condition.Suffix(label, pattern.tail()));
            }
            if (pattern.head().length() > 0) {
                all.addFirst(new Condition.Prefix(label, pattern.head()));
            }
        }
        return all;
    }

    // Converts a pattern to one equivalent condition.
    private static Condition single(String label, BytePattern pattern) {
        if (pattern.isLiteral()) {
            return new Condition.Equal(label, pattern.head());
        }
        if (pattern.isHeadOrTail()) {
            return pattern.head().length() > 0
                    ? new Condition.Prefix(label, pattern.head())
                    : pattern.tail().length() > 0
                            ? new Condition.Suffix(label, pattern.tail())
                            : new Condition.Not(new Condition.Absent(label));
        }
        ByteString part = pattern.part();
        if (part.length() > 0) {
            return new Condition.Contains(label, part);
        }
        return new Condition.Test(label, pattern.toString(), value -> pattern.matches(((Bytes) value).array()));
    }

    // The path is not a component; only directory and name are.
    private Selection narrowPath(TextCondition condition) {
        BytePattern pattern = condition.any().getFirst();
        ByteString head = pattern.head();
        if (condition.any().size() > 1) {
            return narrowDirectories(condition);
        }
        if (condition.isNegated()) {
            boolean isWholeDirectory = isPrefix(pattern) && head.length() > 1 && head.at(head.length() - 1) == '/';
            return isWholeDirectory
                    ? narrow(List.of(template -> template.not(new Condition.Equal(DIRECTORY, withoutSlash(head)))
                            .not(new Condition.Prefix(DIRECTORY, head))))
                    : narrowDirectories(condition);
        }
        if (pattern.isLiteral()) {
            return narrow(List.of(template -> template.equal(DIRECTORY, FileTuple.directoryOf(head))
                    .equal(NAME, FileTuple.nameOf(head))));
        }
        Selection narrowed = head.length() > 1 ? narrow(below(head)) : this;
        if (isPrefix(pattern)) {
            return narrowed;
        }
        if (PathPattern.isOfName(pattern)) {
            return narrow(List.of(template -> template.with(single(NAME, pattern))));
        }
        if (PathPattern.isOfEither(pattern)) {
            Condition inDirectory = single(DIRECTORY, pattern);
            return narrow(List.of(template -> template.with(inDirectory),
                    template -> template.not(inDirectory).with(single(NAME, pattern))));
        }
        return narrowed.narrow(List.of(template -> ending(template, pattern.tail()))).narrowDirectories(condition);
    }

    /** Selects the directories that may have entries whose paths match. */
    private Selection narrowDirectories(TextCondition condition) {
        boolean isOfDirectory = condition.any().stream().allMatch(PathPattern::isOfDirectory);
        List<BytePattern> patterns = condition.any()
                .stream()
                .map(PathPattern::ofDirectory)
                .flatMap(Optional::stream)
                .toList();
        if (patterns.size() < condition.any().size() || condition.isNegated() && !isOfDirectory) {
            return new Selection(templates, false);
        }
        Condition test = testWithSlash(patterns.toString(), new TextCondition(condition.isNegated(), patterns, false));
        return new Selection(narrow(List.of(template -> template.with(test))).templates, isExact && isOfDirectory);
    }

    private static Condition testWithSlash(String description, TextCondition condition) {
        return new Condition.Test(DIRECTORY, description,
                value -> condition.matches(PathPattern.withSlash(bytes(value))));
    }

    private static boolean isPrefix(BytePattern pattern) {
        return pattern.parts().getLast() == BytePattern.Wild.STAR
                && pattern.parts().size() == (pattern.head().length() > 0 ? 2 : 1);
    }

    /** Matches paths with this prefix: names in one directory, and everything below the directories with the prefix. */
    private static List<Narrowing> below(ByteString head) {
        byte[] bytes = head.toBytes();
        int slash = bytes.length - 1;
        while (bytes[slash] != '/') {
            slash--;
        }
        ByteString directory = ByteString.of(Arrays.copyOf(bytes, Math.max(1, slash)));
        ByteString name = ByteString.of(Arrays.copyOfRange(bytes, slash + 1, bytes.length));
        return List.of(template -> {
            Template<FileTuple> inside = template.equal(DIRECTORY, directory);
            return name.length() == 0 ? inside : inside.prefix(NAME, name);
        }, template -> template.prefix(DIRECTORY, head));
    }

    private static Template<FileTuple> ending(Template<FileTuple> template, ByteString tail) {
        byte[] bytes = tail.toBytes();
        int start = bytes.length;
        while (start > 0 && bytes[start - 1] != '/') {
            start--;
        }
        ByteString name = ByteString.of(Arrays.copyOfRange(bytes, start, bytes.length));
        if (name.length() == 0) {
            return template;
        }
        return start == 0 ? template.suffix(NAME, name) : template.equal(NAME, name);
    }

    private static ByteString withoutSlash(ByteString path) {
        return ByteString.of(Arrays.copyOf(path.toBytes(), path.length() - 1));
    }
}
