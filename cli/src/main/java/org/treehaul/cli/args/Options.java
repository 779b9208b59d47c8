// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.args;

import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;

import picocli.CommandLine.Model.IGetter;
import picocli.CommandLine.Model.ISetter;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/**
 * Begins the descriptions of options, which then go to Picocli's model.
 * <p>
 * Picocli would also read them from annotations, but only by way of reflection: the JVM then writes a class for each
 * kind of annotation and each accessor at every start, and that took half of it.
 */
public final class Options {

    private Options() {}

    /** An option without a value. The setter gets true, and false only for {@code --name=false}. */
    public static OptionSpec.Builder flag(Consumer<Boolean> setter, String... names) {
        return value(Boolean.class, setter, names);
    }

    /** An option with a value; the setter is called each time that it is given. */
    public static <V> OptionSpec.Builder value(Class<V> type, Consumer<V> setter, String... names) {
        return OptionSpec.builder(names).type(type).setter(new Setter(value -> setter.accept(type.cast(value))));
    }

    /**
     * An option whose value may be left out and must be attached: {@code --name=value}.
     *
     * @param without stands for the value where there is none
     */
    public static <V> OptionSpec.Builder attached(Class<V> type, String without, Consumer<V> setter, String name) {
        return value(type, setter, name).arity("0..1").fallbackValue(without).preprocessor(new AttachedValue());
    }

    /** The one argument that is no option and must be there. */
    public static <V> PositionalParamSpec.Builder operand(Class<V> type, Consumer<V> setter) {
        return PositionalParamSpec.builder()
                .index("0")
                .arity("1")
                .required(true)
                .type(type)
                .setter(new Setter(value -> setter.accept(type.cast(value))));
    }

    /** The one argument that is no option and may be left out. */
    public static <V> PositionalParamSpec.Builder optionalOperand(Class<V> type, Consumer<V> setter) {
        return operand(type, setter).arity("0..1").required(false);
    }

    /** The arguments that are no options, any number of them. */
    @SuppressWarnings("unchecked") // Picocli fills a list with what the converter of the type returns
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

    private record Setter(Consumer<Object> action) implements ISetter {
        @Override
        public <T> T set(T value) {
            // Before it reads arguments, Picocli sets all to nothing; what stands in the field is the default.
            if (value != null) {
                action.accept(value);
            }
            return value;
        }
    }

    private record Getter(Supplier<?> action) implements IGetter {
        @Override
        @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"}) // as Picocli's interface has it
        public <T> T get() {
            return (T) action.get();
        }
    }
}
