// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli;

import java.io.File;
import java.io.FileDescriptor;
import java.lang.reflect.Field;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystems;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Changes what Java reads only when the process starts: the working directory and the environment. The process must
 * open the packages to reflection, see {@link #OPTIONS}. Used between commands, by one thread.
 */
public final class StartOfJava {

    /** Options of the JVM without which the changes fail. */
    public static final List<String> OPTIONS = Stream.of("java.lang", "java.util", "java.io", "sun.nio.fs")
            .map(name -> "--add-opens=java.base/" + name + "=ALL-UNNAMED")
            .toList();

    private StartOfJava() {}

    /** Makes Java resolve relative paths in a directory, which must be that of the process. */
    static void directory(String directory) throws ReflectiveOperationException {
        System.setProperty("user.dir", directory);
        Object fileSystem = FileSystems.getDefault();
        field(fileSystem.getClass().getSuperclass(), "defaultDirectory").set(fileSystem,
                directory.getBytes(StandardCharsets.ISO_8859_1));
        Object files = field(File.class, "FS").get(null);
        field(files.getClass(), "userDir").set(files, directory);
    }

    /** Replaces the environment by the variables of a text, each of which ends with a NUL. */
    @SuppressWarnings("unchecked")
    static void environment(String text) throws ReflectiveOperationException {
        Map<String, String> wanted = new TreeMap<>();
        for (String variable : text.split("\0", -1)) {
            int end = variable.indexOf('=');
            if (end > 0) {
                wanted.put(variable.substring(0, end), variable.substring(end + 1));
            }
        }
        Map<String, String> known = System.getenv();
        if (!known.equals(wanted)) {
            // The map of the JDK is a view of this one, which only it may change.
            Map<String, String> inner = (Map<String, String>) field(known.getClass(), "m").get(known);
            inner.clear();
            inner.putAll(wanted);
        }
    }

    /** Makes a descriptor one of an open file again, after a command has closed a stream of it. */
    static void reopen(FileDescriptor descriptor, int number) throws ReflectiveOperationException {
        field(FileDescriptor.class, "fd").set(descriptor, number);
        field(FileDescriptor.class, "closed").set(descriptor, false);
        field(FileDescriptor.class, "parent").set(descriptor, null);
        field(FileDescriptor.class, "otherParents").set(descriptor, null);
    }

    private static Field field(Class<?> type, String name) throws NoSuchFieldException {
        Field field = type.getDeclaredField(name);
        field.setAccessible(true);
        return field;
    }
}
