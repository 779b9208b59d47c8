// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.staged;

import org.treehaul.cli.common.CommonOptions;
import org.treehaul.cli.common.UsageException;
import org.treehaul.core.entry.ByteString;
import org.treehaul.schedulers.stage.Catalogue;
import org.treehaul.schedulers.stage.StagedPath;

/**
 * An entry of a stage that an operand names.
 *
 * @param stage the name of the stage
 * @param path the path in it; empty for the top
 * @param given the operand as the user wrote it
 */
public record StagedEntry(String stage, ByteString path, ByteString given) {

    private static final int SCHEME = "stage:".length();
    private static final String NAME = ", NAME of letters, digits, dots, hyphens and underscores, not '";

    /**
     * Returns the entry that {@code NAME:[PATH]} names.
     *
     * @throws UsageException if the operand has another form
     */
    public static StagedEntry parse(CommonOptions common, ByteString operand) {
        return parse(common, operand, 0, ':', "NAME:[PATH]" + NAME + operand + "'");
    }

    /**
     * Returns the entry that {@code stage:NAME/PATH} names; the operand begins so.
     *
     * @throws UsageException if the rest has another form
     */
    static StagedEntry afterScheme(CommonOptions common, ByteString operand) {
        return parse(common, operand, SCHEME, '/',
                "stage:NAME/PATH" + NAME + operand + "'; a local file of this name is './" + operand + "'");
    }

    private static StagedEntry parse(CommonOptions common, ByteString operand, int from, char separator, String form) {
        byte[] bytes = operand.toBytes();
        int end = from;
        while (end < bytes.length && bytes[end] != separator) {
            end++;
        }
        String name = ByteString.of(bytes, from, end).toString();
        // The top of a stage needs no slash, but a colon.
        if (!Catalogue.isName(name) || end == bytes.length && separator == ':') {
            throw common.usage("a path of a stage is " + form);
        }
        try {
            return new StagedEntry(name,
                    StagedPath.of(ByteString.of(bytes, Math.min(end + 1, bytes.length), bytes.length)), operand);
        } catch (IllegalArgumentException e) {
            throw common.usage(String.valueOf(e.getMessage()));
        }
    }
}
