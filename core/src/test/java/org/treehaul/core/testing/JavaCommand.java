// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.testing;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.jar.JarOutputStream;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import java.util.zip.Deflater;

import org.apache.commons.io.file.PathUtils;
import org.treehaul.core.copy.TreeCopier;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.copy.options.CopyPair;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.linux.Linux;

/**
 * The commands that run classes of the tests in processes of their own. Those that the tests of core start share an
 * archive of classes, which the first test makes after each build: with it, a start takes about half the processor
 * time. The JVM archives the classes of jars only, so those of the build are packed. The tests of other modules start
 * so few processes that an archive would cost more than it saves.
 */
public final class JavaCommand {

    private static final String ARCHIVE = "classes.jsa";
    // Few programs need the others, and none that run as another user.
    private static final List<String> LIBRARIES = List.of("treehaul-", "hash4j", "slf4j-api", "commons-io");
    private static final List<String> FLAGS = List.of("-Xmx64m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1",
            "-XX:-UsePerfData", "--enable-native-access=ALL-UNNAMED");

    /** Made when the first process is started. */
    private static final class Packed {
        static final Path PLACE = place();
    }

    private static final boolean IS_CORE = Files
            .isDirectory(Path.of(JavaCommand.class.getProtectionDomain().getCodeSource().getLocation().getPath()));

    private JavaCommand() {}

    /** Returns the command that runs a class with a small heap. */
    public static List<String> of(Class<?> program, Object... arguments) {
        return of(classPath(), program, arguments);
    }

    /**
     * Returns the command that runs a class with a small heap.
     *
     * @param classPath from {@link #classPath} or {@link #classPathIn}
     */
    public static List<String> of(String classPath, Class<?> program, Object... arguments) {
        List<String> command = new ArrayList<>(List.of(java()));
        command.addAll(FLAGS);
        Path archive = Path.of(classPath.split(File.pathSeparator, 2)[0]).resolveSibling(ARCHIVE);
        if (Files.exists(archive)) {
            // At its own addresses, no pointer in the archive needs to change. A JVM that does not accept it would say so in
            // the output of the program.
            command.addAll(List.of("-XX:SharedArchiveFile=" + archive, "-XX:+UnlockDiagnosticVMOptions",
                    "-XX:ArchiveRelocationMode=0", "-Xlog:disable"));
        }
        command.addAll(List.of("-cp", classPath, program.getName()));
        Arrays.stream(arguments).map(Object::toString).forEach(command::add);
        return command;
    }

    /** Returns the class path of this process, with jars in the place of directories. */
    public static String classPath() {
        // The archive fits each class path that begins with the one it was made with.
        Stream<String> path = IS_CORE
                ? Stream.concat(packedIn(Packed.PLACE), elements().filter(element -> !isPacked(element)))
                : elements();
        return path.collect(Collectors.joining(File.pathSeparator));
    }

    /** Copies what most programs need to a new directory that every user can read, and returns their class path. */
    public static String classPathIn(Path directory) {
        try {
            PathUtils.copyDirectory(Packed.PLACE, directory, StandardCopyOption.COPY_ATTRIBUTES);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return packedIn(directory).collect(Collectors.joining(File.pathSeparator));
    }

    private static String java() {
        return Path.of(System.getProperty("java.home"), "bin/java").toString();
    }

    private static Stream<String> elements() {
        String path = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
        return Arrays.stream(path.split(File.pathSeparator)).filter(element -> Files.exists(Path.of(element)));
    }

    private static boolean isPacked(String element) {
        Path path = Path.of(element);
        return Files.isDirectory(path) || LIBRARIES.stream().anyMatch(path.getFileName().toString()::startsWith);
    }

    private static Stream<String> packedIn(Path place) {
        return files(place).stream().map(Path::toString).filter(name -> name.endsWith(".jar"));
    }

    private static List<Path> files(Path below) {
        try (Stream<Path> all = Files.walk(below)) {
            return all.filter(Files::isRegularFile).sorted().toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Path place() {
        // The build sets the directory of the module; an IDE runs the tests in it.
        Path target = Path.of(System.getProperty("basedir", ""), "target").toAbsolutePath();
        Path place = target.resolve("test-programs");
        // Closing the file releases the lock.
        try (FileChannel lock = FileChannel.open(Files.createDirectories(target).resolve("test-programs.lock"),
                StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            lock.lock();
            String content = content();
            Path known = place.resolve("content");
            if (!Files.exists(known) || !Files.readString(known).equals(content)) {
                if (Files.exists(place)) {
                    PathUtils.deleteDirectory(place);
                }
                pack(Files.createDirectory(place));
                archive(place);
                Files.writeString(known, content);
            }
            return place;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while classes were packed", e);
        }
    }

    /** Returns a text that differs after a change of any file of the class path, and with another Java. */
    private static String content() throws IOException {
        CRC32C crc = new CRC32C();
        for (String element : elements().toList()) {
            for (Path file : files(Path.of(element))) {
                BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class);
                crc.update((file + " " + attributes.size() + " " + attributes.lastModifiedTime() + "\n")
                        .getBytes(StandardCharsets.UTF_8));
            }
        }
        return System.getProperty("java.vm.version") + " " + crc.getValue();
    }

    private static void pack(Path place) throws IOException {
        List<Path> elements = elements().filter(JavaCommand::isPacked).map(Path::of).toList();
        for (int i = 0; i < elements.size(); i++) {
            Path element = elements.get(i);
            // The order of the names is that of the class path.
            Path jar = place.resolve("%02d-%s.jar".formatted(i, element.getFileName()));
            if (Files.isDirectory(element)) {
                pack(element, jar);
            } else {
                Files.copy(element, jar);
            }
        }
    }

    private static void pack(Path directory, Path jar) throws IOException {
        try (OutputStream file = Files.newOutputStream(jar); JarOutputStream out = new JarOutputStream(file)) {
            out.setLevel(Deflater.NO_COMPRESSION);
            for (Path path : files(directory)) {
                out.putNextEntry(new JarEntry(directory.relativize(path).toString()));
                Files.copy(path, out);
            }
        }
    }

    private static void archive(Path place) throws IOException, InterruptedException {
        Path training = Files.createDirectory(place.resolve("training"));
        List<String> command = new ArrayList<>(List.of(java()));
        command.addAll(FLAGS);
        command.addAll(List.of("-XX:ArchiveClassesAtExit=" + place.resolve(ARCHIVE), "-Xlog:disable", "-cp",
                packedIn(place).collect(Collectors.joining(File.pathSeparator)), JavaCommand.class.getName(),
                training.toString()));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (process.waitFor() != 0) {
            throw new IOException("no archive of classes was made: " + output);
        }
        PathUtils.deleteDirectory(training);
    }

    /**
     * Loads the classes for the archive, those of TreeHaul itself, and copies a tree, which loads those of the JDK.
     *
     * @param args an empty directory
     */
    public static void main(String[] args) throws IOException {
        for (String element : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
            if (!Path.of(element).getFileName().toString().contains("test")) {
                load(element);
            }
        }
        Path source = Files.createDirectory(Path.of(args[0], "source"));
        Files.writeString(source.resolve("file"), "file");
        TreeCopier.of(Linux.calls(), CopyOptions.archive().build())
                .copy(List.of(CopyPair.of(source, Path.of(args[0], "copy"))), event -> {}, new Progress(),
                        new Cancellation());
    }

    private static void load(String element) throws IOException {
        try (JarFile jar = new JarFile(element)) {
            for (JarEntry entry : jar.stream().toList()) {
                String name = entry.getName();
                if (name.startsWith("org/treehaul/") && name.endsWith(".class")) {
                    load(name.substring(0, name.length() - ".class".length()).replace('/', '.'),
                            JavaCommand.class.getClassLoader());
                }
            }
        }
    }

    private static void load(String name, ClassLoader loader) {
        try {
            Class.forName(name, false, loader);
        } catch (ClassNotFoundException | LinkageError e) {
            // It extends a class of an optional library, which programs that need it find on the rest of the path.
        }
    }
}
