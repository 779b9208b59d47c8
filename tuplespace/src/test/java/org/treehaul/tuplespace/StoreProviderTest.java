// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.ServiceLoader;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.treehaul.core.testing.TestJar;
import org.treehaul.tuplespace.store.BundledStores;
import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.store.SpaceException.Reason;
import org.treehaul.tuplespace.store.SpaceUri;
import org.treehaul.tuplespace.store.StoreProvider;
import org.treehaul.tuplespace.tuple.Template;

/** Spaces by address, and stores that other jars add. */
class StoreProviderTest {

    private static final Duration NOW = Duration.ZERO;
    private static final SpaceUri ROOM = SpaceUri.parse("room:five");

    // Keeps its spaces in memory, under the scheme "room".
    private static final String SOURCE = """
            import org.treehaul.tuplespace.memory.MemoryStore;
            import org.treehaul.tuplespace.store.*;

            public final class CLASS implements StoreProvider {
                public boolean accepts(SpaceUri uri) {
                    return uri.scheme().equals("SCHEME");
                }

                public boolean exists(SpaceUri uri) {
                    return uri.address().equals("five");
                }

                public Store open(SpaceUri uri, StoreOptions options, StoreListener listener) {
                    return new MemoryStore(options, listener);
                }
            }
            """;

    @TempDir
    Path directory;

    /** A tuple. */
    record Word(String text) {}

    private Path jar(String type, String scheme) throws Exception {
        return TestJar.providing(directory, StoreProvider.class, type,
                SOURCE.replace("CLASS", type).replace("SCHEME", scheme));
    }

    private static void fails(Reason reason, String message, ThrowingCallable call) {
        assertThatExceptionOfType(SpaceException.class).isThrownBy(call)
                .satisfies(e -> assertThat(e.reason()).isEqualTo(reason))
                .withMessageContaining(message);
    }

    @Test
    void aStoreForANewerJavaIsAnErrorThatSaysSo() throws Exception {
        TestJar.with(List.of(TestJar.forNewerJava(jar("Later", "later"))), () -> {
            fails(Reason.PROVIDER, "class file version", () -> TupleSpaces.exists(ROOM));
            return null;
        });
    }

    @Test
    void aStoreInAPartOfTheJarIsLoadedByALoaderOfItsOwn() throws Exception {
        Path part = directory.resolve("program/" + BundledStores.PART);
        try (JarFile made = new JarFile(jar("Attic", "attic").toFile())) {
            for (JarEntry entry : (Iterable<JarEntry>) made.stream().filter(one -> !one.isDirectory())::iterator) {
                Path file = part.resolve(entry.getName());
                Files.createDirectories(file.getParent());
                Files.copy(made.getInputStream(entry), file);
            }
        }
        ClassLoader here = getClass().getClassLoader();
        try (URLClassLoader program = new URLClassLoader(new URL[]{directory.resolve("program").toUri().toURL()},
                here)) {
            BundledStores loader = BundledStores.in(program);
            List<StoreProvider> found = ServiceLoader.load(StoreProvider.class, loader)
                    .stream()
                    .map(ServiceLoader.Provider::get)
                    .filter(provider -> provider.accepts(SpaceUri.parse("attic:five")))
                    .toList();
            assertThat(found).hasSize(1);
            assertThat(found.getFirst().getClass().getClassLoader()).isSameAs(loader);
            assertThat(found.getFirst().exists(SpaceUri.parse("attic:five"))).isTrue();
        }
        assertThat(BundledStores.in(here)).isNull();
    }

    @Test
    void anAddressInAMessageHasNoPassword() {
        for (String text : List.of("postgresql://bob@h:5432/db?schema=a", "postgresql://h:5432/db", "sqlite:/a:b@c",
                "postgresql://h:1,i:2/db?options=-c%20a")) {
            assertThat(SpaceUri.parse(text).withoutPassword()).isEqualTo(text);
        }
        assertThat(SpaceUri.parse("postgresql://bob:a@b/c:@h:1/db").withoutPassword())
                .isEqualTo("postgresql://bob:*@h:1/db");
        assertThat(SpaceUri.parse("postgresql://h/db?password=x@y&schema=a").withoutPassword())
                .isEqualTo("postgresql://h/db?password=*&schema=a");
        fails(Reason.PROVIDER, "no store on the class path accepts foo://bob:*@h",
                () -> TupleSpaces.exists(SpaceUri.parse("foo://bob:s3cret@h")));
    }

    @Test
    void aTextIsAnAddressOrADirectory() {
        assertThat(SpaceUri.parse("sqlite:/a/b")).isEqualTo(new SpaceUri("sqlite", "/a/b"));
        assertThat(SpaceUri.parse("mem:words")).isEqualTo(new SpaceUri("mem", "words"));
        assertThat(SpaceUri.parse("postgresql://host/db?a=b:c"))
                .isEqualTo(new SpaceUri("postgresql", "//host/db?a=b:c"));
        for (String path : List.of("space", "/a:b", "./a:b", "a/b:c", "A:b", "x:y", ":a", "1a:b", "a b:c")) {
            assertThat(SpaceUri.parse(path)).isEqualTo(new SpaceUri("sqlite", path));
            assertThat(SpaceUri.parse(path).path()).isEqualTo(Path.of(path));
        }
        assertThat(SpaceUri.parse("sqlite:mem:x")).hasToString("sqlite:mem:x");
        assertThat(SpaceUri.of(Path.of("sqlite:x")).path()).isEqualTo(Path.of("sqlite:x"));
        assertThat(SpaceUri.of(Path.of("")).path()).isEqualTo(Path.of("."));
        assertThatIllegalArgumentException().isThrownBy(() -> SpaceUri.parse("sqlite:"));
        assertThatIllegalArgumentException().isThrownBy(() -> SpaceUri.parse(""));
        assertThatIllegalArgumentException().isThrownBy(() -> new SpaceUri("a b", "c"));
    }

    @Test
    void theSameSpaceIsOpenedByItsNameitsDirectoryAndItsAddress() throws Exception {
        SpaceOptions options = SpaceOptions.defaults();
        SpaceUri memory = SpaceUri.parse("mem:words");
        assertThat(TupleSpaces.exists(memory)).isFalse();
        try (TupleSpace space = TupleSpaces.open("words", options);
                TupleSpace same = TupleSpaces.open(memory, options)) {
            space.write(new Word("a"));
            assertThat(same.take(Template.of(Word.class), NOW).orElseThrow()).isEqualTo(new Word("a"));
            assertThat(TupleSpaces.exists(memory)).isTrue();
        }
        Path home = directory.resolve("home");
        try (TupleSpace space = TupleSpaces.open("sqlite:" + home, options)) {
            space.write(new Word("b"));
        }
        assertThat(TupleSpaces.exists(home)).isTrue();
        try (TupleSpace space = TupleSpaces.open(home, options)) {
            assertThat(space.take(Template.of(Word.class), NOW).orElseThrow()).isEqualTo(new Word("b"));
        }
    }

    @Test
    void aStoreOfAnotherJarIsFoundByTheAddress() throws Exception {
        fails(Reason.PROVIDER, "no store on the class path accepts room:five",
                () -> TupleSpaces.open("room:five", SpaceOptions.defaults()));
        TestJar.with(List.of(jar("Room", "room"), jar("Hall", "hall")), () -> {
            try (TupleSpace space = TupleSpaces.open("room:five", SpaceOptions.defaults())) {
                space.write(new Word("a"));
                assertThat(space.take(Template.of(Word.class), NOW).orElseThrow()).isEqualTo(new Word("a"));
            }
            assertThat(TupleSpaces.exists(ROOM)).isTrue();
            assertThat(TupleSpaces.exists(SpaceUri.parse("hall:six"))).isFalse();
            fails(Reason.UNSUPPORTED, "room:five cannot be checked", () -> TupleSpaces.check(ROOM));
            fails(Reason.UNSUPPORTED, "read-only", () -> TupleSpaces.openToRead(ROOM, SpaceOptions.defaults()));
            fails(Reason.UNSUPPORTED, "in bulk", () -> TupleSpaces.bulkLoad(ROOM, SpaceOptions.defaults()));
            fails(Reason.UNSUPPORTED, "recovered",
                    () -> TupleSpaces.recover(ROOM, SpaceUri.parse("room:six"), SpaceOptions.defaults()));
            fails(Reason.PROVIDER, "another kind",
                    () -> TupleSpaces.recover(SpaceUri.of(directory), ROOM, SpaceOptions.defaults()));
            return null;
        });
    }

    @Test
    void twoStoresThatAcceptAnAddressAreAnError() throws Exception {
        TestJar.with(List.of(jar("Room", "room"), jar("Other", "room"), jar("Mine", "sqlite")), () -> {
            fails(Reason.PROVIDER, "room:five is accepted by more than one store on the class path: Other, Room",
                    () -> TupleSpaces.open(ROOM, SpaceOptions.defaults()));
            fails(Reason.PROVIDER, "Mine, org.treehaul.tuplespace.sqlite.SqliteProvider",
                    () -> TupleSpaces.exists(directory));
            return null;
        });
    }

    @Test
    void aStoreThatCannotBeLoadedIsAnError() throws Exception {
        Path jar = TestJar.providing(directory, StoreProvider.class, "Wrong", "public final class Wrong {}");
        TestJar.with(List.of(jar), () -> {
            fails(Reason.PROVIDER, "cannot be loaded", () -> TupleSpaces.exists(ROOM));
            return null;
        });
    }
}
