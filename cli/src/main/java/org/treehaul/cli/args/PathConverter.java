// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.args;

import org.treehaul.core.entry.ByteString;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Makes a path of an argument. */
public final class PathConverter implements ITypeConverter<ByteString> {

    /** Makes a converter. */
    public PathConverter() {}

    @Override
    public ByteString convert(String argument) {
        if (argument.isEmpty()) {
            throw new TypeConversionException("an empty path names nothing; the working directory is '.'");
        }
        return ByteString.of(ExactArguments.bytes(argument));
    }
}
