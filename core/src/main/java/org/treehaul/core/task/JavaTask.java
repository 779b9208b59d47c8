// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.task;

import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;

import org.treehaul.core.annotation.Api;

/**
 * The work of a Java class, which an {@link EntryTaskProvider} creates. Immutable.
 *
 * @param name the name, see {@link EntryTaskProvider#name}
 * @param version the version, from 1
 * @param parameters the parameters; the keys consist of at most 64 letters, digits, dots, hyphens and underscores
 */
@Api
public record JavaTask(String name, int version, SortedMap<String, String> parameters) implements TaskBody {

    private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9-]{0,63}");
    private static final Pattern KEYS = Pattern.compile("[A-Za-z0-9._-]{1,64}");

    /**
     * Checks the values.
     *
     * @throws IllegalArgumentException if name, version or a key is not as described
     */
    public JavaTask {
        parameters = Collections.unmodifiableSortedMap(new TreeMap<>(parameters));
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException("not a name for a task: '" + name + "'");
        }
        if (version < 1) {
            throw new IllegalArgumentException("version " + version + " of task '" + name + "'");
        }
        parameters.keySet().stream().filter(key -> !KEYS.matcher(key).matches()).findFirst().ifPresent(key -> {
            throw new IllegalArgumentException("not a name for a parameter: '" + key + "'");
        });
    }

    @Override
    public boolean takesList() {
        return false;
    }

    @Override
    public boolean takesSegment() {
        return true;
    }

    @Override
    public String toString() {
        return "task '" + name + "' version " + version;
    }
}
