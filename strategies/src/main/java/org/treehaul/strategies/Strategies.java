// SPDX-License-Identifier: Apache-2.0
package org.treehaul.strategies;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.plan.Batching;

/** The strategies for dividing a transfer into batches: those of TreeHaul and those that other jars add. */
public final class Strategies {

    private Strategies() {}

    /**
     * Returns the strategy that gives every batch its share of bytes and of files; the right choice if nothing is known
     * about the data. Nuss, chapter 2.3.4, balances both as well, in another way.
     *
     * <p>
     * There are as many batches as requested, or as the limits require; fewer only if there are fewer items. In bytes,
     * each batch has at most the average plus 2.5 times the largest item; in files, at most the average plus 2.5 times
     * the number of names of the file with the most names (or chunks count as 1); it falls short of the average by no
     * more than that. All batches together consist of fewer than three times as many pieces of the sorted tree as there
     * are batches. A limit on files or bytes holds wherever forty times as many batches can make it hold.
     */
    public static Batching sizeBalanced() {
        return new SizeBalanced();
    }

    /**
     * Returns the strategy that keeps the entries of one directory in one batch, so that no two workers create names in
     * the same directory. A directory with more files or bytes than the share of a batch is cut into pieces of at most
     * that share.
     *
     * <p>
     * In files and bytes each batch has at most the average plus 2.5 times the largest such piece.
     */
    public static Batching directoryGrouped() {
        return new DirectoryGrouped();
    }

    /**
     * Returns the strategy that releases batches while the walk continues, each as soon as it reaches the limit on
     * files or bytes: no batch exceeds a limit, unless it is a single entry. Names of hard-linked files come last.
     */
    public static Batching streaming() {
        return new Streaming();
    }

    /**
     * Returns the strategy with a name.
     *
     * @throws IllegalArgumentException if there is none; the message lists the existing ones, or describes the problem
     *         with one that another jar adds
     */
    public static Batching named(String name) {
        Batching found = all().get(name);
        if (found == null) {
            throw new IllegalArgumentException("unknown strategy '" + ByteString.of(name) + "'; choose one of "
                    + all().keySet().stream().collect(Collectors.joining(", ")));
        }
        return found;
    }

    /**
     * Returns all strategies by name, with those that other jars add.
     *
     * @throws IllegalArgumentException if one that another jar adds cannot be loaded, has no name, or has the name of
     *         another added one
     */
    public static SortedMap<String, Batching> all() {
        SortedMap<String, Batching> all = new TreeMap<>();
        for (Batching added : added()) {
            Batching other = all.put(name(added), added);
            if (other != null) {
                throw new IllegalArgumentException("the strategy '" + ByteString.of(name(added)) + "' is provided by "
                        + other.getClass().getName() + " and by " + added.getClass().getName());
            }
        }
        // Added strategies cannot replace those that guides and other jars rely on.
        all.putAll(Map.of(SizeBalanced.NAME, sizeBalanced(), DirectoryGrouped.NAME, directoryGrouped(), Streaming.NAME,
                streaming()));
        return all;
    }

    private static List<Batching> added() {
        List<Batching> added = new ArrayList<>();
        try {
            ServiceLoader.load(Batching.class).forEach(added::add);
        } catch (ServiceConfigurationError e) {
            throw unusable(e.getMessage(), e);
        } catch (LinkageError e) {
            throw unusable(e, e);
        }
        return added;
    }

    private static String name(Batching added) {
        String name;
        try {
            name = added.name();
        } catch (RuntimeException | LinkageError e) {
            throw unusable(added.getClass().getName() + ": " + e, e);
        }
        if (name == null) {
            throw new IllegalArgumentException("the strategy " + added.getClass().getName() + " has no name");
        }
        return name;
    }

    private static IllegalArgumentException unusable(@Nullable Object why, Throwable cause) {
        return new IllegalArgumentException("cannot load a strategy from another jar: " + why, cause);
    }
}
