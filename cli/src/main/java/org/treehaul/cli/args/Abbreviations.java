// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.args;

import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.TypeConversionException;

/**
 * Completes long options, and words that are option values, from unambiguous prefixes, as getopt_long(3) and GNU
 * programs do.
 */
public final class Abbreviations {

    private Abbreviations() {}

    /**
     * Returns the arguments with the full names of long options. Text that is not a prefix of any option stays
     * unchanged.
     *
     * @param args the name of the command, then its arguments
     * @param preferred options with precedence over others with the same prefix, including their dashes
     * @throws IllegalArgumentException if a prefix is ambiguous; the message lists the candidates
     */
    public static String[] expand(CommandSpec command, String[] args, Set<String> preferred) {
        String[] expanded = args.clone();
        for (int i = 1; i < expanded.length && !expanded[i].equals("--"); i++) {
            String arg = expanded[i];
            if (arg.startsWith("--")) {
                int equals = arg.indexOf('=');
                String given = equals < 0 ? arg : arg.substring(0, equals);
                String name = option(command, given, preferred);
                expanded[i] = equals < 0 ? name : name + arg.substring(equals);
                i += equals < 0 && takesNext(command, name) ? 1 : 0;
            } else if (arg.startsWith("-")) {
                i += endsInValue(command, arg) ? 1 : 0;
            }
        }
        return expanded;
    }

    private static String option(CommandSpec command, String given, Set<String> preferred) {
        if (Options.find(command, given) != null) {
            return given;
        }
        Set<String> fitting = command.options()
                .stream()
                .filter(option -> !option.hidden())
                .flatMap(option -> Arrays.stream(option.names()))
                .filter(name -> name.startsWith(given))
                .collect(Collectors.toCollection(TreeSet::new));
        if (fitting.stream().anyMatch(preferred::contains)) {
            fitting.retainAll(preferred);
        }
        if (fitting.size() > 1) {
            throw new IllegalArgumentException(
                    "option '" + given + "' is ambiguous; possibilities: " + quoted(fitting, " "));
        }
        return fitting.isEmpty() ? given : fitting.iterator().next();
    }

    /** Returns whether the next argument is the value of an option that this one ends with. */
    public static boolean isBeforeValue(CommandSpec command, String arg) {
        return arg.startsWith("--")
                ? !arg.contains("=") && takesNext(command, arg)
                : arg.startsWith("-") && endsInValue(command, arg);
    }

    static boolean takesNext(CommandSpec command, String name) {
        @Nullable OptionSpec option = Options.find(command, name);
        return option != null && option.arity().min() > 0;
    }

    // In a group of one-letter options, the first one that needs a value takes the rest of the group, or the next
    // argument.
    static boolean endsInValue(CommandSpec command, String arg) {
        for (int i = 1; i < arg.length(); i++) {
            if (takesNext(command, "-" + arg.charAt(i))) {
                return i == arg.length() - 1;
            }
        }
        return false;
    }

    /**
     * Returns the word that was given or abbreviated.
     *
     * @param option the option to which the word belongs, for messages
     * @param words the possible words
     * @param preferred words with precedence over others with the same prefix
     * @throws IllegalArgumentException if there is no such word, or the prefix is ambiguous; the message lists the
     *         possible words
     */
    public static String word(String option, String given, Collection<String> words, Collection<String> preferred) {
        if (words.contains(given)) {
            return given;
        }
        List<String> fitting = words.stream().filter(word -> !given.isEmpty() && word.startsWith(given)).toList();
        List<String> first = fitting.stream().filter(preferred::contains).toList();
        List<String> found = first.isEmpty() ? fitting : first;
        if (found.size() == 1) {
            return found.getFirst();
        }
        throw new IllegalArgumentException(found.isEmpty()
                ? option + " takes " + listed(words) + ", not '" + ExactArguments.printable(given) + "'"
                : option + ": '" + given + "' is ambiguous; possibilities: " + quoted(found, " "));
    }

    /** Returns a converter to an enumeration whose values may be abbreviated. */
    public static <E extends Enum<E>> ITypeConverter<E> of(Class<E> type) {
        List<String> names = Arrays.stream(type.getEnumConstants()).map(Enum::name).toList();
        return given -> {
            if (names.stream().noneMatch(name -> !given.isEmpty() && name.startsWith(given))) {
                // The same text as in Picocli's own converter.
                throw new TypeConversionException(
                        "expected one of " + names + " (case-sensitive) but was '" + given + "'");
            }
            try {
                return Enum.valueOf(type, word("it", given, names, List.of()));
            } catch (IllegalArgumentException e) {
                throw new TypeConversionException(String.valueOf(e.getMessage()));
            }
        };
    }

    private static String listed(Collection<String> words) {
        List<String> all = List.copyOf(words);
        return all.size() == 1
                ? all.getFirst()
                : String.join(", ", all.subList(0, all.size() - 1)) + " or " + all.getLast();
    }

    private static String quoted(Collection<String> words, String separator) {
        return words.stream().map(word -> "'" + word + "'").collect(Collectors.joining(separator));
    }
}
