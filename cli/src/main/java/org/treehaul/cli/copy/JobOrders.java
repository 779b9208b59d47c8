// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.copy;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.TreeMap;

import org.treehaul.cli.common.RankOptions;
import org.treehaul.core.fs.PrivateFiles;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.directory.TransferException;
import org.treehaul.schedulers.JobPhase;
import org.treehaul.schedulers.JobRequest;
import org.treehaul.schedulers.KeptJar;
import org.treehaul.schedulers.Launch;
import org.treehaul.schedulers.TransferJobs;

/** Converts options into the orders to submit. */
final class JobOrders {

    // The same as in the treehaul script, except for the archive, which a node may not have.
    private static final List<String> JVM = List.of("-XX:+UseSerialGC", "-Xmn16m", "-XX:FreqInlineSize=35",
            "--enable-native-access=ALL-UNNAMED");

    private static final String SAID = "said";

    private JobOrders() {}

    /**
     * Returns the order for the jobs of a transfer.
     *
     * @param jar the program, as kept by {@link #keepJar}
     * @param ranks whether and how the workers share batches as ranks
     * @param workers number of workers
     * @param planInJob whether a job makes the plan
     */
    static TransferJobs.Order of(TransferOptions options, RankOptions ranks, TransferDirectory transfer, Path jar,
            int workers, boolean planInJob) throws IOException {
        TransferJobs.Order order = of(options, transfer, jar, workers, planInJob);
        return ranks.areGiven() ? order.workers(order.workers().ranks(ranks.distribution())) : order;
    }

    /**
     * Returns the order for the jobs of a transfer.
     *
     * @param jar the program, as kept by {@link #keepJar}
     * @param workers number of workers
     * @param planInJob whether a job makes the plan
     */
    static TransferJobs.Order of(TransferOptions options, TransferDirectory transfer, Path jar, int workers,
            boolean planInJob) throws IOException {
        JobRequest request = JobRequest.of(transfer.id().text(), 1, JobPhase.WORKER, transfer.path())
                .jobs(workers)
                .maxRunning(options.maxRunning())
                .options(options.queue())
                .requeue(options.requeue());
        Launch launch = new Launch(Optional.of(Path.of(System.getProperty("java.home"), "bin", "java")), jar, JVM,
                options.pre(), options.post(), options.onComplete().map(List::of).orElse(List.of()));
        return new TransferJobs.Order(options.walltime().map(request::walltime).orElse(request), launch, planInJob)
                .finishing(options.finishQueue(), options.finishWalltime());
    }

    /** Keeps a copy of the program for the jobs in the existing state directory, and returns its path. */
    static Path keepJar(TransferOptions options) throws IOException {
        return KeptJar.keep(options.stateDirectory(), jar());
    }

    /** Records the job options of a transfer, for commands that continue it. */
    static void remember(TransferDirectory transfer, Map<String, List<String>> said) throws IOException {
        Properties file = new Properties();
        said.forEach((name, values) -> {
            for (int i = 0; i < values.size(); i++) {
                file.setProperty(name + "." + i, values.get(i));
            }
        });
        PrivateFiles.makeDirectories(transfer.launch());
        // Written atomically: a part of the options must not be mistaken for all of them.
        Path fresh = transfer.launch().resolve(SAID + ".new");
        try (OutputStream out = PrivateFiles.rewrite(fresh)) {
            file.store(out, null);
        }
        Files.move(fresh, transfer.launch().resolve(SAID), StandardCopyOption.ATOMIC_MOVE);
    }

    /** Returns whether the options are recorded; the command line, which is written before, is then recorded too. */
    static boolean isRemembered(TransferDirectory transfer) {
        return Files.exists(transfer.launch().resolve(SAID));
    }

    /** Returns the job options with which the transfer began. */
    static Map<String, List<String>> recall(TransferDirectory transfer) throws IOException {
        Properties file = new Properties();
        try (InputStream in = Files.newInputStream(transfer.launch().resolve(SAID))) {
            file.load(in);
        } catch (NoSuchFileException | IllegalArgumentException e) {
            // Then all options must be given again.
        }
        Map<String, List<String>> said = new TreeMap<>();
        for (String key : file.stringPropertyNames()) {
            String name = key.substring(0, Math.max(0, key.lastIndexOf('.')));
            said.computeIfAbsent(name, n -> values(file, n));
        }
        return said;
    }

    // In the order in which they were given: the tenth follows the ninth.
    private static List<String> values(Properties file, String name) {
        List<String> values = new ArrayList<>();
        String value = file.getProperty(name + ".0");
        while (value != null) {
            values.add(value);
            value = file.getProperty(name + "." + values.size());
        }
        return values;
    }

    private static Path jar() throws TransferException {
        try {
            Path jar = Path.of(JobOrders.class.getProtectionDomain().getCodeSource().getLocation().toURI());
            if (jar.getFileName().toString().endsWith(".jar")) {
                return jar;
            }
            throw new TransferException("jobs need the jar of TreeHaul, but this program runs from " + jar);
        } catch (URISyntaxException e) {
            throw new TransferException("cannot find the jar of TreeHaul: " + e.getMessage(), e);
        }
    }
}
