// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.locality;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.fs.Call;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.Fault;
import org.treehaul.core.fs.FaultInjectingCalls;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.LinuxConstants;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.testing.TestJar;

class LocalityTest {

    private static final ByteString LAYOUT = LustreBytes.striped(65_536, 3, 1);

    @TempDir
    private Path directory;

    private ByteString file(String name) throws IOException {
        return ByteString.of(Files.writeString(directory.resolve(name), "data"));
    }

    /** A provider whose answers a test gives. */
    private record Answering(String name, @Nullable RuntimeException failure) implements LocalityProvider {

        @Override
        public String kind() {
            return "test";
        }

        @Override
        public boolean isFor(FileSystemType type) {
            return type.name().equals(name);
        }

        @Override
        public Optional<DataLayout> layout(LayoutFile file) {
            if (failure != null) {
                throw failure;
            }
            String server = file.name() + "-" + file.size();
            return Optional.of(DataLayout.of("test", DataExtent.whole(Holders.of(DataPlace.on(server)))));
        }
    }

    private static String mounts(ByteString path, String type) throws SystemCallException {
        return "22 1 0:1 / / rw - proc proc rw\nmalformed\n36 35 " + device(path) + " / /mnt rw,noatime master:1 - "
                + type + " source rw - x\n";
    }

    @Test
    void theTypeOfTheFileSystemSelectsTheProvider() throws IOException {
        ByteString path = file("f");
        String mounts = mounts(path, "fuse.glusterfs");
        List<LocalityProvider> providers = List.of(new Answering("other", null), new Answering("fuse.glusterfs", null));
        assertThat(new Locality(Linux.calls(), providers, () -> mounts).layout(path).orElseThrow().servers())
                .containsExactly("f-4");
        assertThat(new Locality(Linux.calls(), providers, () -> "").layout(path)).isEmpty();
        assertThat(new Locality(Linux.calls(), List.of(), () -> mounts).layout(path)).isEmpty();
    }

    @Test
    void theTypeOfAFileSystemInUserSpaceMayStandBeforeItsSource() throws IOException {
        ByteString path = file("f");
        List<LocalityProvider> providers = List.of(new Answering("fuse.mfs", null));
        for (String source : List.of("fuse mfs\\043host:9421", "fuse mfs#host:9421", "fuse.mfs host")) {
            String mounts = mounts(path, source);
            assertThat(new Locality(Linux.calls(), providers, () -> mounts).layout(path)).as(source).isPresent();
        }
        for (String source : List.of("fuse host", "ext4 mfs#host", "fuse #mfs")) {
            String mounts = mounts(path, source);
            assertThat(new Locality(Linux.calls(), providers, () -> mounts).layout(path)).as(source).isEmpty();
        }
    }

    /** A provider that names the content of a file at the top of the file system. */
    private record AtTop() implements LocalityProvider {

        @Override
        public String kind() {
            return "top";
        }

        @Override
        public boolean isFor(FileSystemType type) {
            return true;
        }

        @Override
        public Optional<DataLayout> layout(LayoutFile file) throws SystemCallException {
            return file.atTop(".info")
                    .map(content -> DataLayout.of("top",
                            DataExtent.whole(Holders.of(DataPlace.on(content + "-" + file.name())))));
        }
    }

    @Test
    void aProviderReadsAFileAtTheTopOfTheFileSystem() throws IOException {
        Path top = Files.createDirectory(directory.resolve("a b\\c"));
        ByteString path = ByteString.of(Files.writeString(top.resolve("f"), "data"));
        String mounts = mounts(path, "x").replace(" / /mnt ",
                " /part " + directory + " rw - y z\n37 35 " + device(path) + " / " + directory + "/a\\040b\\134c ");
        Locality locality = new Locality(Linux.calls(), List.of(new AtTop()), () -> mounts);
        assertThat(locality.layout(path)).isEmpty();
        Files.writeString(top.resolve(".info"), "1".repeat(200));
        assertThat(locality.layout(path).orElseThrow().servers()).containsExactly("1".repeat(200) + "-f");
        assertThat(new Locality(Linux.calls(), List.of(new AtTop()), () -> "").layout(path)).isEmpty();
        Files.delete(top.resolve(".info"));
        Files.createSymbolicLink(top.resolve(".info"), top.resolve("f"));
        assertThatThrownBy(() -> locality.layout(path)).isInstanceOf(SystemCallException.class)
                .hasMessageContaining(".info");
    }

    private static String device(ByteString path) throws SystemCallException {
        try (FileAccess access = FileAccess.open(Linux.calls())) {
            return FileStatus.deviceText(access.status(LinuxConstants.AT_FDCWD, access.name(path.toBytes())).device());
        }
    }

    @Test
    void theTypeIsReadOnceForEachDevice() throws IOException {
        LustreCalls calls = new LustreCalls(Linux.calls()).layout("f", LAYOUT).layout("g", LAYOUT);
        Locality locality = Locality.over(calls);
        assertThat(locality.layout(file("f")).orElseThrow().servers()).containsExactly("OST0003", "OST0001");
        assertThat(locality.layout(file("g"))).isPresent();
        assertThat(locality.layout(file("without"))).isEmpty();
        assertThat(calls.types()).isEqualTo(1);
    }

    @Test
    void aFileSystemWithoutProviderCostsNoCallForEachFile() throws IOException {
        FaultInjectingCalls calls = FaultInjectingCalls.over(Linux.calls());
        Locality locality = Locality.over(calls);
        assertThat(locality.layout(file("f"))).isEmpty();
        long first = calls.total();
        assertThat(locality.layout(file("g"))).isEmpty();
        assertThat(calls.total() - first).as("statx of the file").isEqualTo(1);
        assertThat(calls.count(Call.LGETXATTR)).isZero();
    }

    @Test
    void onlyRegularFilesHaveLayouts() throws IOException {
        LustreCalls calls = new LustreCalls(Linux.calls()).layout("d", LAYOUT).layout("l", LAYOUT);
        Locality locality = Locality.over(calls);
        Path link = Files.createSymbolicLink(directory.resolve("l"), Path.of("nowhere"));
        assertThat(locality.layout(ByteString.of(Files.createDirectory(directory.resolve("d"))))).isEmpty();
        assertThat(locality.layout(ByteString.of(link))).isEmpty();
        assertThat(calls.attributes()).isZero();
    }

    @Test
    void attributesThatTheUserMayNotReadAreNone() throws IOException {
        ByteString path = file("f");
        for (int errno : List.of(Errno.EPERM, Errno.EACCES, Errno.ENODATA, Errno.EOPNOTSUPP)) {
            LustreCalls calls = new LustreCalls(
                    FaultInjectingCalls.over(Linux.calls(), Fault.on(Call.LGETXATTR).fails(errno)));
            assertThat(Locality.over(calls).layout(path)).isEmpty();
            assertThat(calls.attributes()).as("lustre.lov and trusted.lov").isEqualTo(2);
        }
    }

    @Test
    void otherErrorsAreThoseOfTheFile() throws IOException {
        ByteString path = file("f");
        LustreCalls calls = new LustreCalls(
                FaultInjectingCalls.over(Linux.calls(), Fault.on(Call.LGETXATTR).fails(Errno.EIO)));
        assertThatThrownBy(() -> Locality.over(calls).layout(path)).isInstanceOf(SystemCallException.class)
                .hasMessage("getxattr: Input/output error (EIO)");
        assertThatThrownBy(() -> Locality.over(calls).layout(ByteString.of("/nowhere/f")))
                .isInstanceOf(SystemCallException.class)
                .hasMessageStartingWith("stat: ");
    }

    @Test
    void aMalformedLayoutIsThatOfTheFile() throws IOException {
        ByteString path = file("f");
        LustreCalls calls = new LustreCalls(Linux.calls()).layout("f", ByteString.of("\u001b[31m?"));
        assertThatThrownBy(() -> Locality.over(calls).layout(path)).isInstanceOf(LayoutException.class)
                .hasMessage("lustre.lov: unknown format: '\\x1b[31m?'");
    }

    @Test
    void aLinkThatIsFollowedHasTheLayoutOfItsTarget() throws IOException {
        file("target");
        Files.createSymbolicLink(directory.resolve("link"), Path.of("target"));
        LustreCalls calls = new LustreCalls(Linux.calls()) {
            @Override
            public long fgetxattr(int descriptor, MemorySegment attribute, MemorySegment value) {
                MemorySegment.copy(LAYOUT.toBytes(), 0, value, ValueLayout.JAVA_BYTE, 0, LAYOUT.length());
                return LAYOUT.length();
            }
        };
        try (FileAccess access = FileAccess.open(calls)) {
            MemorySegment name = access.rootName(ByteString.of(directory.resolve("link")).toBytes());
            int here = LinuxConstants.AT_FDCWD;
            Locality locality = Locality.over(calls);
            FileStatus target = access.followedStatus(here, name);
            assertThat(locality.layout(access, here, name, target, true)).isPresent();
            assertThat(locality.mayTell(access, here, name, target, true)).isTrue();
            assertThat(locality.layout(access, here, name, access.status(here, name), false)).isEmpty();
        }
    }

    @Test
    void theExceptionsOfAProviderAreThoseOfTheFile() throws IOException {
        ByteString path = file("f");
        String mounts = mounts(path, "t");
        Locality locality = new Locality(Linux.calls(), List.of(new Answering("t", new IllegalStateException("no"))),
                () -> mounts);
        assertThatThrownBy(() -> locality.layout(path)).isInstanceOf(LayoutException.class)
                .hasMessageStartingWith("provider ")
                .hasMessageContaining("IllegalStateException: no");
    }

    @Test
    void aProviderOfAnotherJarIsAskedFirst() throws Exception {
        ByteString path = file("f");
        Path jar = TestJar.providing(directory, LocalityProvider.class, "Own", """
                import java.util.*;
                import org.treehaul.core.locality.*;
                public class Own implements LocalityProvider {
                    public String kind() { return "own"; }
                    public boolean isFor(FileSystemType type) { return type.magic() == 0x0BD00BD0L; }
                    public Optional<DataLayout> layout(LayoutFile file) {
                        return Optional.of(DataLayout.of("own", DataExtent.whole(Holders.of(DataPlace.on("here")))));
                    }
                }
                """);
        LustreCalls calls = new LustreCalls(Linux.calls()).layout("f", LAYOUT);
        assertThat(TestJar.with(List.of(jar), () -> Locality.over(calls).layout(path)).orElseThrow().kind())
                .isEqualTo("own");
        assertThat(Locality.over(calls).layout(path).orElseThrow().kind()).isEqualTo("lustre");
    }

    @Test
    void aProviderThatCannotBeLoadedIsAnErrorOfTheFile() throws Exception {
        ByteString path = file("f");
        Path jar = TestJar.providing(directory, LocalityProvider.class, "Broken", "public class Broken {}");
        assertThatThrownBy(() -> TestJar.with(List.of(jar), () -> Locality.over(Linux.calls()).layout(path)))
                .isInstanceOf(LayoutException.class)
                .hasMessageStartingWith("cannot load a provider of layouts from another jar: ")
                .hasMessageContaining("Broken");
    }
}
