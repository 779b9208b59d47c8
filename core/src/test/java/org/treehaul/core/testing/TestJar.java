// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.testing;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.OutputStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.jar.JarEntry;
import java.util.jar.JarInputStream;
import java.util.jar.JarOutputStream;
import javax.tools.ToolProvider;

/** Jars of third parties, compiled by a test against the class path that it runs with. */
public final class TestJar {

    private TestJar() {}

    /**
     * Makes a jar with one class in the unnamed package that provides a service.
     *
     * @param directory a directory for the sources, the classes and the jar
     * @param service the service
     * @param name the name of the class
     * @param source its source
     */
    public static Path providing(Path directory, Class<?> service, String name, String source) throws IOException {
        Path sources = Files.createDirectories(directory.resolve(name));
        Path file = Files.writeString(sources.resolve(name + ".java"), source, UTF_8);
        String classPath = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
        int code = Objects.requireNonNull(ToolProvider.getSystemJavaCompiler())
                .run(null, null, null, "-proc:none", "-cp", classPath, "-d", sources.toString(), file.toString());
        if (code != 0) {
            throw new IllegalArgumentException("javac ended with code " + code);
        }
        Path jar = directory.resolve(name + ".jar");
        try (OutputStream out = Files.newOutputStream(jar); JarOutputStream entries = new JarOutputStream(out)) {
            entries.putNextEntry(new JarEntry("META-INF/services/" + service.getName()));
            entries.write(name.getBytes(UTF_8));
            entries.putNextEntry(new JarEntry(name + ".class"));
            Files.copy(sources.resolve(name + ".class"), entries);
        }
        return jar;
    }

    /** Returns a copy of a jar whose classes are of a version that no Java has yet. */
    public static Path forNewerJava(Path jar) throws IOException {
        Path newer = jar.resolveSibling("newer-" + jar.getFileName());
        try (JarInputStream in = new JarInputStream(Files.newInputStream(jar));
                JarOutputStream out = new JarOutputStream(Files.newOutputStream(newer))) {
            for (JarEntry entry = in.getNextJarEntry(); entry != null; entry = in.getNextJarEntry()) {
                byte[] content = in.readAllBytes();
                if (entry.getName().endsWith(".class")) {
                    content[6] = 0x7f; // the upper byte of the version
                }
                out.putNextEntry(new JarEntry(entry.getName()));
                out.write(content);
            }
        }
        return newer;
    }

    /** Runs an action in this thread with more jars on the class path. */
    public static <T> T with(List<Path> jars, Callable<T> action) throws Exception {
        URL[] urls = new URL[jars.size()];
        for (int i = 0; i < urls.length; i++) {
            urls[i] = jars.get(i).toUri().toURL();
        }
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        try (URLClassLoader more = new URLClassLoader(urls, TestJar.class.getClassLoader())) {
            thread.setContextClassLoader(more);
            return action.call();
        } finally {
            thread.setContextClassLoader(before);
        }
    }
}
