// SPDX-License-Identifier: Apache-2.0
package org.treehaul.arch;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Finds sentences in Javadoc, and in texts for the user, that open with a word that hides their subject, such as "What
 * is missing is copied" for "Copies the missing entries".
 */
final class Language {

    private static final Pattern JAVADOC = Pattern.compile("/\\*\\*(?:[^*]|\\*(?!/))*+\\*/");
    private static final Pattern TEXT = Pattern.compile("\"(?:\\\\.|[^\"\\\\\n])*+\"");
    private static final Pattern JOINT = Pattern.compile("\"\\s*\\+\\s*\"");
    private static final Pattern CODE = Pattern.compile("(?s)<pre>.*?</pre>|<[^>]+>|\\{@\\w+|@param\\s+\\S+|@\\w+");
    private static final Pattern BANNED = Pattern
            .compile("(?:^|[.!?:]\\s+|%n)\\(?(?:What|Whatever|Who|Whoever|Whose|Of|Nobody|Somebody)\\s");

    private static final Pattern METHOD = Pattern.compile("\\bvoid (\\w+)\\(");
    private static final Pattern BANNED_NAME = Pattern.compile(
            "(?:what|whatever|who|whoever|whose|of|nobody|somebody|nothing)(?=[A-Z])\\w*|\\w*(?:Told|Tells|Meanwhile|Somebody|Nobody|Whoever)(?![a-z])\\w*");

    private Language() {}

    /** Returns the banned openings in the Java files below a directory, each with its file and text. */
    static List<String> below(Path directory) throws IOException {
        return find(directory, Language::in);
    }

    /** Returns the names of test methods below a directory that are not plain statements, each with its file. */
    static List<String> namesBelow(Path directory) throws IOException {
        return find(directory, Language::namesIn);
    }

    private static List<String> find(Path directory, Function<String, List<String>> finder) throws IOException {
        List<String> found = new ArrayList<>();
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.filter(path -> path.toString().endsWith(".java")).sorted().toList()) {
                finder.apply(Files.readString(file))
                        .forEach(text -> found.add(directory.relativize(file) + ": " + text));
            }
        }
        return found;
    }

    /** Returns the names of methods without result that hide their subject or use a word that has a plainer one. */
    static List<String> namesIn(String source) {
        return METHOD.matcher(source)
                .results()
                .map(method -> method.group(1))
                .filter(name -> BANNED_NAME.matcher(name).matches())
                .toList();
    }

    /** Returns the Javadoc comments and string literals of a source file that contain a banned opening. */
    static List<String> in(String source) {
        List<String> found = new ArrayList<>();
        JAVADOC.matcher(source).results().map(MatchResult::group).forEach(comment -> {
            String lines = comment.substring(3, comment.length() - 2).replaceAll("\n\\s*\\*", "\n");
            // A tag ends a sentence, so the text after it opens one.
            collect(CODE.matcher(lines).replaceAll(". "), found);
        });
        String joined = JOINT.matcher(JAVADOC.matcher(source).replaceAll("")).replaceAll("");
        TEXT.matcher(joined)
                .results()
                .map(MatchResult::group)
                .forEach(text -> collect(text.substring(1, text.length() - 1), found));
        return found;
    }

    private static void collect(String text, List<String> found) {
        String line = text.replaceAll("\\s+", " ").strip();
        if (BANNED.matcher(line).find()) {
            found.add(line);
        }
    }
}
