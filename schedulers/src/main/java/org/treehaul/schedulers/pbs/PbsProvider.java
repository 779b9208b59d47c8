// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.pbs;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

import org.treehaul.schedulers.Scheduler;
import org.treehaul.schedulers.SchedulerException;
import org.treehaul.schedulers.SchedulerProvider;
import org.treehaul.schedulers.common.Programs;

/** Provides OpenPBS and Torque, which it detects and distinguishes by the version of qsub. */
public final class PbsProvider implements SchedulerProvider {

    // Seen in Slurm 22.05: the module is named within the first 2 kB, after the licence.
    private static final int SCRIPT_BYTES = 8192;
    private static final Pattern SLURM_MODULE = Pattern.compile("(?m)^use Slurm\\b");

    /** Returns a PBS of this dialect with the environment in which its programs are looked up and run. */
    public static Scheduler scheduler(PbsDialect dialect, Map<String, String> environment) {
        return new PbsScheduler(new Programs(environment), dialect);
    }

    @Override
    public List<String> names() {
        return List.of("pbs", "openpbs", "torque");
    }

    @Override
    public Scheduler named(String name, Map<String, String> environment) throws SchedulerException {
        Programs programs = new Programs(environment);
        return switch (name) {
            case "openpbs" -> new PbsScheduler(programs, PbsDialect.OPENPBS);
            case "torque" -> new PbsScheduler(programs, PbsDialect.TORQUE);
            default -> {
                refuseSlurm(programs);
                Programs.Ran ran = version(programs);
                yield new PbsScheduler(programs, dialect(ran).orElseThrow(() -> ran.failure(
                        "qsub reports no version of OpenPBS or Torque (use --scheduler openpbs or --scheduler torque)")));
            }
        };
    }

    @Override
    public Scheduler detect(Map<String, String> environment) throws SchedulerException {
        Programs programs = new Programs(environment);
        if (programs.find("qsub").isEmpty()) {
            throw new SchedulerException("qsub is not on the PATH");
        }
        refuseSlurm(programs);
        return new PbsScheduler(programs, dialect(version(programs))
                .orElseThrow(() -> new SchedulerException("qsub belongs to neither OpenPBS nor Torque")));
    }

    // Slurm brings programs with the names of Torque's, which submit to Slurm. Asked for its version, its qsub prints errors
    // of Perl or a usage.
    private static void refuseSlurm(Programs programs) throws SchedulerException {
        Optional<Path> qsub = programs.find("qsub");
        if (qsub.isPresent() && isOfSlurm(qsub.get())) {
            throw new SchedulerException(
                    qsub.get() + " is the qsub of Slurm, which submits to Slurm: use --scheduler slurm");
        }
    }

    private static boolean isOfSlurm(Path qsub) {
        try (InputStream in = Files.newInputStream(qsub)) {
            String begin = new String(in.readNBytes(SCRIPT_BYTES), StandardCharsets.ISO_8859_1);
            return begin.startsWith("#!") && SLURM_MODULE.matcher(begin).find();
        } catch (IOException e) {
            return false;
        }
    }

    private static Programs.Ran version(Programs programs) throws SchedulerException {
        return programs.run(Programs.ASK, "qsub", "--version");
    }

    private static Optional<PbsDialect> dialect(Programs.Ran ran) {
        String output = ran.output();
        if (ran.code() == 0 && output.contains("pbs_version")) {
            return Optional.of(PbsDialect.OPENPBS);
        }
        // Torque prints "Version: 6.1.3" and "Commit: ..." to standard error.
        if (ran.code() == 0 && output.matches("(?s).*(?:^|\\n)\\s*[Vv]ersion:.*")) {
            return Optional.of(PbsDialect.TORQUE);
        }
        return Optional.empty();
    }
}
