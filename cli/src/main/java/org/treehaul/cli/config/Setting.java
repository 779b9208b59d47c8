// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.config;

/**
 * A value that stands for an option.
 *
 * @param name the option's long name without the dashes
 * @param value as it would be given after {@code --name=}, a character for each byte
 * @param origin where it was set, for people: a file with a line number, or a variable
 */
public record Setting(String name, String value, String origin) {

    /** Returns the argument that says the same. */
    public String argument() {
        return "--" + name + "=" + value;
    }
}
