// SPDX-License-Identifier: Apache-2.0
package org.treehaul.arch;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.jspecify.annotations.NullMarked;

/** The names of classes, members and packages in pages of the documentation, and the links between the pages. */
@NullMarked
final class DocumentedNames {

    private static final Pattern CODE = Pattern.compile("`([^`\n]+)`");
    private static final Pattern FENCED = Pattern.compile("(?ms)^ *```.*?^ *```");
    private static final Pattern CLASS = Pattern
            .compile("((?:[a-z]+\\.)*)([A-Z]\\w*[a-z]\\w*)((?:\\.\\w+)*)(?:\\(\\w*\\))?");
    private static final Pattern PACKAGE = Pattern
            .compile("(?:core|cli|strategies|schedulers|tuplespace)(?:\\.[a-z]+)+");
    private static final Pattern LINK = Pattern.compile("\\]\\((?!https?:)([^)#\\s]*)(?:#([^)\\s]+))?\\)");
    private static final Pattern HEADING = Pattern.compile("(?m)^#+ +(.*)$");
    private static final Pattern ANCHOR = Pattern.compile("<a id=\"([^\"]+)\"");

    private final Map<String, Set<Path>> sources = new HashMap<>();
    private final Set<String> packages = new HashSet<>();

    /**
     * Reads the names of all source files of the modules and examples of a project. It skips {@code target}, where
     * other tests create and remove files at the same time.
     */
    DocumentedNames(Path root) throws IOException {
        try (Stream<Path> modules = Files.list(root)) {
            for (Path module : (Iterable<Path>) modules::iterator) {
                if (Files.isDirectory(module.resolve("src"))) {
                    readSources(module.resolve("src"));
                }
            }
        }
        readSources(root.resolve("docs"));
    }

    private void readSources(Path directory) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            Predicate<Path> isSource = file -> file.toString().endsWith(".java");
            for (Path file : (Iterable<Path>) files.filter(isSource)::iterator) {
                String name = Objects.requireNonNull(file.getFileName()).toString().replace(".java", "");
                sources.computeIfAbsent(name, any -> new HashSet<>()).add(file);
                packages.add(packageOf(file));
            }
        }
    }

    private static String packageOf(Path file) {
        return Objects.requireNonNull(file.getParent()).toString().replace('/', '.');
    }

    /** Returns the names on a page that nothing has. A simple name may belong to the JDK. */
    Set<String> unknownOn(String page) throws IOException {
        Set<String> unknown = new TreeSet<>();
        for (String code : CODE.matcher(FENCED.matcher(page).replaceAll(""))
                .results()
                .map(one -> one.group(1))
                .toList()) {
            Matcher type = CLASS.matcher(code);
            boolean isUnknown = type.matches()
                    ? !isType(type.toMatchResult()) && !isOfJdk(code)
                    : PACKAGE.matcher(code).matches() && packages.stream().noneMatch(one -> one.endsWith("." + code));
            if (isUnknown) {
                unknown.add(code);
            }
        }
        return unknown;
    }

    private boolean isType(MatchResult name) throws IOException {
        List<String> members = Stream.of(name.group(3).split("\\.")).filter(one -> !one.isEmpty()).toList();
        for (Path file : sources.getOrDefault(name.group(2), Set.of())) {
            String text = Files.readString(file);
            if ((packageOf(file) + ".").endsWith("." + name.group(1)) || name.group(1).isEmpty()) {
                if (members.stream().allMatch(one -> Pattern.compile("\\b" + one + "\\b").matcher(text).find())) {
                    return true;
                }
            }
        }
        return false;
    }

    private static boolean isOfJdk(String name) {
        return Stream.of("java.lang.", "java.util.").anyMatch(start -> {
            try {
                Class.forName(start + name, false, DocumentedNames.class.getClassLoader());
                return true;
            } catch (ClassNotFoundException e) {
                return false;
            }
        });
    }

    /** Returns the links on a page that lead to no file, or to no heading of the page they lead to. */
    static Set<String> brokenLinksOn(Path page) throws IOException {
        Set<String> broken = new TreeSet<>();
        String text = FENCED.matcher(Files.readString(page)).replaceAll("");
        for (MatchResult link : LINK.matcher(CODE.matcher(text).replaceAll("")).results().toList()) {
            Path target = link.group(1).isEmpty()
                    ? page
                    : Objects.requireNonNull(page.getParent()).resolve(link.group(1));
            String anchor = link.group(2);
            if (!Files.exists(target)
                    || anchor != null && Files.isRegularFile(target) && !anchors(target).contains(anchor)) {
                broken.add(link.group(1) + (anchor == null ? "" : "#" + anchor));
            }
        }
        return broken;
    }

    // As GitHub makes them: lower case, without punctuation, hyphens in place of blanks; further equal headings get
    // numbers.
    private static Set<String> anchors(Path page) throws IOException {
        Set<String> anchors = new HashSet<>();
        String text = Files.readString(page);
        ANCHOR.matcher(text).results().forEach(one -> anchors.add(one.group(1)));
        for (MatchResult heading : HEADING.matcher(FENCED.matcher(text).replaceAll("")).results().toList()) {
            String name = heading.group(1)
                    .replaceAll("\\]\\([^)]*\\)", "]")
                    .toLowerCase(Locale.ROOT)
                    .replaceAll("[^\\p{L}\\p{N}_ -]", "")
                    .replace(' ', '-');
            for (int number = 1; !anchors.add(number == 1 ? name : name + "-" + (number - 1)); number++) {
                // The next number is tried.
            }
        }
        return anchors;
    }
}
