// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer.operation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.treehaul.core.operation.EntryOperation;
import org.treehaul.core.operation.OperationProvider;
import org.treehaul.core.operation.Removal;
import org.treehaul.core.operation.Repetition;
import org.treehaul.core.testing.NamedOperation;
import org.treehaul.core.testing.TestDirectory;

/** Providers of other jars that are wrong: the error names the class, and the reason. */
class OperationProvidersTest {

    private static final String SERVICE = "META-INF/services/" + OperationProvider.class.getName();
    private static final String PACKAGE = OperationProvidersTest.class.getPackageName();

    private final TestDirectory directory = TestDirectory.onTmpfs();

    @AfterEach
    void close() {
        directory.close();
    }

    /** A provider without a fault. */
    public static class Sound extends NamedOperation {
        public Sound() {
            super("one", 1, Repetition.IDEMPOTENT);
        }

        @Override
        public EntryOperation create(SortedMap<String, String> parameters) {
            return new Removal();
        }
    }

    /** Another provider with the same name. */
    public static final class Twin extends Sound {}

    /** A provider without a name. */
    public static final class Nameless extends Sound {
        @Override
        public String name() {
            throw new UnsupportedOperationException("no name");
        }
    }

    /** A provider that fails. */
    public static final class Failing extends Sound {
        @Override
        public EntryOperation create(SortedMap<String, String> parameters) {
            throw new IllegalStateException("no licence");
        }
    }

    /** A provider whose operation has a class that is missing. */
    public static final class Partial extends Sound {
        @Override
        public EntryOperation create(SortedMap<String, String> parameters) {
            throw new NoClassDefFoundError("com/example/Missing");
        }
    }

    /** A provider that cannot read a parameter. */
    public static final class Picky extends Sound {
        @Override
        public EntryOperation create(SortedMap<String, String> parameters) {
            if (Integer.parseInt(parameters.getOrDefault("level", "")) < 0) {
                throw new IllegalArgumentException("parameter 'level' is negative");
            }
            return new Removal();
        }
    }

    /** A provider that creates nothing. */
    public static final class Empty extends Sound {
        @SuppressWarnings("NullAway")
        @Override
        public @Nullable EntryOperation create(SortedMap<String, String> parameters) {
            return null;
        }
    }

    /** A provider that cannot be constructed. */
    public static final class Locked extends Sound {
        public Locked() {
            throw new IllegalStateException("locked");
        }
    }

    private void create(String... classes) throws IOException {
        Path services = directory.resolve(SERVICE);
        Files.createDirectories(services.getParent());
        Files.write(services, List.of(classes));
        Operation.Custom custom = new Operation.Custom("one", 1, Repetition.IDEMPOTENT, new TreeMap<>());
        // The services of the tests are not found, but their classes are.
        ClassLoader classesOnly = new ClassLoader(ClassLoader.getPlatformClassLoader()) {
            @Override
            protected Class<?> findClass(String name) throws ClassNotFoundException {
                return OperationProvidersTest.class.getClassLoader().loadClass(name);
            }
        };
        try (URLClassLoader loader = new URLClassLoader(new URL[]{directory.path().toUri().toURL()}, classesOnly)) {
            assertThat(OperationProviders.create(custom, List.of(loader))).isInstanceOf(Removal.class);
        }
    }

    private void assertRefused(String message, Class<?>... classes) {
        String[] names = new String[classes.length];
        for (int i = 0; i < names.length; i++) {
            names[i] = classes[i].getName();
        }
        assertThatThrownBy(() -> create(names)).isInstanceOf(UnknownOperationException.class)
                .hasMessage(message.replace("@", PACKAGE + ".OperationProvidersTest$"));
    }

    @Test
    void aProviderIsFound() throws IOException {
        create(Sound.class.getName());
    }

    @Test
    void twoProvidersOfTheSameOperationAreRefused() {
        assertRefused("operation 'one' version 1 (IDEMPOTENT) is provided by @Sound and @Twin", Sound.class,
                Twin.class);
    }

    @Test
    void aMissingClassIsNamed() {
        assertThatThrownBy(() -> create("com.example.Missing")).isInstanceOf(UnknownOperationException.class)
                .hasMessageStartingWith("cannot load an operation from another jar: ")
                .hasMessageContaining("com.example.Missing not found");
    }

    @Test
    void aProviderThatFailsIsNamed() {
        String operation = "operation 'one' version 1 (IDEMPOTENT) ";
        assertRefused(operation + "cannot be created by @Failing: java.lang.IllegalStateException: no licence",
                Failing.class);
        assertRefused(operation + "cannot be created by @Partial: java.lang.NoClassDefFoundError: com/example/Missing",
                Partial.class);
        assertRefused(operation + "cannot be created: @Empty returns null", Empty.class);
        assertRefused("cannot load an operation from another jar: @Nameless: "
                + "java.lang.UnsupportedOperationException: no name", Nameless.class);
        assertThatThrownBy(() -> create(Locked.class.getName())).isInstanceOf(UnknownOperationException.class)
                .hasMessageContaining("Locked could not be instantiated: java.lang.IllegalStateException: locked");
    }

    // A number that cannot be parsed is an IllegalArgumentException, too.
    @Test
    void parametersThatCannotBeReadAreNamed() {
        assertRefused("operation 'one' version 1 (IDEMPOTENT) refuses its parameters: For input string: \"\"",
                Picky.class);
    }

    @Test
    void aClassOfANewerJavaIsNamed() throws IOException {
        Path file = directory.resolve("Newer.class");
        // The version of Java is in bytes 6 and 7.
        byte[] bytes = {(byte) 0xca, (byte) 0xfe, (byte) 0xba, (byte) 0xbe, 0, 0, 3, (byte) 0xe7, 0, 1};
        Files.write(file, bytes);
        assertThatThrownBy(() -> create("Newer")).isInstanceOf(UnknownOperationException.class)
                .hasMessageStartingWith("cannot load an operation from another jar: ")
                .hasMessageContaining("Newer");
    }
}
