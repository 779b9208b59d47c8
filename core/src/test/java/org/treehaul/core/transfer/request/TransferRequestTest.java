// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer.request;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.treehaul.core.copy.CopyArguments;
import org.treehaul.core.copy.options.Backup;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.plan.format.BatchLimits;
import org.treehaul.core.state.StateFile;
import org.treehaul.core.transfer.Transfers;
import org.treehaul.core.transfer.directory.Timing;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.directory.TransferException;
import org.treehaul.core.transfer.operation.Operation;
import org.treehaul.core.walk.options.Patterns;

/** The file of a request gives back what was written, and refuses what it does not know. */
class TransferRequestTest {

    private static final ByteString ODD = ByteString.of(new byte[]{'/', 'a', '\n', '\\', (byte) 0xFF, '\t', ' '});

    @TempDir
    private Path directory;
    private TransferDirectory transfer;

    @BeforeEach
    void create() throws Exception {
        transfer = Transfers.in(directory.resolve("state")).create(new Operation.Copy(), "", Timing.defaults());
    }

    private static TransferRequest full() {
        List<String> many = IntStream.range(0, 25).mapToObj(i -> "--licenses=" + i).toList();
        JobOptions jobs = new JobOptions("slurm", 16, 4, many, Optional.of(Duration.ofHours(30)),
                Optional.of(List.of("-p short", "-A \u00e4")), Optional.of(Duration.ofMinutes(5)), true,
                List.of("module load java", "two\nlines"), List.of("date"), Optional.of("mail 'x'"), 16, "hybrid");
        Patterns.Builder patterns = Patterns.builder();
        patterns.exclude(ByteString.of("a\nb"));
        patterns.include(ByteString.of(new byte[]{(byte) 0xFE}));
        CopyOptions options = CopyOptions.archive()
                .verify(CopyOptions.Verify.SHA256)
                .backup(new Backup(Backup.Control.NUMBERED, ByteString.of("~")))
                .filter(patterns.build())
                .threads(7)
                .build();
        CopyArguments arguments = new CopyArguments(List.of(ODD), Optional.of(ByteString.of("to")), true, false, true,
                Optional.empty());
        CopyRequest copy = new CopyRequest(arguments, Optional.of(new CopyRequest.ListFile(ODD, true, true)), options,
                new CopyRequest.Batches("directory-grouped", new BatchLimits(3, 4, 5), 1 << 20), 16, false,
                Optional.of(Path.of("/plans/one")), ODD, 027, true);
        return TransferRequest.of(copy, jobs);
    }

    @Test
    void everyPartOfARequestIsReadBack() throws Exception {
        full().write(transfer);
        TransferRequest read = TransferRequest.find(transfer).orElseThrow();

        assertThat(read.jobs()).isEqualTo(full().jobs());
        CopyRequest copy = read.copy().orElseThrow();
        CopyRequest written = full().copy().orElseThrow();
        assertThat(copy).usingRecursiveComparison().isEqualTo(written);
        assertThat(copy.list()).isEqualTo(written.list());
        assertThat(copy.arguments()).isEqualTo(written.arguments());
        assertThat(((Patterns) copy.options().filter()).texts())
                .isEqualTo(((Patterns) written.options().filter()).texts());
        assertThat(copy.argumentsToReplan().noTargetDirectory()).isTrue();
    }

    @Test
    void anEmptyFinishQueueDiffersFromNone() throws Exception {
        JobOptions none = JobOptions.of("local");
        JobOptions empty = new JobOptions("local", 0, 0, List.of(), Optional.empty(), Optional.of(List.of()),
                Optional.empty(), false, List.of(), List.of(), Optional.empty(), 0, "");
        for (JobOptions jobs : List.of(none, empty)) {
            TransferRequest.of(jobs).write(transfer);
            assertThat(TransferRequest.find(transfer)).contains(TransferRequest.of(jobs));
        }
    }

    @Test
    void aRequestLargerThanOtherFilesIsReadBack() throws Exception {
        List<ByteString> paths = IntStream.range(0, 50_000)
                .mapToObj(i -> ByteString.of("/a/directory/with/a/long/name/file-" + i))
                .toList();
        TransferRequest request = TransferRequest.of(CopyRequest.of(paths, CopyOptions.archive().build(), 2),
                JobOptions.of("local"));
        request.write(transfer);
        assertThat(Files.size(transfer.path().resolve("request"))).isGreaterThan(2 << 20);
        assertThat(TransferRequest.find(transfer).orElseThrow().copy().orElseThrow().arguments().operands())
                .isEqualTo(paths);
    }

    @Test
    void anUnknownVersionAndAnUnknownLineAreRefused() throws Exception {
        full().write(transfer);
        Path file = transfer.path().resolve("request");
        StateFile known = StateFile.read(file);

        known.with("version", "2").replace(file, false);
        assertThatThrownBy(() -> TransferRequest.find(transfer)).isInstanceOf(TransferException.class)
                .hasMessageContainingAll(file.toString(), "version '2'", "knows version 1", "use the program");
        known.with("copy.colour", "red").replace(file, false);
        assertThatThrownBy(() -> TransferRequest.find(transfer)).isInstanceOf(TransferException.class)
                .hasMessageContaining("copy.colour");
        StateFile.empty().with("version", "1").replace(file, false);
        assertThatThrownBy(() -> TransferRequest.find(transfer)).isInstanceOf(TransferException.class)
                .hasMessageContaining("jobs.scheduler");
    }

    @Test
    void aDamagedRequestIsRefusedAndAMissingOneIsNone() throws Exception {
        assertThat(TransferRequest.find(transfer)).isEmpty();
        full().write(transfer);
        Path file = transfer.path().resolve("request");
        Files.writeString(file, Files.readString(file).replace("sha256", "xxh3"));
        assertThatThrownBy(() -> TransferRequest.find(transfer)).isInstanceOf(TransferException.class)
                .hasMessageContaining("checksum");
    }

    @Test
    void valuesThatCannotBeCarriedOutAreRefused() {
        assertThatThrownBy(() -> JobOptions.of("slurm").withQueue(List.of("-p a\n#SBATCH -p b")))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> JobOptions.of("slurm").withJobs(-1)).isInstanceOf(IllegalArgumentException.class);
        List<ByteString> paths = List.of(ByteString.of("/a"), ByteString.of("/b"));
        CopyOptions own = CopyOptions.archive().filter((path, isDirectory) -> false).build();
        assertThatThrownBy(() -> CopyRequest.of(paths, own, 1)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("patterns");
        assertThatThrownBy(() -> CopyRequest.of(List.of(ByteString.of("a"), ByteString.of("/b")),
                CopyOptions.archive().build(), 1)).isInstanceOf(IllegalArgumentException.class);
    }
}
