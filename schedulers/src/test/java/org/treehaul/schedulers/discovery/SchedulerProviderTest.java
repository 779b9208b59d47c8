// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.discovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.Progress;
import org.treehaul.core.testing.TestJar;
import org.treehaul.core.transfer.Refusal;
import org.treehaul.core.transfer.TransferStatus;
import org.treehaul.core.transfer.request.CopyRequest;
import org.treehaul.core.transfer.request.JobOptions;
import org.treehaul.schedulers.FakePrograms;
import org.treehaul.schedulers.Scheduler;
import org.treehaul.schedulers.SchedulerException;
import org.treehaul.schedulers.SchedulerProvider;
import org.treehaul.schedulers.batch.BatchTransfer;

/** Schedulers that other jars add. */
class SchedulerProviderTest {

    private static final String SOURCE = """
            import java.lang.reflect.Proxy;
            import java.util.*;
            import org.treehaul.schedulers.*;
            import org.treehaul.schedulers.discovery.Schedulers;

            public final class CLASS implements SchedulerProvider {
                public List<String> names() {
                    return List.of("NAME");
                }

                public Scheduler named(String name, Map<String, String> environment) {
                    Scheduler local = Schedulers.local(environment);
                    return (Scheduler) Proxy.newProxyInstance(CLASS.class.getClassLoader(),
                            new Class<?>[] {Scheduler.class},
                            (proxy, method, arguments) -> method.getName().equals("name") ? name
                                    : method.invoke(local, arguments));
                }

                public Scheduler detect(Map<String, String> environment) throws SchedulerException {
                    if (!environment.containsKey("LSF")) {
                        throw new SchedulerException("there is no bsub on the PATH");
                    }
                    return named("NAME", environment);
                }
            }
            """;
    private static final Map<String, String> NONE = Map.of("PATH", "/nonexistent");
    private static final Map<String, String> LSF = Map.of("PATH", "/nonexistent", "LSF", "1");

    @TempDir
    Path directory;
    private FakePrograms programs;

    @BeforeEach
    void makePrograms() throws Exception {
        programs = new FakePrograms(directory);
    }

    private Path jar(String type, String name) throws Exception {
        return TestJar.providing(directory, SchedulerProvider.class, type,
                SOURCE.replace("CLASS", type).replace("NAME", name));
    }

    @Test
    void aSchedulerOfAnotherJarIsFoundByItsName() throws Exception {
        TestJar.with(List.of(jar("Lsf", "lsf")), () -> {
            assertThat(Schedulers.names()).containsExactly("auto", "local", "slurm", "pbs", "openpbs", "torque", "pool",
                    "lsf");
            Scheduler lsf = Schedulers.named("lsf", NONE);
            assertThat(lsf.name()).isEqualTo("lsf");
            assertThat(lsf.render(programs.workers(1))).hasSize(1);
            return null;
        });
        assertThat(Schedulers.names()).containsExactly("auto", "local", "slurm", "pbs", "openpbs", "torque", "pool");
    }

    @Test
    void aRefusalByASchedulerOfAnotherJarIsRecorded() throws Exception {
        String refusing = SOURCE
                .replace("method.getName().equals(\"name\") ? name",
                        "method.getName().equals(\"name\") ? name : method.getName().equals(\"submit\") ? refuse()")
                .replace("public Scheduler detect", """
                        private static Object refuse() throws SchedulerException {
                            throw SchedulerException.refused("bsub: queue is closed", List.of("bsub"), 255);
                        }

                        public Scheduler detect""");
        Path jar = TestJar.providing(directory, SchedulerProvider.class, "Lsf",
                refusing.replace("CLASS", "Lsf").replace("NAME", "lsf"));
        Path state = directory.resolve("state");
        Path source = Files.writeString(directory.resolve("source"), "data");
        CopyRequest copy = CopyRequest.of(
                List.of(ByteString.of(source.toString()), ByteString.of(directory.resolve("copy").toString())),
                CopyOptions.archive().build(), 1);
        TestJar.with(List.of(jar), () -> {
            BatchTransfer transfer = BatchTransfer.create(state, Files.createFile(directory.resolve("treehaul.jar")),
                    copy, JobOptions.of("lsf"), "a copy");
            assertThatThrownBy(() -> transfer.submit(event -> {}, new Progress(), new Cancellation()))
                    .isInstanceOfSatisfying(SchedulerException.class, refusal -> {
                        assertThat(refusal.command()).containsExactly("bsub");
                        assertThat(refusal.exitCode()).isEqualTo(255);
                    });
            assertThat(transfer.status().state()).isEqualTo(TransferStatus.State.NOT_SUBMITTED);
            assertThat(Refusal.of(transfer.directory(), 1).orElseThrow().reason()).contains("bsub: queue is closed");
            return null;
        });
    }

    @Test
    void aRefusalHasACommandAndAnExitCodeOfFailure() {
        List<String> command = List.of("bsub");
        for (int code : new int[]{SchedulerException.NO_CODE, 0, 256}) {
            assertThatThrownBy(() -> SchedulerException.refused("refused", command, code))
                    .isInstanceOf(IllegalArgumentException.class);
        }
        assertThatThrownBy(() -> SchedulerException.refused("refused", List.of(), 1))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aSchedulerOfAnotherJarIsDetectedAfterThoseOfTreeHaul() throws Exception {
        TestJar.with(List.of(jar("Lsf", "lsf")), () -> {
            assertThat(Schedulers.named("auto", LSF).name()).isEqualTo("lsf");
            assertThatThrownBy(() -> Schedulers.named("auto", NONE)).hasMessageContainingAll("sbatch", "qsub",
                    "lsf: there is no bsub on the PATH", "--scheduler local");
            programs.with("sbatch", "echo slurm 22.05.8");
            assertThat(Schedulers.named("auto", programs.environment()).name()).isEqualTo("slurm");
            return null;
        });
    }

    @Test
    void twoDetectedSchedulersMustBeNamed() throws Exception {
        TestJar.with(List.of(jar("Lsf", "lsf"), jar("Oar", "oar")), () -> {
            assertThatThrownBy(() -> Schedulers.named("auto", LSF)).isInstanceOf(SchedulerException.class)
                    .hasMessage("this machine has several schedulers, lsf and oar: choose one with --scheduler");
            assertThat(Schedulers.named("oar", LSF).name()).isEqualTo("oar");
            return null;
        });
    }

    @Test
    void oneNameBelongsToOneProvider() throws Exception {
        TestJar.with(List.of(jar("Mine", "slurm")), () -> {
            assertThatThrownBy(Schedulers::names).isInstanceOf(SchedulerException.class)
                    .hasMessageContainingAll("'slurm' of Mine", "also provided by", "Slurm");
            return null;
        });
        TestJar.with(List.of(jar("Any", "auto")), () -> {
            assertThatThrownBy(() -> Schedulers.named("local", NONE)).hasMessageContaining("reserved name");
            return null;
        });
    }

    @Test
    void aProviderThatCannotBeLoadedIsAnError() throws Exception {
        Path jar = TestJar.providing(directory, SchedulerProvider.class, "Wrong", "public final class Wrong {}");
        TestJar.with(List.of(jar), () -> {
            assertThatThrownBy(Schedulers::names).isInstanceOf(SchedulerException.class)
                    .hasMessageContaining("cannot load a scheduler from another jar");
            return null;
        });
    }

    @Test
    void aProviderForANewerJavaOrWithoutNamesIsAnErrorThatSaysSo() throws Exception {
        TestJar.with(List.of(TestJar.forNewerJava(jar("Lsf", "lsf"))), () -> {
            assertThatThrownBy(Schedulers::names).isInstanceOf(SchedulerException.class)
                    .hasMessageContainingAll("cannot load a scheduler from another jar", "class file version");
            return null;
        });
        Path nameless = TestJar.providing(directory, SchedulerProvider.class, "Oar",
                SOURCE.replace("List.of(\"NAME\")", "List.of()").replace("CLASS", "Oar"));
        TestJar.with(List.of(nameless), () -> {
            assertThatThrownBy(Schedulers::names).isInstanceOf(SchedulerException.class)
                    .hasMessageContainingAll("cannot load a scheduler from another jar", "Oar");
            return null;
        });
    }
}
