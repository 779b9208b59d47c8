// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.config;

/**
 * A value that takes the place of an option.
 *
 * @param name the option's long name without the dashes
 * @param value the value as it would follow {@code --name=}, one character per byte
 * @param origin where it was set, for users: a file with a line number, or a variable
 * @param isOfPreset whether it belongs to a preset, which applies only to commands that name the preset
 */
public record Setting(String name, String value, String origin, boolean isOfPreset) {

    /** Returns the equivalent argument. */
    public String argument() {
        return "--" + name + "=" + value;
    }
}
