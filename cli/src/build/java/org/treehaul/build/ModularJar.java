// SPDX-License-Identifier: Apache-2.0
package org.treehaul.build;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.classfile.Attributes;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.CodeElement;
import java.lang.classfile.CodeModel;
import java.lang.classfile.attribute.ModuleAttribute;
import java.lang.classfile.attribute.ModuleMainClassAttribute;
import java.lang.classfile.attribute.ModulePackagesAttribute;
import java.lang.classfile.constantpool.ClassEntry;
import java.lang.classfile.constantpool.PoolEntry;
import java.lang.classfile.instruction.ConstantInstruction.LoadConstantInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.ModuleDesc;
import java.lang.constant.PackageDesc;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleFinder;
import java.lang.module.ModuleReference;
import java.lang.reflect.AccessFlag;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;

/**
 * Copies the executable jar as one open module, which jlink can include in a runtime. Its descriptor is made from the
 * classes: it requires the modules that they refer to, exports all packages, uses each service that they load, and
 * provides those that {@code META-INF/services} lists.
 * <p>
 * A class of {@code META-INF/versions} takes the place of the common one. Native libraries are left out, because a
 * package has them as files. The same jar in gives the same jar out.
 */
final class ModularJar {
    private static final String MODULE = "org.treehaul";
    private static final String MAIN = "org.treehaul.cli.Main";
    private static final String VERSIONS = "META-INF/versions/";
    private static final String SERVICES = "META-INF/services/";
    private static final long SOME_TIME = 315_532_800_000L; // 1980-01-01, the first that a zip file can express

    private final Map<String, byte[]> contents = new TreeMap<>();
    private final Map<String, byte[]> libraries = new HashMap<>();
    private final Map<String, Integer> versions = new HashMap<>();
    private final Set<String> packages = new TreeSet<>();
    private final Set<String> uses = new TreeSet<>();
    // The handlers of signals name their classes by reflection. The driver of PostgreSQL, which has a loader of its own,
    // loads classes of java.naming; of the other modules to which it refers, it needs none for what the store does.
    private final Set<String> requires = new TreeSet<>(Set.of("jdk.unsupported", "java.naming"));
    private final Map<String, String> modules = new HashMap<>();

    private ModularJar() {
        for (ModuleReference module : ModuleFinder.ofSystem().findAll()) {
            ModuleDescriptor descriptor = module.descriptor();
            descriptor.exports()
                    .stream()
                    .filter(exports -> !exports.isQualified())
                    .forEach(exports -> modules.put(exports.source().replace('.', '/'), descriptor.name()));
        }
    }

    /**
     * Runs.
     *
     * @param args the jar to read and the jar to write; the name of a native library in the jar, and the file to which
     *        to copy it
     */
    public static void main(String[] args) throws IOException {
        ModularJar jar = new ModularJar();
        jar.read(Path.of(args[0]));
        jar.write(Path.of(args[1]));
        Files.write(Path.of(args[3]), jar.libraries.get(args[2]));
    }

    private void read(Path from) throws IOException {
        try (ZipFile jar = new ZipFile(from.toFile())) {
            for (ZipEntry entry : (Iterable<ZipEntry>) jar.stream()
                    .filter(entry -> !entry.isDirectory())
                    .map(ZipEntry.class::cast)::iterator) {
                String name = entry.getName();
                int version = 0;
                if (name.startsWith(VERSIONS)) {
                    name = name.substring(VERSIONS.length());
                    int slash = name.indexOf('/');
                    version = Integer.parseInt(name.substring(0, slash));
                    name = name.substring(slash + 1);
                }
                byte[] content = jar.getInputStream(entry).readAllBytes();
                if (name.endsWith(".so")) {
                    libraries.put(name, content);
                    continue;
                }
                boolean left = name.equals("META-INF/MANIFEST.MF") || version > Runtime.version().feature()
                        || version < versions.getOrDefault(name, 0);
                if (!left) {
                    versions.put(name, version);
                    contents.put(name, content);
                }
            }
        }
        contents.forEach((name, content) -> {
            if (name.endsWith(".class") && !name.startsWith("META-INF/")) {
                packages.add(name.substring(0, name.lastIndexOf('/')).replace('/', '.'));
                // Netty looks for the modules that it could use, such as jdk.jfr, and does without them.
                if (!name.startsWith("io/netty/")) {
                    examine(ClassFile.of().parse(content));
                }
            }
        });
    }

    private void examine(ClassModel type) {
        for (PoolEntry entry : type.constantPool()) {
            if (entry instanceof ClassEntry other) {
                // An array is [Lpackage/Class; in the constant pool.
                String name = other.asInternalName().replaceFirst("^\\[+L?", "");
                String module = modules.get(name.substring(0, Math.max(0, name.lastIndexOf('/'))));
                if (module != null && !module.equals("java.base")) {
                    requires.add(module);
                }
            }
        }
        type.methods().forEach(method -> method.findAttribute(Attributes.code()).ifPresent(this::examineCode));
    }

    /** Finds the services: each call of ServiceLoader.load follows the constant of its service. */
    private void examineCode(CodeModel code) {
        ClassDesc constant = null;
        for (CodeElement element : code) {
            if (element instanceof LoadConstantInstruction load && load.constantValue() instanceof ClassDesc type) {
                constant = type;
            } else if (element instanceof InvokeInstruction call && constant != null
                    && call.owner().asInternalName().equals("java/util/ServiceLoader")
                    && call.name().equalsString("load")) {
                uses.add(constant.packageName() + "." + constant.displayName());
            }
        }
    }

    private void write(Path to) throws IOException {
        try (OutputStream file = new BufferedOutputStream(Files.newOutputStream(to));
                ZipOutputStream out = new ZipOutputStream(file)) {
            out.setLevel(0);
            put(out, "module-info.class", descriptor());
            for (Map.Entry<String, byte[]> content : contents.entrySet()) {
                put(out, content.getKey(), content.getValue());
            }
        }
    }

    private byte[] descriptor() {
        ModuleAttribute module = ModuleAttribute.of(ModuleDesc.of(MODULE), builder -> {
            builder.moduleFlags(AccessFlag.OPEN);
            builder.requires(ModuleDesc.of("java.base"), Set.of(AccessFlag.MANDATED), null);
            requires.forEach(name -> builder.requires(ModuleDesc.of(name), Set.of(), null));
            packages.forEach(name -> builder.exports(PackageDesc.of(name), Set.of()));
            uses.forEach(name -> builder.uses(ClassDesc.of(name)));
            contents.forEach((name, content) -> {
                if (name.startsWith(SERVICES)) {
                    builder.provides(ClassDesc.of(name.substring(SERVICES.length())),
                            providers(content).toArray(ClassDesc[]::new));
                }
            });
        });
        return ClassFile.of()
                .buildModule(module,
                        type -> type
                                .with(ModulePackagesAttribute.ofNames(packages.stream().map(PackageDesc::of).toList()))
                                .with(ModuleMainClassAttribute.of(ClassDesc.of(MAIN))));
    }

    private static List<ClassDesc> providers(byte[] services) {
        return Arrays.stream(new String(services, StandardCharsets.UTF_8).split("\n"))
                .map(line -> line.replaceFirst("#.*", "").strip())
                .filter(line -> !line.isEmpty())
                .map(ClassDesc::of)
                .toList();
    }

    private static void put(ZipOutputStream out, String name, byte[] content) throws IOException {
        ZipEntry entry = new ZipEntry(name);
        entry.setTime(SOME_TIME);
        out.putNextEntry(entry);
        out.write(content);
        out.closeEntry();
    }
}
