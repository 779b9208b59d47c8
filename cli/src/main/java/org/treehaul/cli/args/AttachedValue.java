// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.args;

import java.util.Map;
import java.util.Objects;
import java.util.Stack;

import picocli.CommandLine.IParameterPreprocessor;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/**
 * Requires an optional value to be attached, as GNU programs do: in {@code cp --preserve a b}, the {@code a} is a
 * source.
 */
public final class AttachedValue implements IParameterPreprocessor {

    /** Creates a preprocessor. */
    public AttachedValue() {}

    @Override
    @SuppressWarnings("JdkObsolete")
    public boolean preprocess(Stack<String> args, CommandSpec command, ArgSpec arg, Map<String, Object> info) {
        if (!"=".equals(info.get("separator"))) {
            args.push(Objects.requireNonNull(((OptionSpec) arg).fallbackValue()));
        }
        return false;
    }
}
