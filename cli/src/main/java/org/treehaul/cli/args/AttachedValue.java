// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.args;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.Stack;

import picocli.CommandLine.IParameterPreprocessor;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;

/**
 * Requires an optional value to be attached, as GNU programs do: in {@code cp --preserve a b}, the {@code a} is a
 * source.
 */
public final class AttachedValue implements IParameterPreprocessor {

    /** Words that users give as the next argument, as other programs allow. */
    private static final Set<String> VALUES = Set.of("auto", "always", "never", "xxh3", "sha256", "older", "all",
            "none", "numbered", "existing", "simple", "mode", "ownership", "timestamps", "links", "xattr", "acl");

    /** Creates a preprocessor. */
    public AttachedValue() {}

    @Override
    @SuppressWarnings("JdkObsolete")
    public boolean preprocess(Stack<String> args, CommandSpec command, ArgSpec arg, Map<String, Object> info) {
        if (!"=".equals(info.get("separator"))) {
            // Otherwise the word would become an operand, and the message would be about that.
            if (!args.isEmpty() && VALUES.contains(args.peek()) && !Files.exists(Path.of(args.peek()))) {
                String name = ((OptionSpec) arg).longestName();
                throw new ParameterException(command.commandLine(), "there is no '" + args.peek()
                        + "' here; a value of " + name + " is attached: " + name + "=" + args.peek());
            }
            args.push(Objects.requireNonNull(((OptionSpec) arg).fallbackValue()));
        }
        return false;
    }
}
