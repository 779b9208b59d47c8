// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import org.apache.commons.io.file.PathUtils;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.Call;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.Fault;
import org.treehaul.core.fs.FaultInjectingCalls;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.state.Host;
import org.treehaul.schedulers.stage.ParallelFile;
import org.treehaul.schedulers.stage.Stage;
import org.treehaul.schedulers.stage.StageException;
import org.treehaul.schedulers.stage.StageFixture;
import org.treehaul.schedulers.stage.StageServer;
import org.treehaul.schedulers.stage.StripeLayout;
import org.treehaul.schedulers.stage.tree.StageDrain;
import org.treehaul.schedulers.stage.tree.StageReports;

/** The files of a stage on a node, after changes of its servers and files. */
class NodeFilesTest {

    private static final String HERE = Host.nameOr("localhost");

    private StageFixture fixture;
    private Stage stage;

    @BeforeEach
    void open() throws Exception {
        fixture = new StageFixture(3);
        stage = fixture.open();
    }

    @AfterEach
    void close() {
        fixture.close();
    }

    private void put(String path, StripeLayout layout) throws Exception {
        try (ParallelFile file = stage.create(ByteString.of(path), layout, 0600)) {
            file.write(ByteBuffer.wrap(path.getBytes(StandardCharsets.US_ASCII)));
        }
    }

    private void put(String path, String server) throws Exception {
        put(path, new StripeLayout(List.of(server), 1, 4096));
    }

    private NodeFiles files() throws StageException {
        return NodeFiles.open(Linux.calls(), stage, HERE, fixture.path());
    }

    private static List<NodeFile> list(NodeFiles files) {
        List<NodeFile> all = new ArrayList<>();
        files.list(ByteString.empty(), false, file -> true, all::add);
        return all;
    }

    private static String read(NodeFiles.Name name) throws Exception {
        return Files.readString(Path.of(name.path().toString()));
    }

    private void move(int server, String host) throws Exception {
        StageServer known = stage.catalogue().servers().get(server - 1);
        stage.catalogue()
                .add(new StageServer("job", known.name(), host, known.id(), known.directory(), known.address()));
    }

    @Test
    void aNodeThatGetsOrLosesItsDomainIsTheSameNode() throws Exception {
        String other = HERE.contains(".") ? HERE.substring(0, HERE.indexOf('.')) : HERE + ".example.org";
        move(2, other);
        move(3, "elsewhere.example.org");
        for (String name : List.of("d1", "d2", "d3")) {
            put("on-" + name, name);
        }
        List<String> hosts = NodeFiles.hosts(stage);
        assertThat(hosts).containsExactly(HERE, "elsewhere.example.org");
        assertThat(NodeFiles.nameAmong(hosts, other)).isEqualTo(HERE);
        assertThat(NodeFiles.nameAmong(hosts, "third")).isEqualTo("third");
        for (String name : List.of(HERE, other)) {
            try (NodeFiles files = NodeFiles.open(Linux.calls(), stage, name, fixture.path())) {
                assertThat(list(files)).extracting(file -> file.file().path().toString())
                        .containsExactly("on-d1", "on-d2");
            }
        }
    }

    @Test
    void aSegmentThatHasLostItsEndIsNotPassedToACommand() throws Exception {
        put("whole", "d1");
        put("cut", "d1");
        try (NodeFiles files = files()) {
            NodeFile cut = list(files).getFirst();
            assertThat(cut.file().path().toString()).isEqualTo("cut");
            Path segment;
            try (Stream<Path> all = Files.walk(fixture.server(1))) {
                segment = all.filter(path -> path.endsWith(cut.file().key(0).name())).findFirst().orElseThrow();
            }
            Files.write(segment, new byte[1]);
            assertThatThrownBy(() -> files.name(cut))
                    .hasMessageContaining("job:cut: segment 0 on server d1 ends at byte 1 of 3");
        }
    }

    @Test
    void aFileWhoseOnlyCopyIsLostFailsByNameAndAllOthersAreHandled() throws Exception {
        put("here", "d1");
        put("lost", "d2");
        put("saved", new StripeLayout(List.of("d2", "d3"), 1, 4096, 2));
        StageReports reports = new StageReports(ByteString.empty(), event -> {
        }, new Progress(), new Cancellation());
        StageServer second = stage.catalogue().servers().get(1);
        stage.catalogue().add(new StageServer("job", "d2", "gone", second.id(), second.directory(), ""));
        assertThat(NodeFiles.hosts(stage)).containsExactlyInAnyOrder(HERE, "gone");
        new StageDrain(Linux.calls(), stage, 1, false).lost("d2", true, reports, file -> {
        });
        assertThat(NodeFiles.hosts(stage)).containsExactly(HERE);
        Files.move(fixture.server(2), fixture.path().resolve("away"));
        try (NodeFiles files = files()) {
            List<NodeFile> all = list(files);
            assertThat(all).extracting(one -> one.file().path().toString()).containsExactly("here", "lost", "saved");
            for (int i : new int[]{0, 2}) {
                try (NodeFiles.Name name = files.name(all.get(i))) {
                    assertThat(read(name)).isEqualTo(all.get(i).file().path().toString());
                }
            }
            assertThatThrownBy(() -> files.name(all.get(1))).hasMessageContainingAll("job:lost", "d2", "lost");
        }
        StageServer third = stage.catalogue().servers().get(2);
        stage.catalogue().add(new StageServer("job", "d3", "other", third.id(), third.directory(), ""));
        try (NodeFiles files = NodeFiles.open(Linux.calls(), stage, "other", fixture.path())) {
            assertThat(list(files)).extracting(one -> one.file().path().toString()).containsExactly("saved");
        }
    }

    @Test
    void theDirectoryOfAKilledProcessIsSweptExceptFilesThatProgramsMade() throws Exception {
        put("whole", "d1");
        put("cut", new StripeLayout(List.of("d1", "d2"), 2, 2));
        Path temporary = Files.createDirectory(fixture.path().resolve("temporary"));
        try (NodeFiles live = NodeFiles.open(Linux.calls(), stage, HERE, temporary)) {
            List<NodeFile> all = list(live);
            try (NodeFiles.Name cut = live.name(all.get(0)); NodeFiles.Name whole = live.name(all.get(1))) {
                Path directory = Path.of(whole.path().toString()).resolveSibling("..").normalize();
                // As they are after a kill, without the locks.
                Path alone = copy(directory, temporary.resolve("treehaul-at-alone"));
                Files.writeString(Path.of(whole.path().toString()).resolveSibling("whole.gz"), "of a program");
                Files.createSymbolicLink(Path.of(cut.path().toString()).resolveSibling("link"), Path.of("cut"));
                Path used = copy(directory, temporary.resolve("treehaul-at-used"));
                Path ended = copy(directory, temporary.resolve("treehaul-at-ended"));
                Files.delete(lock(ended));
                NodeFiles.open(Linux.calls(), stage, HERE, temporary).close();
                assertThat(alone).doesNotExist();
                try (Stream<Path> left = Files.walk(used)) {
                    assertThat(left.filter(path -> !Files.isDirectory(path)).map(path -> path.getFileName().toString()))
                            .containsExactlyInAnyOrder("whole.gz", "link");
                }
                assertThat(ended.resolve("1/whole")).exists();
                assertThat(read(cut)).isEqualTo("cut");
                assertThat(read(whole)).isEqualTo("whole");
            }
        }
    }

    @Test
    void aDirectoryThatAnotherProcessSweepsBeforeItIsLockedIsReplaced() throws Exception {
        put("whole", "d1");
        Path temporary = Files.createDirectory(fixture.path().resolve("temporary"));
        List<Fault> faults = List.of(
                Fault.on(Call.OFD_LOCK)
                        .nth(1)
                        .runs(call -> NodeFiles.open(Linux.calls(), stage, HERE, temporary).close()),
                Fault.on(Call.OFD_LOCK).nth(1).fails(Errno.EAGAIN));
        for (Fault fault : faults) {
            FaultInjectingCalls calls = FaultInjectingCalls.over(Linux.calls(), fault);
            try (NodeFiles files = NodeFiles.open(calls, stage, HERE, temporary);
                    NodeFiles.Name name = files.name(list(files).getFirst())) {
                assertThat(calls.count(Call.OFD_LOCK)).isEqualTo(2);
                assertThat(read(name)).isEqualTo("whole");
                // Others leave it.
                NodeFiles.open(Linux.calls(), stage, HERE, temporary).close();
                assertThat(read(name)).isEqualTo("whole");
            }
        }
    }

    @Test
    void theDirectoryOfAProcessOnAnotherHostIsLeft() throws Exception {
        put("whole", "d1");
        Path temporary = Files.createDirectory(fixture.path().resolve("temporary"));
        try (NodeFiles live = NodeFiles.open(Linux.calls(), stage, HERE, temporary);
                NodeFiles.Name whole = live.name(list(live).getFirst())) {
            Path directory = Path.of(whole.path().toString()).resolveSibling("..").normalize();
            // A lock of another host, as one without locks between hosts sees it.
            Path other = copy(directory, temporary.resolve("treehaul-at-other"));
            Path lock = lock(other);
            Files.move(lock, lock.resolveSibling(lock.getFileName().toString().replace(HERE, "other")));
            NodeFiles.open(Linux.calls(), stage, HERE, temporary).close();
            assertThat(other.resolve("0/whole")).hasContent("whole");
        }
    }

    private static Path lock(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.filter(file -> file.getFileName().toString().startsWith(".treehaul-lock"))
                    .findFirst()
                    .orElseThrow();
        }
    }

    @Test
    void aDirectoryWhoseLockCannotBeMadeIsRemoved() throws Exception {
        Path temporary = Files.createDirectory(fixture.path().resolve("temporary"));
        FaultInjectingCalls calls = FaultInjectingCalls.over(Linux.calls(),
                Fault.on(Call.OPENAT).named(".treehaul-lock-" + Host.nameOr("")).fails(Errno.ENOSPC));
        assertThatThrownBy(() -> NodeFiles.open(calls, stage, HERE, temporary)).isInstanceOf(StageException.class);
        assertThat(temporary).isEmptyDirectory();
    }

    private static Path copy(Path from, Path to) throws IOException {
        PathUtils.copyDirectory(from, to, LinkOption.NOFOLLOW_LINKS);
        return to;
    }

    @Test
    void aRenameThatWasStoppedHalfwayIsCompleted() throws Exception {
        put("before", "d1");
        Path away = fixture.path().resolve("away");
        Files.move(fixture.server(1), away);
        assertThatThrownBy(() -> fixture.open().rename(ByteString.of("before"), ByteString.of("after")))
                .isInstanceOf(StageException.class);
        Files.move(away, fixture.server(1));
        try (NodeFiles files = files()) {
            try (NodeFiles.Name name = files.name(list(files).getFirst())) {
                assertThat(name.path().toString()).endsWith("/after");
                assertThat(read(name)).isEqualTo("before");
            }
        }
    }
}
