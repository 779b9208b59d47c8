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
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;

/**
 * Copies a jar and gives its old classes the format of Java 8. A class from before Java 6 has no stack maps; the JVM
 * then verifies it the slow way at every start, and takes it into no archive. Picocli is compiled for Java 5.
 * <p>
 * All else stays as it is, order and times of the entries too: the same jar in gives the same jar out.
 */
final class UpgradeClasses {

    /** Older class files can do without stack maps. */
    private static final int FIRST_WITH_STACK_MAPS = ClassFile.JAVA_6_VERSION;
    private static final int VERSION_OFFSET = 6;

    private final Map<String, byte[]> contents = new LinkedHashMap<>();
    private final ClassFile classFile = ClassFile.of(ClassFile.StackMapsOption.GENERATE_STACK_MAPS,
            ClassFile.ClassHierarchyResolverOption.of(ClassHierarchyResolver.ofResourceParsing(this::find)
                    .orElse(ClassHierarchyResolver.defaultResolver())));

    private UpgradeClasses() {}

    /**
     * Runs.
     *
     * @param args the jar to read and the jar to write
     */
    public static void main(String[] args) throws IOException {
        Path to = Path.of(args[1]);
        Path unfinished = to.resolveSibling(to.getFileName() + ".new");
        new UpgradeClasses().copy(Path.of(args[0]), unfinished);
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
            for (Map.Entry<String, byte[]> content : contents.entrySet()) {
                ZipEntry copy = new ZipEntry(content.getKey());
                copy.setTimeLocal(jar.getEntry(content.getKey()).getTimeLocal());
                copy.setExtra(jar.getEntry(content.getKey()).getExtra());
                out.putNextEntry(copy);
                out.write(content.getKey().endsWith(".class") ? upgrade(content.getValue()) : content.getValue());
                out.closeEntry();
            }
        }
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
