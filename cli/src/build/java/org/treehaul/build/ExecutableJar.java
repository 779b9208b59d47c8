// SPDX-License-Identifier: Apache-2.0
package org.treehaul.build;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassHierarchyResolver;
import java.lang.classfile.ClassTransform;
import java.lang.constant.ClassDesc;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;

/**
 * Copies a jar and changes three things.
 * <ul>
 * <li>Old classes get the format of Java 8. A class from before Java 6 has no stack maps; the JVM then verifies it the
 * slow way at every start, and takes it into no archive. Picocli is compiled for Java 5.</li>
 * <li>Switches over types and comparisons of records need no classes that the JVM generates at every start
 * ({@link PlainCode}).</li>
 * <li>The store in PostgreSQL, its driver and its pool move into a part of the jar that only
 * {@code org.treehaul.tuplespace.store.BundledStores} reads. They refer to modules of Java that the runtime of the
 * package does not contain.</li>
 * </ul>
 * All else stays as it is, order and times of the entries too: the same jar in gives the same jar out.
 */
final class ExecutableJar {

    /** Older class files can do without stack maps. */
    private static final int FIRST_WITH_STACK_MAPS = ClassFile.JAVA_6_VERSION;
    private static final int VERSION_OFFSET = 6;

    private static final String STORES = "META-INF/stores/";
    private static final String SERVICES = "META-INF/services/";
    private static final Pattern OF_STORES = Pattern
            .compile("(META-INF/versions/\\d+/)?((org/postgresql|com/zaxxer|org/treehaul/tuplespace/postgresql)/.*)");

    private final Map<String, byte[]> contents = new LinkedHashMap<>();
    private final ClassFile classFile = ClassFile.of(ClassFile.StackMapsOption.GENERATE_STACK_MAPS,
            ClassFile.ClassHierarchyResolverOption.of(ClassHierarchyResolver.ofResourceParsing(this::find)
                    .orElse(ClassHierarchyResolver.defaultResolver())));

    private ExecutableJar() {}

    /**
     * Runs.
     *
     * @param args the jar to read and the jar to write
     */
    public static void main(String[] args) throws IOException {
        Path to = Path.of(args[1]);
        Path unfinished = to.resolveSibling(to.getFileName() + ".new");
        new ExecutableJar().copy(Path.of(args[0]), unfinished);
        // At once: a jar that a JVM has open must not change below it.
        Files.move(unfinished, to, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    private void copy(Path from, Path to) throws IOException {
        try (ZipFile jar = new ZipFile(from.toFile());
                OutputStream file = Files.newOutputStream(to);
                ZipOutputStream out = new ZipOutputStream(file)) {
            for (ZipEntry entry : (Iterable<ZipEntry>) jar.stream().map(ZipEntry.class::cast)::iterator) {
                contents.put(entry.getName(), jar.getInputStream(entry).readAllBytes());
            }
            Map<String, String> origins = new LinkedHashMap<>();
            for (String name : List.copyOf(contents.keySet())) {
                Matcher ofStores = OF_STORES.matcher(name);
                if (name.startsWith(SERVICES) && !name.endsWith("/")) {
                    divide(name, origins);
                } else if (!ofStores.matches()) {
                    origins.put(name, name);
                } else if (ofStores.group(1) != null) {
                    origins.put(STORES + ofStores.group(2), name);
                } else {
                    // The one for a newer Java replaces it, whichever comes first.
                    origins.putIfAbsent(STORES + name, name);
                }
            }
            for (Map.Entry<String, String> origin : origins.entrySet()) {
                String name = origin.getKey();
                byte[] content = contents.get(contents.containsKey(name) ? name : origin.getValue());
                ZipEntry copy = new ZipEntry(name);
                copy.setTimeLocal(jar.getEntry(origin.getValue()).getTimeLocal());
                copy.setExtra(jar.getEntry(origin.getValue()).getExtra());
                out.putNextEntry(copy);
                out.write(name.endsWith(".class") ? PlainCode.in(classFile, upgrade(content)) : content);
                out.closeEntry();
            }
        }
    }

    /** Divides a list of services, by whether their classes move. */
    private void divide(String name, Map<String, String> origins) {
        Map<Boolean, List<String>> services = new String(contents.get(name), StandardCharsets.UTF_8).lines()
                .collect(Collectors.partitioningBy(line -> OF_STORES.matcher(line.replace('.', '/')).matches()));
        services.forEach((moves, lines) -> {
            if (!lines.isEmpty()) {
                String place = moves ? STORES + name : name;
                origins.put(place, name);
                contents.put(place, String.join("\n", lines).concat("\n").getBytes(StandardCharsets.UTF_8));
            }
        });
    }

    private byte[] upgrade(byte[] content) {
        int version = (content[VERSION_OFFSET] & 0xff) << 8 | content[VERSION_OFFSET + 1] & 0xff;
        if (version >= FIRST_WITH_STACK_MAPS) {
            return content;
        }
        ClassTransform newVersion = ClassTransform.endHandler(to -> to.withVersion(ClassFile.JAVA_8_VERSION, 0));
        ClassTransform newBodies = ClassTransform.transformingMethodBodies((to, element) -> to.with(element));
        return classFile.transformClass(classFile.parse(content), newBodies.andThen(newVersion));
    }

    private InputStream find(ClassDesc type) {
        String descriptor = type.descriptorString();
        byte[] content = contents.get(descriptor.substring(1, descriptor.length() - 1) + ".class");
        return content == null ? null : new ByteArrayInputStream(content);
    }
}
