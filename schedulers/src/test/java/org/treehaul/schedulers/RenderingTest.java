// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Stream;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.treehaul.schedulers.common.Programs;
import org.treehaul.schedulers.discovery.Schedulers;
import org.treehaul.schedulers.pbs.PbsDialect;

/** Compares the scripts of requests with golden files; {@code -Dtreehaul.golden=write} accepts the current scripts. */
class RenderingTest {
    private static final Path GOLDEN = Path.of("src/test/resources/org/treehaul/schedulers/golden");

    private static final JobRequest WORKERS = request(JobPhase.WORKER).jobs(8);
    private static final JobRequest FINISH = request(JobPhase.FINISH);

    @TempDir
    static Path site;
    private static Map<String, String> environment = Map.of();

    @TempDir
    Path directory;

    /** The programs report the limits of a site with the default size of arrays. */
    @BeforeAll
    static void makePrograms() throws Exception {
        environment = new FakePrograms(site).with("scontrol", "echo MaxArraySize = 1001")
                .with("qmgr", "echo set server max_array_size = 10000")
                .environment();
    }

    private static JobRequest request(JobPhase phase) {
        return JobRequest.of("20261121-120000-abcd", 1, phase, Path.of("/secret place/transfers/20261121-120000-abcd"));
    }

    private static Script slurm(JobRequest request) {
        return only(Schedulers.slurm(environment), request);
    }

    private static Script openPbs(JobRequest request) {
        return only(Schedulers.pbs(PbsDialect.OPENPBS, environment), request);
    }

    private static Script torque(JobRequest request) {
        return only(Schedulers.pbs(PbsDialect.TORQUE, environment), request);
    }

    private static Script local(JobRequest request) {
        return only(Schedulers.local(environment), request);
    }

    private static Script only(Scheduler scheduler, JobRequest request) {
        try {
            List<Script> scripts = scheduler.render(request);
            assertThat(scripts).hasSize(1);
            return scripts.getFirst();
        } catch (SchedulerException e) {
            throw new AssertionError(e);
        }
    }

    private static Map<String, Script> scripts() {
        Map<String, Script> all = new TreeMap<>();
        all.put("slurm-array", slurm(WORKERS.maxRunning(4)));
        all.put("slurm-single", slurm(WORKERS.jobs(1)));
        all.put("slurm-finish", slurm(FINISH.after(List.of("12", "13"))));
        all.put("slurm-finish-requeue", slurm(FINISH.walltime(Duration.ofHours(1)).requeue(true)));
        all.put("slurm-plan", slurm(request(JobPhase.PLAN)));
        all.put("slurm-requeue",
                slurm(WORKERS.walltime(Duration.ofHours(30))
                        .requeue(true)
                        .options(List.of("--partition=fat --account=\"a b\"", "--exclusive"))));
        all.put("openpbs-array", openPbs(WORKERS.maxRunning(4).walltime(Duration.ofHours(2))));
        all.put("openpbs-single", openPbs(WORKERS.jobs(1).options(List.of("-q fat -l select=1:ncpus=4"))));
        all.put("openpbs-finish", openPbs(FINISH.after(List.of("2[].host", "3.host"))));
        all.put("torque-array", torque(WORKERS.maxRunning(4).walltime(Duration.ofHours(2))));
        all.put("torque-single", torque(WORKERS.jobs(1).options(List.of("-q fat -l nodes=1:ppn=4"))));
        all.put("torque-finish", torque(FINISH.after(List.of("1098[].host", "1099.host"))));
        all.put("local-worker", local(WORKERS.walltime(Duration.ofMinutes(5))));
        all.put("slurm-ranks", slurm(WORKERS.ranks("hybrid")));
        all.put("slurm-ranks-requeue",
                slurm(WORKERS.ranks("random-split").walltime(Duration.ofHours(30)).requeue(true)));
        all.put("openpbs-ranks", openPbs(WORKERS.ranks("hybrid").walltime(Duration.ofHours(2))));
        all.put("torque-ranks", torque(WORKERS.ranks("pct")));
        all.put("local-ranks", local(WORKERS.jobs(4).ranks("hybrid")));
        all.put("local-finish", local(FINISH));
        JobRequest placed = WORKERS.jobs(1).firstIndex(2).at("node3");
        all.put("local-host", local(placed));
        all.put("slurm-host", slurm(placed));
        all.put("openpbs-host", openPbs(placed.options(List.of("-q fat"))));
        all.put("openpbs-host-mem", openPbs(placed.options(List.of("-l mem=2gb"))));
        all.put("torque-host", torque(placed.options(List.of("-l mem=2gb"))));
        return all;
    }

    private static Stream<String> names() {
        return scripts().keySet().stream();
    }

    private static Script script(String name) {
        return Objects.requireNonNull(scripts().get(name));
    }

    @Test
    void pbsRefusesNodesOfTheUserForJobsThatAreBoundToAHost() {
        JobRequest placed = WORKERS.jobs(1).at("node3");
        assertThatThrownBy(() -> Schedulers.pbs(PbsDialect.TORQUE, environment)
                .render(placed.options(List.of("-q fat -l nodes=1:ppn=4")))).hasMessageContaining("node3")
                .hasMessageContaining("out of --queue");
        assertThatThrownBy(() -> Schedulers.pbs(PbsDialect.OPENPBS, environment)
                .render(placed.options(List.of("-l select=1:ncpus=4")))).hasMessageContaining("out of --queue");
    }

    @ParameterizedTest
    @MethodSource("names")
    void aScriptIsAsItAlwaysWas(String name) throws Exception {
        Path golden = GOLDEN.resolve(name + ".sh");
        if ("write".equals(System.getProperty("treehaul.golden"))) {
            Files.createDirectories(GOLDEN);
            Files.writeString(golden, script(name).text());
        }
        assertThat(script(name).text()).isEqualTo(Files.readString(golden));
    }

    @Test
    void thereIsNoGoldenFileWithoutItsTest() throws Exception {
        try (Stream<Path> files = Files.list(GOLDEN)) {
            assertThat(files.map(file -> String.valueOf(file.getFileName()).replace(".sh", "")))
                    .containsExactlyInAnyOrderElementsOf(scripts().keySet());
        }
    }

    @ParameterizedTest
    @MethodSource("names")
    void aScriptIsSmallContainsNoPathOfItsTransferAndServesOneScheduler(String name) {
        Script script = script(name);
        assertThat(script.bytes()).isLessThan(Script.LIMIT);
        assertThat(script.text()).doesNotContain("secret", "transfers/").contains("20261121-120000-abcd, generation 1");
        assertThat(script.text().contains("#SBATCH")).isEqualTo(name.startsWith("slurm"));
        assertThat(script.text().contains("#PBS")).isEqualTo(name.startsWith("openpbs") || name.startsWith("torque"));
    }

    @ParameterizedTest
    @MethodSource("names")
    void bashTakesTheScript(String name) throws Exception {
        assertThat(run("bash", "-n", write(name))).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("names")
    void shellcheckFindsNothing(String name) throws Exception {
        assumeTrue(new Programs(System.getenv()).find("shellcheck").isPresent(),
                "shellcheck (package shellcheck) is not installed");
        assertThat(run("shellcheck", write(name))).isEmpty();
    }

    private String write(String name) throws Exception {
        return Files.writeString(directory.resolve(name), script(name).text()).toString();
    }

    private static String run(String... command) throws Exception {
        Programs.Ran ran = new Programs(System.getenv()).run(Programs.ASK, command);
        return ran.out() + ran.err() + (ran.code() == 0 ? "" : ran.code());
    }

    @Test
    void theNumberOfWorkersChangesNothingButTheRange() {
        assertThat(slurm(WORKERS.jobs(1000)).text().replace("0-999", "0-7")).isEqualTo(slurm(WORKERS).text());
        assertThat(openPbs(WORKERS.jobs(1000)).text().replace("0-999", "0-7")).isEqualTo(openPbs(WORKERS).text());
        assertThat(local(WORKERS.jobs(1000)).text()).isEqualTo(local(WORKERS).text());
    }

    @Test
    void ranksAreOneJobOfAsManyNodes() {
        JobRequest ranks = WORKERS.ranks("hybrid");
        assertThat(slurm(ranks).text()).contains("#SBATCH --nodes=8\n").doesNotContain("--array");
        assertThat(openPbs(ranks).text()).contains("#PBS -l select=8\n#PBS -l place=scatter\n")
                .doesNotContain("#PBS -J");
        assertThat(openPbs(ranks.options(List.of("-l place=scatter:excl"))).text()).contains("#PBS -l select=8\n")
                .doesNotContain("place=scatter\n");
        assertThat(torque(ranks).text()).contains("#PBS -l nodes=8\n").doesNotContain("#PBS -t");
        assertThatIllegalArgumentException().isThrownBy(() -> FINISH.ranks("hybrid"));
        assertThatIllegalArgumentException().isThrownBy(() -> ranks.maxRunning(2));
        assertThatIllegalArgumentException().isThrownBy(() -> WORKERS.ranks("hybrid; rm"));
    }

    @Test
    void openPbsIsGivenNothingThatItTakesOnlyWithoutOurs() {
        for (String line : List.of("-l ncpus=4", "-q short -l walltime=1:00:00,mem=4gb", "-lngpus=1")) {
            assertThat(openPbs(WORKERS.options(List.of(line))).text()).as(line).doesNotContain("-l select=1\n");
        }
        for (String line : List.of("-l place=scatter", "-l walltime=1:00:00", "-N l -A ncpus=4")) {
            assertThat(openPbs(WORKERS.options(List.of(line))).text()).as(line).contains("-l select=1\n");
        }
        assertThat(torque(WORKERS.options(List.of("-l mem=4gb"))).text()).contains("-l nodes=1\n");
    }

    @Test
    void nodesAreAskedForOnceAndAsTheUserWants() {
        for (String line : List.of("-l select=2:mem=4gb", "-l nodes=1:ppn=2")) {
            assertThat(openPbs(WORKERS.options(List.of(line))).text()).contains("#PBS " + line + "\n")
                    .doesNotContain("-l select=1\n");
            assertThat(torque(WORKERS.options(List.of(line))).text()).contains("#PBS " + line + "\n")
                    .doesNotContain("-l nodes=1\n");
        }
    }

    @Test
    void aWorkerStopsBeforeTheLimitOfTimeThatTheUserGavePbsHimself() {
        assertThat(openPbs(WORKERS.options(List.of("-l select=1 -l walltime=1:00:00"))).text()).contains("< 3480 ?");
        assertThat(openPbs(WORKERS.options(List.of("-l walltime=100"))).text()).contains("< 80 ?");
        assertThat(openPbs(WORKERS).text()).doesNotContain("timeout");
    }
}
