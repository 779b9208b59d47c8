// SPDX-License-Identifier: Apache-2.0
package org.treehaul.packaged;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.classfile.ClassFile;
import java.lang.classfile.CodeElement;
import java.lang.classfile.CodeModel;
import java.lang.classfile.instruction.InvokeDynamicInstruction;
import java.lang.constant.ClassDesc;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.jar.JarFile;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The JVM generates no class for a switch over types, and for a record that is compared, of the executable jar. */
class PlainCodeTest {

    @TempDir
    Path dir;

    @Test
    void switchesAndRecordsOfTheExecutableJarGiveTheResultsOfTheCompiler() throws Exception {
        Path compiled = dir.resolve("compiled.jar");
        Path executable = dir.resolve("executable.jar");
        jarOfSamples(compiled);

        Run.of(Run.JAVA, "-XX:TieredStopAtLevel=1",
                Run.ROOT.resolve("cli/src/build/java/org/treehaul/build/ExecutableJar.java"), compiled, executable)
                .expect(0);

        assertThat(generating(compiled)).isPositive();
        assertThat(generating(executable)).isZero();
        try (URLClassLoader loader = new URLClassLoader(new URL[]{executable.toUri().toURL()}, null)) {
            Class<?> samples = loader.loadClass(PlainCodeSamples.class.getName());
            assertThat(call(samples, "results")).isEqualTo(PlainCodeSamples.results());
            assertThat(call(samples, "comparisons")).isEqualTo(PlainCodeSamples.comparisons());
        }
    }

    @Test
    void noClassOfTheExecutableJarHasCodeForWhichTheJvmGeneratesAClass() throws IOException {
        assertThat(generating(Run.JAR)).isZero();
    }

    private static Object call(Class<?> samples, String name) throws ReflectiveOperationException {
        Method method = samples.getDeclaredMethod(name);
        method.setAccessible(true);
        return method.invoke(null);
    }

    private static void jarOfSamples(Path jar) throws IOException {
        try (OutputStream file = Files.newOutputStream(jar); ZipOutputStream out = new ZipOutputStream(file)) {
            String own = PlainCodeSamples.class.getSimpleName();
            for (String name : new String[]{own, own + "$Value", own + "$Value$Count", own + "$Value$Pair",
                    own + "$Value$Word", own + "$Parts", own + "$Numbers", own + "$Empty"}) {
                out.putNextEntry(new ZipEntry("org/treehaul/packaged/" + name + ".class"));
                try (InputStream in = PlainCodeSamples.class.getResourceAsStream(name + ".class")) {
                    Objects.requireNonNull(in, name).transferTo(out);
                }
                out.closeEntry();
            }
        }
    }

    /** Counts the switches over types alone and the methods of records but toString in the classes of this project. */
    private static long generating(Path file) throws IOException {
        long found = 0;
        try (JarFile jar = new JarFile(file.toFile())) {
            for (ZipEntry entry : jar.stream().filter(PlainCodeTest::isOurs).toList()) {
                found += ClassFile.of()
                        .parse(jar.getInputStream(entry).readAllBytes())
                        .methods()
                        .stream()
                        .flatMap(method -> method.code().stream())
                        .flatMap(CodeModel::elementStream)
                        .filter(PlainCodeTest::generates)
                        .count();
            }
        }
        return found;
    }

    private static boolean generates(CodeElement element) {
        if (!(element instanceof InvokeDynamicInstruction call)) {
            return false;
        }
        return switch (call.bootstrapMethod().owner().displayName()) {
            case "SwitchBootstraps" -> call.bootstrapMethod().methodName().equals("typeSwitch")
                    && call.bootstrapArgs().stream().allMatch(ClassDesc.class::isInstance);
            case "ObjectMethods" -> !call.name().equalsString("toString");
            default -> false;
        };
    }

    private static boolean isOurs(ZipEntry entry) {
        return entry.getName().startsWith("org/treehaul/") && entry.getName().endsWith(".class");
    }
}
