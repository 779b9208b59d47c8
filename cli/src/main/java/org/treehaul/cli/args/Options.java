// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.args;

import java.util.List;
import java.util.Objects;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.IGetter;
import picocli.CommandLine.Model.ISetter;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/**
 * Begins the definitions of options for Picocli's model.
 *
 * <p>
 * Picocli could also read them from annotations, but only by reflection: the JVM then generates a class for each kind
 * of annotation and each accessor at every start, which took half of the start-up time.
 */
public final class Options {

    private Options() {}

    /** Defines an option without a value. The setter gets true, or false only for {@code --name=false}. */
    public static OptionSpec.Builder flag(Consumer<Boolean> setter, String... names) {
        return value(Boolean.class, setter, names);
    }

    /** Defines {@code -h} and {@code --help}, or other names of the option that prints the help. */
    public static OptionSpec help(String... others) {
        String[] names = others.length == 0 ? new String[]{"-h", "--help"} : others;
        return flag(value -> {}, names).usageHelp(true).description("Print this help.").build();
    }

    /** Defines an option with a value; the setter is called each time the option is given. */
    public static <V> OptionSpec.Builder value(Class<V> type, Consumer<V> setter, String... names) {
        return OptionSpec.builder(names).type(type).setter(new Setter(value -> setter.accept(type.cast(value))));
    }

    /**
     * Defines an option with a value, one of many with the same setter: they need one class in place of one each, which
     * matters at each start.
     *
     * @param setter receives the last of the names, and the value
     */
    public static OptionSpec.Builder named(Class<?> type, BiConsumer<String, Object> setter, String... names) {
        return OptionSpec.builder(names).type(type).setter(new NamedSetter(setter, names[names.length - 1]));
    }

    /** Defines such an option whose value is optional, see {@link #attached}. */
    public static OptionSpec.Builder namedAttached(Class<?> type, String without, BiConsumer<String, Object> setter,
            String name) {
        return named(type, setter, name).arity("0..1").fallbackValue(without).preprocessor(new AttachedValue());
    }

    /**
     * Defines an option whose value is optional and must be attached: {@code --name=value}.
     *
     * @param without the value if none is given
     */
    public static <V> OptionSpec.Builder attached(Class<V> type, String without, Consumer<V> setter, String name) {
        return value(type, setter, name).arity("0..1").fallbackValue(without).preprocessor(new AttachedValue());
    }

    /** Defines the only argument that is not an option; it is required. */
    public static <V> PositionalParamSpec.Builder operand(Class<V> type, Consumer<V> setter) {
        return PositionalParamSpec.builder()
                .index("0")
                .arity("1")
                .required(true)
                .type(type)
                .setter(new Setter(value -> setter.accept(type.cast(value))));
    }

    /** Defines the only argument that is not an option; it may be left out. */
    public static <V> PositionalParamSpec.Builder optionalOperand(Class<V> type, Consumer<V> setter) {
        return operand(type, setter).arity("0..1").required(false);
    }

    /** Defines the arguments that are not options, any number of them. */
    @SuppressWarnings("unchecked") // Picocli fills a list with the results of the type's converter
    public static <V> PositionalParamSpec.Builder operands(Class<V> type, Supplier<List<V>> getter,
            Consumer<List<V>> setter) {
        return PositionalParamSpec.builder()
                .index("0..*")
                .arity("0..*")
                .type(List.class)
                .auxiliaryTypes(type)
                .getter(new Getter(getter))
                .setter(new Setter(value -> setter.accept((List<V>) value)));
    }

    /** Adds an option without a value to a command. */
    public static void add(CommandSpec command, OptionSpec.Builder option, String description) {
        command.addOption(option.description(description).build());
    }

    /** Adds an option with a value to a command; the help shows the label in place of the value. */
    public static void add(CommandSpec command, OptionSpec.Builder option, String label, String description) {
        add(command, option.paramLabel(label), description);
    }

    /** Adds arguments that are not options to a command; the help shows the label in their place. */
    public static void add(CommandSpec command, PositionalParamSpec.Builder operand, String label, String description) {
        command.addPositional(operand.paramLabel(label).description(description).build());
    }

    /**
     * Returns the option of a command with this name, which includes its hyphens; null if it has none. Picocli's own
     * search compares all names of all options, which takes 2 ms of the start of a command.
     */
    public static @Nullable OptionSpec find(CommandSpec command, String name) {
        return command.optionsMap().get(name);
    }

    // A name that the command must have.
    private static OptionSpec existing(CommandSpec command, String name) {
        return Objects.requireNonNull(find(command, name), name);
    }

    /** Leaves options out of the help of a command; it still accepts them. */
    public static void hide(CommandSpec command, String... names) {
        for (String name : names) {
            OptionSpec option = existing(command, name);
            command.remove(option);
            command.addOption(option.toBuilder().hidden(true).build());
        }
    }

    /** Gives an option of a command another description. */
    public static void describe(CommandSpec command, String name, String description) {
        OptionSpec option = existing(command, name);
        command.remove(option);
        command.addOption(option.toBuilder().description(description).build());
    }

    private record Setter(Consumer<Object> action) implements ISetter {
        @Override
        public <T> T set(T value) {
            // Picocli first sets all values to null before it reads arguments; the field keeps its default.
            if (value != null) {
                action.accept(value);
            }
            return value;
        }
    }

    private record NamedSetter(BiConsumer<String, Object> action, String name) implements ISetter {
        @Override
        public <T> T set(T value) {
            if (value != null) {
                action.accept(name, value);
            }
            return value;
        }
    }

    private record Getter(Supplier<?> action) implements IGetter {
        @Override
        @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"}) // as in Picocli's interface
        public <T> T get() {
            return (T) action.get();
        }
    }
}
