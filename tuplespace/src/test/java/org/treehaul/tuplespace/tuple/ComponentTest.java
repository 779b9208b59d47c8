// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.tuple;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.File;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Access to the values of components. */
class ComponentTest {

    record Task(long size, @Nullable String name) {}

    record Checked(long size) {
        Checked {
            if (size < 0) {
                throw new IllegalStateException("a size of " + size);
            }
        }

        @Override
        public long size() {
            if (size == 13) {
                throw new IllegalStateException("unlucky");
            }
            return size;
        }
    }

    @Test
    void tuplesAreMadeAndReadInOneWayBeforeAndAfterTheGenerationOfClasses() {
        TupleType<Checked> type = TupleType.of(Checked.class);
        for (long i = 0; i < 3 * Component.CALLS_BEFORE_GENERATED; i++) {
            long size = i == 13 ? 0 : i;
            assertThat(type.canonical(type.create(new Object[]{size}))).containsExactly(size);
            assertThatThrownBy(() -> type.create(new Object[]{-1L})).isInstanceOf(IllegalStateException.class)
                    .hasMessage("a size of -1");
            assertThatThrownBy(() -> type.canonical(new Checked(13))).isInstanceOf(IllegalStateException.class)
                    .hasMessage("unlucky");
        }
    }

    @Test
    void theClassThatReadsAPrimitiveIsGeneratedOnce() {
        Component size = TupleType.of(Task.class).component("size");
        assertThat(size.longGetter()).isNotNull().isSameAs(size.longGetter());
        assertThat(TupleType.of(Task.class).component("name").longGetter()).isNull();
        assertThat(size.test(new Condition.Equal("size", 3L))).accepts(new Task(3, null)).rejects(new Task(4, null));
    }

    record Unsupported(Thread thread) {}

    @Test
    void aCodecThatCannotBeLoadedHidesNoOtherAndIsNamedWhereOneIsMissing(@TempDir Path broken) throws Exception {
        Path services = Files.createDirectories(broken.resolve("META-INF/services"));
        Files.writeString(services.resolve(ComponentCodec.class.getName()), "absent.Codec\n");
        List<URL> urls = new ArrayList<>(List.of(broken.toUri().toURL()));
        String path = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
        for (String entry : path.split(File.pathSeparator, -1)) {
            urls.add(Path.of(entry).toUri().toURL());
        }
        try (URLClassLoader loader = new URLClassLoader(urls.toArray(URL[]::new),
                ClassLoader.getPlatformClassLoader())) {
            Method of = loader.loadClass(TupleType.class.getName()).getMethod("of", Class.class);
            assertThat(of.invoke(null, loader.loadClass("org.treehaul.tuplespace.files.FileTuple"))).isNotNull();
            Class<?> unsupported = loader.loadClass(Unsupported.class.getName());
            assertThatThrownBy(() -> of.invoke(null, unsupported)).cause()
                    .hasMessageContaining("Thread cannot be a component")
                    .hasMessageContaining("absent.Codec not found");
        }
    }
}
