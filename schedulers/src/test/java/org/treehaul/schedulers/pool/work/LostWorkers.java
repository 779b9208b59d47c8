// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.pool.work;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.treehaul.core.event.Progress;
import org.treehaul.core.transfer.TransferStatus;
import org.treehaul.schedulers.batch.BatchTransfer;

/** Workers of a pool in processes of their own, which die, or are stopped for longer than their leases. */
abstract class LostWorkers extends PooledTransfers {

    private static final int FILES = 30;
    private static final Duration LONG = Duration.ofMinutes(3);

    private final List<Process> workers = new ArrayList<>();

    @AfterEach
    void endWorkers() {
        workers.forEach(Process::destroyForcibly);
    }

    private Process worker() throws IOException {
        Process worker = PoolProcess.start(space, directory.resolve("state"));
        workers.add(worker);
        return worker;
    }

    private static void signal(String name, Process process) throws Exception {
        assertThat(new ProcessBuilder("kill", "-" + name, String.valueOf(process.pid())).start().waitFor()).isZero();
    }

    private static long files(Path target) {
        if (!Files.isDirectory(target)) {
            return 0;
        }
        try (Stream<Path> files = Files.list(target)) {
            return files.filter(file -> !file.getFileName().toString().startsWith(".")).count();
        } catch (IOException e) {
            return 0;
        }
    }

    /**
     * Kills one of two workers and stops the other one, until a third has worked. The moments of both signals are
     * random numbers of files.
     */
    void loseTwoOfThree(long seed) throws Exception {
        Random random = new Random(seed);
        Path source = source("source" + seed, FILES, 2000);
        Path target = target(source);
        BatchTransfer transfer = create(limited(copy(source, 1), 400_000), jobs);
        quicken(transfer);
        transfer.submit(event -> {
        }, new Progress(), cancellation);
        Process killed = worker();
        Process stopped = worker();
        int first = random.nextInt(FILES / 2);
        Awaitility.await().atMost(LONG).until(() -> files(target) >= first);
        killed.destroyForcibly().waitFor();
        signal("STOP", stopped);
        Process third = worker();
        int second = first + random.nextInt(FILES - first);
        Awaitility.await().atMost(LONG).until(() -> files(target) >= second);
        signal("CONT", stopped);
        Awaitility.await()
                .atMost(LONG)
                .untilAsserted(() -> assertThat(transfer.status().state()).isEqualTo(TransferStatus.State.COMPLETE));
        Awaitility.await().atMost(LONG).until(() -> pool.transfers().isEmpty());
        assertThat(third.isAlive()).isTrue();
        assertThat(files(target)).isEqualTo(FILES);
        for (int i = 0; i < FILES; i++) {
            assertThat(target.resolve("file" + i)).hasSameBinaryContentAs(source.resolve("file" + i));
        }
        try (Stream<Path> all = Files.list(target)) {
            assertThat(all.map(file -> file.getFileName().toString())).as("temporary files")
                    .noneMatch(name -> name.startsWith("."));
        }
        endWorkers();
        workers.clear();
    }
}
