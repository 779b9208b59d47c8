// SPDX-License-Identifier: Apache-2.0
package org.treehaul.peers;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.Predicate;

/** Compares a source and its copy by find, sha256sum and getfattr, and describes the differences in words. */
final class Judge {

    /** A property that a copy can keep or lose. */
    enum Aspect {
        CONTENT,
        MODE,
        OWNER,
        FILE_TIMES,
        DIRECTORY_TIMES,
        SYMLINK_TIMES,
        LINKS,
        HOLES,
        ATTRIBUTES
    }

    private static final String SURPLUS = "should not be there";
    private static final long HOLE_SLACK = 256; // blocks of 512 bytes: how far the extents of two file systems may differ

    private final Shell shell;
    private final Outcome outcome;

    private record Entry(String kind, String mode, String owner, long size, String time, String target, String file,
            long blocks) {}

    /** A difference and the entries that have it, since a few names help more than many. */
    private record Differences(String what, Set<String> names) {}

    Judge(Shell shell, Outcome outcome) {
        this.shell = shell;
        this.outcome = outcome;
    }

    /** Returns how the tool ended. */
    Outcome outcome() {
        return outcome;
    }

    /** Runs a script that prints one difference on each line. */
    List<String> script(String script) throws IOException, InterruptedException {
        return shell.run(script).lines().toList();
    }

    /**
     * Returns the differences between the copy and the source: names, kinds, data and link targets, and these aspects.
     */
    List<String> differences(Aspect... aspects) throws IOException, InterruptedException {
        return differences(name -> true, aspects);
    }

    /** Returns the same for a part of the names. */
    List<String> differences(Predicate<String> which, Aspect... also) throws IOException, InterruptedException {
        Set<Aspect> aspects = EnumSet.of(Aspect.CONTENT, also);
        Map<String, Entry> wanted = list("S", which);
        Map<String, Entry> found = list("D", which);
        if (found.isEmpty()) {
            return List.of("nothing was copied");
        }
        List<Differences> all = new ArrayList<>();
        Set<String> missing = new TreeSet<>(wanted.keySet());
        missing.removeAll(found.keySet());
        all.add(new Differences("missing", missing));
        Set<String> surplus = new TreeSet<>(found.keySet());
        surplus.removeAll(wanted.keySet());
        all.add(new Differences(SURPLUS, surplus));
        Comparison comparison = new Comparison(wanted, found, all);
        comparison.of("of another kind", e -> true, Entry::kind);
        comparison.of("with another link target", e -> e.kind.equals("l"), Entry::target);
        comparison.of("with another size", e -> e.kind.equals("f"), e -> "" + e.size);
        if (aspects.contains(Aspect.MODE)) {
            comparison.of("with another mode", e -> !e.kind.equals("l"), Entry::mode);
        }
        if (aspects.contains(Aspect.OWNER)) {
            comparison.of("with another owner", e -> true, Entry::owner);
        }
        if (aspects.contains(Aspect.FILE_TIMES)) {
            comparison.of("with another mtime", e -> !e.kind.equals("d") && !e.kind.equals("l"), Entry::time);
        }
        if (aspects.contains(Aspect.DIRECTORY_TIMES)) {
            comparison.of("directories with another mtime", e -> e.kind.equals("d"), Entry::time);
        }
        if (aspects.contains(Aspect.SYMLINK_TIMES)) {
            comparison.of("symlinks with another mtime", e -> e.kind.equals("l"), Entry::time);
        }
        if (aspects.contains(Aspect.LINKS)) {
            all.add(new Differences("no longer hard links", differentGroups(wanted, found)));
        }
        if (aspects.contains(Aspect.HOLES)) {
            Set<String> filled = new TreeSet<>();
            wanted.forEach((name, entry) -> {
                Entry copy = found.get(name);
                if (copy != null && copy.blocks > entry.blocks + HOLE_SLACK) {
                    filled.add(name);
                }
            });
            all.add(new Differences("with holes filled", filled));
        }
        all.add(new Differences("with other data", unequal(hashes("S", which), hashes("D", which))));
        if (aspects.contains(Aspect.ATTRIBUTES)) {
            all.add(new Differences("with other attributes", unequal(attributes("S"), attributes("D"))));
        }
        return all.stream().filter(d -> !d.names.isEmpty()).map(Judge::words).toList();
    }

    private record Comparison(Map<String, Entry> wanted, Map<String, Entry> found, Collection<Differences> all) {
        void of(String what, Predicate<Entry> which, Function<Entry, String> aspect) {
            Set<String> names = new TreeSet<>();
            wanted.forEach((name, entry) -> {
                Entry copy = found.get(name);
                if (copy != null && which.test(entry) && !aspect.apply(entry).equals(aspect.apply(copy))) {
                    names.add(name);
                }
            });
            all.add(new Differences(what, names));
        }
    }

    // An entry that should not be there has a random name, like temporary files, so its name is not shown.
    private static String words(Differences differences) {
        Set<String> names = differences.names;
        String one = names.iterator().next();
        boolean tell = names.size() == 1 && one.length() < 40 && !differences.what.equals(SURPLUS);
        return names.size() + " " + differences.what + (tell ? " (" + (one.isEmpty() ? "." : one) + ")" : "");
    }

    private static Set<String> differentGroups(Map<String, Entry> wanted, Map<String, Entry> found) {
        Map<String, String> firstOfWanted = new HashMap<>();
        Map<String, String> firstOfFound = new HashMap<>();
        Set<String> different = new TreeSet<>();
        wanted.forEach((name, entry) -> {
            Entry copy = found.get(name);
            if (copy != null && !entry.kind.equals("d")) {
                String mine = firstOfWanted.computeIfAbsent(entry.file, key -> name);
                String theirs = firstOfFound.computeIfAbsent(copy.file, key -> name);
                if (!mine.equals(theirs)) {
                    different.add(name);
                }
            }
        });
        return different;
    }

    private static Set<String> unequal(Map<String, String> wanted, Map<String, String> found) {
        Set<String> names = new TreeSet<>(wanted.keySet());
        names.addAll(found.keySet());
        names.removeIf(name -> Objects.equals(wanted.get(name), found.get(name)));
        return names;
    }

    private Map<String, Entry> list(String root, Predicate<String> which) throws IOException, InterruptedException {
        String out = shell.run("[ -e \"$" + root + "\" ] && cd \"$" + root + "\" && "
                + "find . -printf '%P\\0%y\\0%m\\0%U:%G\\0%s\\0%T@\\0%l\\0%D:%i\\0%b\\0'");
        String[] fields = out.split("\0", -1);
        Map<String, Entry> entries = new TreeMap<>();
        for (int i = 0; i + 9 <= fields.length; i += 9) {
            if (which.test(fields[i])) {
                entries.put(fields[i],
                        new Entry(fields[i + 1], fields[i + 2], fields[i + 3], Long.parseLong(fields[i + 4]),
                                fields[i + 5], fields[i + 6], fields[i + 7], Long.parseLong(fields[i + 8])));
            }
        }
        return entries;
    }

    // Hashes only files in both trees: missing ones are reported already.
    private Map<String, String> hashes(String root, Predicate<String> which) throws IOException, InterruptedException {
        String other = root.equals("S") ? "D" : "S";
        String out = shell.run("cd \"$" + root + "\" && find . -type f -print0 | while IFS= read -r -d '' f; do "
                + "if [ -f \"$" + other + "/$f\" ] && [ ! -L \"$" + other + "/$f\" ]; then printf '%s\\0' \"$f\"; fi;"
                + " done | xargs -0 -r sha256sum -z --");
        Map<String, String> hashes = new TreeMap<>();
        for (String line : out.split("\0", -1)) {
            if (line.length() > 68 && which.test(line.substring(68))) {
                hashes.put(line.substring(68), line.substring(0, 64));
            }
        }
        return hashes;
    }

    private Map<String, String> attributes(String root) throws IOException, InterruptedException {
        String out = shell.run("cd \"$" + root + "\" && getfattr -hR -d -m - -e hex . 2>/dev/null");
        Map<String, String> attributes = new TreeMap<>();
        for (String block : out.split("\n\n", -1)) {
            int end = block.indexOf('\n');
            if (end > 0) {
                attributes.put(block.substring(0, end).replaceFirst("^# file: ", ""),
                        String.join("\n", block.substring(end + 1).lines().sorted().toList()));
            }
        }
        return attributes;
    }
}
