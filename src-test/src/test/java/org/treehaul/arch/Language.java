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
 * Finds sentences in Javadoc, in texts for the user and in Markdown that open with a word that hides their subject,
 * such as "What is missing is copied" for "Copies the missing entries", or use a word that has a plainer one.
 */
final class Language {

    private static final Pattern JAVADOC = Pattern.compile("/\\*\\*(?:[^*]|\\*(?!/))*+\\*/");
    private static final Pattern TEXT = Pattern.compile("\"(?:\\\\.|[^\"\\\\\n])*+\"");
    private static final Pattern JOINT = Pattern.compile("\"\\s*\\+\\s*\"");
    private static final Pattern CODE = Pattern.compile("(?s)<pre>.*?</pre>|<[^>]+>|\\{@\\w+|@param\\s+\\S+|@\\w+");
    private static final Pattern BANNED = Pattern
            .compile("(?:^|[.!?:]\\s+|%n)\\(?(?:What|Whatever|Who|Whoever|Whose|Of|Nobody|Somebody)\\s");

    private static final Pattern TIC = Pattern
            .compile("(?i)\\b(?:tells?|told|stood|meanwhile|somebody|nobody|anybody|whoever|heeded|mended|all the same"
                    + "|pass(?:es|ed) over|(?:go|goes|going|went) on(?! (?:the|an?|to)\\b)|stands? (?:for|in)"
                    + "|without a word|mends?|mending|in hand)\\b");
    private static final Pattern MARKDOWN_CODE = Pattern
            .compile("(?ms)^```.*?^```|^(?: {4,}|\t)[^\n]*$|`[^`\n]*`|<!--.*?-->");
    // A paragraph, an item of a list, a cell of a table.
    private static final Pattern MARKDOWN_PART = Pattern.compile("\n\\s*\n|\n\\s*[-*] |\n\\s*\\d+\\. |\\||\\*\\*");

    private static final Pattern METHOD = Pattern.compile("\\bvoid (\\w+)\\(");
    private static final Pattern BANNED_NAME = Pattern.compile(
            "(?:what|whatever|who|whoever|whose|of|nobody|somebody|nothing)(?=[A-Z])\\w*|\\w*(?:Told|Tells|Meanwhile|Somebody|Nobody|Whoever)(?![a-z])\\w*");

    private Language() {}

    /** Returns the banned openings in the Java files below a directory, each with its file and text. */
    static List<String> below(Path directory) throws IOException {
        return find(directory, ".java", Language::in);
    }

    /** Returns the parts of the Markdown files below a directory that hide a subject, each with its file. */
    static List<String> pagesBelow(Path directory) throws IOException {
        return find(directory, ".md", Language::inMarkdown);
    }

    /** Returns the names of test methods below a directory that are not plain statements, each with its file. */
    static List<String> namesBelow(Path directory) throws IOException {
        return find(directory, ".java", Language::namesIn);
    }

    private static List<String> find(Path directory, String ending, Function<String, List<String>> finder)
            throws IOException {
        List<String> found = new ArrayList<>();
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.filter(path -> path.toString().endsWith(ending)).sorted().toList()) {
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

    /** Returns the paragraphs, items and cells of a Markdown page that contain a banned opening or word. */
    static List<String> inMarkdown(String page) {
        List<String> found = new ArrayList<>();
        MARKDOWN_PART.splitAsStream(MARKDOWN_CODE.matcher(page).replaceAll("code"))
                .forEach(part -> collect(part, found));
        return found;
    }

    private static void collect(String text, List<String> found) {
        String line = text.replaceAll("\\s+", " ").strip();
        // A single word is a key of a format, not a sentence.
        if (BANNED.matcher(line).find() || line.contains(" ") && TIC.matcher(line).find()) {
            found.add(line);
        }
    }
}
