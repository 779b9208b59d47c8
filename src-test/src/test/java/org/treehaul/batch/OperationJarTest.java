// SPDX-License-Identifier: Apache-2.0
package org.treehaul.batch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.OutputStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import javax.tools.ToolProvider;

import org.apache.commons.io.file.PathUtils;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.Progress;
import org.treehaul.core.operation.OperationProvider;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.core.transfer.TransferStatus;
import org.treehaul.core.transfer.operation.Operation;
import org.treehaul.core.transfer.operation.UnknownOperationException;
import org.treehaul.core.transfer.request.JobOptions;
import org.treehaul.packaged.Run;
import org.treehaul.schedulers.batch.BatchTransfer;
import org.treehaul.schedulers.batch.OperationRequest;

/** The operation of docs/examples in a jar, by jobs of this machine. */
class OperationJarTest {

    private static final Path ROOT = Path.of(System.getProperty("treehaul.root"));
    private static final String SERVICE = "META-INF/services/org.treehaul.core.operation.OperationProvider";
    private static final int FILES = 2_000;

    private final TestDirectory directory = TestDirectory.onTmpfs();
    private final Path state = directory.resolve("state");
    private final Path tree = directory.directory("tree");
    private final Path jar = directory.resolve("modes.jar");
    private final Cancellation cancellation = new Cancellation();

    @BeforeEach
    void makeTreeAndJar() throws IOException {
        for (int i = 0; i < FILES; i++) {
            Path file = tree.resolve("d" + i % 20 + "/f" + i);
            Files.createDirectories(file.getParent());
            Files.createFile(file);
            Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-rw-rw-"));
        }
        Files.createSymbolicLink(tree.resolve("link"), Path.of("d0/f0"));
        compile(jar, 1);
    }

    @AfterEach
    void close() {
        directory.close();
    }

    private void compile(Path to, int version) throws IOException {
        Path sources = directory.directory("sources" + version);
        Path classes = directory.directory("classes" + version);
        String text = Files.readString(ROOT.resolve("docs/examples/SetModes.java"));
        assertThat(text).containsOnlyOnce("return 1;\n");
        Path source = Files.writeString(sources.resolve("SetModes.java"),
                text.replace("return 1;\n", "return " + version + ";\n"));
        assertThat(ToolProvider.getSystemJavaCompiler()
                .run(null, null, null, "-proc:none", "-cp", Run.JAR.toString(), "-d", classes.toString(),
                        source.toString()))
                .isZero();
        try (OutputStream out = Files.newOutputStream(to);
                JarOutputStream entries = new JarOutputStream(out);
                Stream<Path> files = Files.list(classes)) {
            for (Path file : files.toList()) {
                entries.putNextEntry(new JarEntry(file.getFileName().toString()));
                Files.copy(file, entries);
            }
            entries.putNextEntry(new JarEntry(SERVICE));
            entries.write("SetModes\n".getBytes(StandardCharsets.US_ASCII));
        }
    }

    private Operation.Custom operation(int version) throws Exception {
        try (URLClassLoader loader = new URLClassLoader(new URL[]{jar.toUri().toURL()},
                OperationProvider.class.getClassLoader())) {
            OperationProvider provider = (OperationProvider) loader.loadClass("SetModes")
                    .getConstructor()
                    .newInstance();
            Operation.Custom custom = Operation.Custom.of(provider, Map.of("files", "640", "directories", "750"));
            return new Operation.Custom(custom.name(), version, custom.repetition(), custom.parameters());
        }
    }

    private BatchTransfer create(int version, int jobs, String pre) throws Exception {
        OperationRequest request = OperationRequest.of(operation(version), List.of(jar),
                List.of(ByteString.of(tree.toString())), 2);
        JobOptions options = new JobOptions("local", jobs, 0, List.of(), Optional.empty(), Optional.empty(),
                Optional.empty(), false, List.of(pre), List.of(), Optional.empty(), 0, "");
        return BatchTransfer.create(state, Run.JAR, request, options, "set modes");
    }

    private int submit(BatchTransfer transfer) throws Exception {
        return transfer.submit(event -> {}, new Progress(), cancellation).orElseThrow();
    }

    private TransferStatus await(BatchTransfer transfer, int generation) throws Exception {
        transfer.await(generation, status -> {}, cancellation);
        return transfer.status();
    }

    private static String mode(Path path) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
    }

    private void assertAllSet() throws IOException {
        try (Stream<Path> all = Files.walk(tree)) {
            for (Path path : all.filter(one -> !Files.isSymbolicLink(one)).toList()) {
                assertThat(mode(path)).as(path.toString())
                        .isEqualTo(Files.isDirectory(path) ? "rwxr-x---" : "rw-r-----");
            }
        }
    }

    @Test
    void theExampleSetsModesByJobs() throws Exception {
        Run run = Run.of(Run.JAVA, "--enable-native-access=ALL-UNNAMED", "-cp", Run.JAR + ":" + jar, "SetModes",
                Run.JAR, jar, state, "local", tree, "640", "750");
        run.expect(0);
        assertThat(run.out()).endsWith("set-modes: COMPLETE, " + (FILES + 1) + " of " + (FILES + 1) + " entries\n");
        assertAllSet();
        // Commands that only show or forget a transfer do without the jar.
        Run.treehaul("status", "--json", "--state-dir", state, "last").expect(0);
        Run.treehaul("forget", "--state-dir", state, "last").expect(0);
    }

    @Test
    @Tag("rig")
    void aKilledJobIsResumedAndReported() throws Exception {
        // Each worker of the first generation is killed soon after the first mode is set.
        String kill = "[ -e '" + directory.resolve("again") + "' ] || { worker=$BASHPID; " + "(until [ -n \"$(find '"
                + tree + "' -type f -perm 640 -print -quit)\" ]; do :; done; "
                + "kill -9 $worker) > /dev/null 2>&1 & }";
        BatchTransfer transfer = create(1, 1, kill);
        TransferStatus killed = await(transfer, submit(transfer));
        Files.createFile(directory.resolve("again"));
        // On a busy machine the kill may come too late.
        TransferStatus resumed = killed.state() == TransferStatus.State.COMPLETE
                ? killed
                : await(transfer, transfer.resume().orElseThrow());
        assertThat(resumed.state()).as(resumed.toString()).isEqualTo(TransferStatus.State.COMPLETE);
        assertThat(resumed.result().orElseThrow().done()).isEqualTo(FILES + 1);
        assertAllSet();
    }

    @Test
    @Tag("rig")
    void aJobThatFindsAnotherVersionRefusesBeforeItWrites() throws Exception {
        Path go = directory.resolve("go");
        BatchTransfer transfer = create(1, 2, "until [ -e '" + go + "' ]; do sleep 0.1; done");
        int generation = submit(transfer);
        Path kept;
        try (Stream<Path> programs = Files.list(state.resolve("programs"))) {
            kept = programs.filter(file -> file.getFileName().toString().startsWith("operation-"))
                    .findFirst()
                    .orElseThrow();
        }
        Path before = directory.resolve("before.jar");
        Files.copy(kept, before);
        Path other = directory.resolve("other.jar");
        compile(other, 2);
        Files.copy(other, kept, StandardCopyOption.REPLACE_EXISTING);
        Files.setPosixFilePermissions(kept, PosixFilePermissions.fromString("rw-------"));
        Files.createFile(go);
        TransferStatus status = await(transfer, generation);
        assertThat(status.state()).isEqualTo(TransferStatus.State.INCOMPLETE);
        assertThat(status.result().orElseThrow().problem()).contains(
                "operation 'set-modes' version 1 (IDEMPOTENT) is not found, but version 2", kept.toString(),
                "begin a new transfer with a jar that provides this version");
        assertThat(PathUtils.isEmptyDirectory(transfer.directory().path().resolve("attempts"))).isTrue();
        assertThat(mode(tree.resolve("d0/f0"))).isEqualTo("rw-rw-rw-");
        Files.copy(before, kept, StandardCopyOption.REPLACE_EXISTING);
        assertThat(await(transfer, transfer.resume().orElseThrow()).state()).isEqualTo(TransferStatus.State.COMPLETE);
        assertAllSet();
    }

    @Test
    void aJarWithoutTheVersionIsRefusedBeforeATransferIsCreated() {
        assertThatThrownBy(() -> create(2, 1, ":")).isInstanceOf(UnknownOperationException.class)
                .hasMessageContaining("version 2 (IDEMPOTENT) is not found, but version 1");
        assertThat(state.resolve("transfers")).doesNotExist();
    }
}
