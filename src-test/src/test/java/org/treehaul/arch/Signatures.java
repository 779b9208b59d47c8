// SPDX-License-Identifier: Apache-2.0
package org.treehaul.arch;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.classfile.Attributes;
import java.lang.classfile.ClassFile;
import java.lang.reflect.AnnotatedType;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.TypeVariable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaMember;

/**
 * The signatures of an API as lines: one for each type, and indented below it one for each member that programs may
 * use. A line has everything on which a program can depend: modifiers, types with their arguments and their nullness,
 * exceptions, components of records, permitted subtypes, values of constants. The word {@code public} and the name
 * {@code org.treehaul} are left out.
 */
final class Signatures {

    private static final String INDENT = "    ";
    private static final List<String> OF_EVERY_OBJECT = List.of("equals(Object)", "hashCode()", "toString()");
    private static final int TYPE_MODIFIERS = Modifier.PUBLIC | Modifier.PROTECTED | Modifier.ABSTRACT | Modifier.STATIC
            | Modifier.FINAL;

    private Signatures() {}

    /** Returns the lines of all API types in a package and below it, in the order of their names. */
    static List<String> of(Marks marks, JavaClasses classes, String packageName) {
        List<String> lines = new ArrayList<>();
        classes.stream()
                .filter(type -> (type.getPackageName() + ".").startsWith(packageName + "."))
                .filter(type -> !type.getSimpleName().equals("package-info") && marks.isApi(type))
                .sorted(Comparator.comparing(JavaClass::getName))
                .forEach(type -> add(type, lines));
        return lines;
    }

    private static void add(JavaClass type, List<String> lines) {
        Class<?> reflected = type.reflect();
        lines.add(shortened(ofType(reflected)));
        if (reflected.isEnum()) {
            Arrays.stream(reflected.getFields())
                    .filter(Field::isEnumConstant)
                    .forEach(constant -> lines.add(INDENT + constant.getName()));
        }
        type.getMembers()
                .stream()
                .filter(Marks::isPartOfApi)
                .sorted(Comparator.comparing(JavaMember::getName).thenComparing(JavaMember::getFullName))
                .map(Signatures::ofMember)
                .flatMap(Optional::stream)
                .forEach(line -> lines.add(INDENT + shortened(line)));
    }

    /** Leaves out what almost every line has. */
    private static String shortened(String line) {
        return line.replaceFirst("^public ", "").replace("org.treehaul.", "");
    }

    private static String ofType(Class<?> type) {
        boolean isValue = type.isRecord() || type.isEnum();
        int hidden = isValue
                ? Modifier.FINAL | Modifier.STATIC | Modifier.ABSTRACT
                : type.isInterface() ? Modifier.ABSTRACT | Modifier.STATIC : 0;
        StringBuilder line = new StringBuilder(Modifier.toString(type.getModifiers() & TYPE_MODIFIERS & ~hidden));
        boolean isSealed = type.isSealed() && !type.isEnum();
        line.append(isSealed ? " sealed" : "")
                .append(type.isAnnotation()
                        ? " @interface "
                        : type.isInterface()
                                ? " interface "
                                : type.isRecord() ? " record " : type.isEnum() ? " enum " : " class ")
                .append(type.getName())
                .append(parameters(type.getTypeParameters()));
        if (type.isRecord()) {
            line.append(Arrays.stream(type.getRecordComponents())
                    .map(component -> text(component.getAnnotatedType()) + " " + component.getName())
                    .collect(Collectors.joining(", ", "(", ")")));
        }
        AnnotatedType superclass = type.getAnnotatedSuperclass();
        if (superclass != null && !isValue && type.getSuperclass() != Object.class) {
            line.append(" extends ").append(text(superclass));
        }
        if (!type.isAnnotation()) {
            line.append(list(type.isInterface() ? " extends " : " implements ",
                    Arrays.stream(type.getAnnotatedInterfaces()).map(Signatures::text)));
        }
        if (isSealed) {
            line.append(list(" permits ", Arrays.stream(type.getPermittedSubclasses()).map(Class::getName).sorted()));
        }
        return line.toString();
    }

    private static Optional<String> ofMember(JavaMember member) {
        return switch (member.reflect()) {
            case Field field when field.isEnumConstant() -> Optional.empty();
            case Field field -> Optional.of(ofField(field));
            case Constructor<?> made when made.getDeclaringClass().isEnum() -> Optional.empty();
            case Constructor<?> made ->
                Optional.of(Modifier.toString(made.getModifiers()) + parameters(made.getTypeParameters(), " ") + " "
                        + call(made.getDeclaringClass().getSimpleName(), made));
            case Method method when isOfEveryType(method) -> Optional.empty();
            case Method method -> Optional.of(ofMethod(method));
            default -> throw new IllegalArgumentException(member.getFullName());
        };
    }

    private static boolean isOfEveryType(Method method) {
        return OF_EVERY_OBJECT.contains(call(method.getName(), method)) || method.getDeclaringClass().isEnum()
                && (method.getName().equals("values") || method.getName().equals("valueOf"));
    }

    private static String ofField(Field field) {
        return Modifier.toString(field.getModifiers()) + " " + text(field.getAnnotatedType()) + " " + field.getName()
                + constant(field).map(value -> " = " + value).orElse("");
    }

    /** Returns the value that compilers copy into programs. */
    private static Optional<String> constant(Field field) {
        Class<?> type = field.getDeclaringClass();
        try (InputStream bytes = Objects.requireNonNull(
                type.getResourceAsStream(type.getName().substring(type.getPackageName().length() + 1) + ".class"))) {
            return ClassFile.of()
                    .parse(bytes.readAllBytes())
                    .fields()
                    .stream()
                    .filter(model -> model.fieldName().equalsString(field.getName()))
                    .flatMap(model -> model.findAttribute(Attributes.constantValue()).stream())
                    .map(value -> String.valueOf(value.constant().constantValue()).replace("\n", "\\n"))
                    .findFirst();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String ofMethod(Method method) {
        int modifiers = method.getModifiers() & Modifier.methodModifiers() & ~(Modifier.SYNCHRONIZED | Modifier.NATIVE);
        Object value = method.getDefaultValue();
        return Modifier.toString(modifiers) + (method.isDefault() ? " default" : "")
                + parameters(method.getTypeParameters(), " ") + " " + text(method.getAnnotatedReturnType()) + " "
                + call(method.getName(), method) + (value == null ? "" : " default");
    }

    private static String call(String name, Executable executable) {
        return name
                + Arrays.stream(executable.getAnnotatedParameterTypes())
                        .map(Signatures::text)
                        .collect(Collectors.joining(", ", "(", ")"))
                + list(" throws ",
                        Arrays.stream(executable.getAnnotatedExceptionTypes()).map(Signatures::text).sorted());
    }

    private static String parameters(TypeVariable<?>[] variables, String before) {
        return variables.length == 0 ? "" : before + parameters(variables);
    }

    private static String parameters(TypeVariable<?>[] variables) {
        return variables.length == 0
                ? ""
                : Arrays.stream(variables)
                        .map(variable -> variable.getName() + list(" extends ",
                                Arrays.stream(variable.getAnnotatedBounds())
                                        .map(Signatures::text)
                                        .filter(bound -> !bound.equals("Object"))))
                        .collect(Collectors.joining(", ", "<", ">"));
    }

    private static String list(String before, Stream<String> parts) {
        String all = parts.collect(Collectors.joining(", "));
        return all.isEmpty() ? "" : before + all;
    }

    private static String text(AnnotatedType type) {
        return type.toString()
                .replaceAll("@[\\w.]+\\.(\\w+)\\(\\)", "@$1")
                .replaceAll("\\bjava\\.lang\\.(?=[A-Z])", "");
    }
}
