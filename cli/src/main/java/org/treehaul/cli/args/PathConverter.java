// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.args;

import org.treehaul.core.entry.ByteString;
import picocli.CommandLine.ITypeConverter;

/** Converts an argument to a path. */
public final class PathConverter implements ITypeConverter<ByteString> {

    /** Creates a converter. */
    public PathConverter() {}

    @Override
    public ByteString convert(String argument) {
        return ByteString.of(ExactArguments.bytes(argument));
    }
}
