// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.OutputStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.testing.TestDirectory;

/** Tasks of Java classes: how they run and end, and how they are found. */
class JavaTaskTest {

    private static final TaskInput INPUT = new TaskInput(ByteString.of("d/f"), new Segment(1, 2, 10, 5));
    private static final String SERVICE = "META-INF/services/" + EntryTaskProvider.class.getName();

    private final TestDirectory directory = TestDirectory.onTmpfs();

    /** A provider without a fault. */
    public static class Sound implements EntryTaskProvider {
        @Override
        public String name() {
            return "one";
        }

        @Override
        public int version() {
            return 3;
        }

        @Override
        public EntryTask create(SortedMap<String, String> parameters) {
            if (parameters.containsKey("wrong")) {
                throw new IllegalArgumentException("no parameter 'wrong'");
            }
            return input -> {};
        }
    }

    /** Another provider with the same name. */
    public static final class Twin extends Sound {}

    /** A provider that fails. */
    public static final class Failing extends Sound {
        @Override
        public EntryTask create(SortedMap<String, String> parameters) {
            throw new IllegalStateException("no licence");
        }
    }

    @AfterEach
    void close() {
        directory.close();
    }

    private TaskRunner runner(EntryTask task, Duration limit, int retries) throws SystemCallException {
        CommandTask named = new CommandTask(new JavaTask("one", 1, new TreeMap<>()), ByteString.of("/"), limit, retries,
                false, Optional.empty());
        return TaskRunner.open(Linux.calls(), named, task, true);
    }

    private TaskEnd run(TaskRunner runner) throws SystemCallException {
        try (TaskOutputs outputs = OutputFiles.in(Linux.calls(), ByteString.of(directory.path()))) {
            TaskOutputs.Opened opened = outputs.open(0, "0", ByteString.of("x"));
            try {
                return runner.run(INPUT, opened, new Cancellation());
            } finally {
                opened.end();
            }
        }
    }

    private TaskEnd run(EntryTask task, Duration limit, int retries) throws SystemCallException {
        try (TaskRunner runner = runner(task, limit, retries)) {
            return run(runner);
        }
    }

    private String written(String ending) throws IOException {
        return Files.readString(directory.resolve("0.x." + ending));
    }

    @Test
    void aTaskGetsItsEntryAndWritesOutputs() throws Exception {
        TaskEnd end = run(input -> {
            input.out().write((input.path() + " " + input.segment()).getBytes(StandardCharsets.US_ASCII));
            input.out().write(new byte[200_000]);
            input.err().write('e');
        }, Duration.ZERO, 0);
        assertThat(end.isSuccess()).isTrue();
        assertThat(written("out")).startsWith("d/f Optional[" + INPUT.segment() + "]\0").hasSizeGreaterThan(200_000);
        assertThat(written("err")).isEqualTo("e");
    }

    @Test
    void anExceptionIsTheFailureAndAFaultHasItsTrace() throws Exception {
        assertThat(run(input -> {
            throw new IOException("no record at byte 7");
        }, Duration.ZERO, 0).failure().orElseThrow()).hasMessage("the task failed: no record at byte 7");
        assertThat(directory.resolve("0.x.err")).doesNotExist();
        assertThat(run(input -> {
            throw new IllegalStateException("why\u001b");
        }, Duration.ZERO, 0).failure().orElseThrow())
                .hasMessage("the task failed: java.lang.IllegalStateException: why\\x1b");
        assertThat(written("err")).contains("at " + JavaTaskTest.class.getName());
    }

    @Test
    void anErrorThatIsNoneOfTheMachineIsTheFailureOfItsEntry() throws Exception {
        assertThat(run(input -> {
            throw new Error("not implemented");
        }, Duration.ZERO, 0).failure().orElseThrow()).hasMessage("the task failed: java.lang.Error: not implemented");
    }

    @Test
    void theTextOfAnExceptionIsCutAndMayFail() throws Exception {
        assertThat(run(input -> {
            throw new IOException("x".repeat(20 << 20));
        }, Duration.ZERO, 0).failure().orElseThrow()).hasMessage("the task failed: " + "x".repeat(1000) + "...");
        class Mute extends RuntimeException {
            private static final long serialVersionUID = 1;

            @Override
            public String getMessage() {
                throw new UnsupportedOperationException();
            }
        }
        assertThat(run(input -> {
            throw new Mute();
        }, Duration.ZERO, 0).failure().orElseThrow()).hasMessage("the task failed: " + Mute.class.getName());
    }

    @Test
    void outputsThatATaskKeepsEndWithIt() throws Exception {
        AtomicReference<OutputStream> kept = new AtomicReference<>();
        assertThat(run(input -> kept.set(input.out()), Duration.ZERO, 0).isSuccess()).isTrue();
        // Another file may have the number of the descriptor by now.
        assertThatThrownBy(() -> {
            Objects.requireNonNull(kept.get()).write(1);
            kept.get().flush();
        }).isInstanceOf(IOException.class).hasMessage("the task whose output this is has ended");
    }

    @Test
    void aTaskThatFailsIsRepeated() throws Exception {
        AtomicInteger tries = new AtomicInteger();
        assertThat(run(input -> {
            if (tries.incrementAndGet() < 3) {
                throw new IOException("not yet");
            }
        }, Duration.ZERO, 5).isSuccess()).isTrue();
        assertThat(tries).hasValue(3);
    }

    @Test
    void aTaskIsInterruptedWhenItsTimeIsOver() throws Exception {
        TaskEnd end = run(input -> new CountDownLatch(1).await(), Duration.ofMillis(50), 0);
        assertThat(end).isEqualTo(new TaskEnd.TimedOut(Duration.ofMillis(50)));
        assertThat(Thread.interrupted()).isFalse();
    }

    @Test
    void aTaskIsInterruptedWhenAllWorkEnds() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        try (TaskRunner runner = runner(input -> {
            begun.countDown();
            new CountDownLatch(1).await();
        }, Duration.ZERO, 3)) {
            CompletableFuture<TaskEnd> end = CompletableFuture.supplyAsync(() -> {
                try {
                    return run(runner);
                } catch (SystemCallException e) {
                    throw new IllegalStateException(e);
                }
            });
            begun.await();
            runner.stop();
            assertThat(end.get()).isEqualTo(new TaskEnd.Stopped());
            assertThat(run(runner)).isEqualTo(new TaskEnd.Stopped());
        }
    }

    @Test
    void aTaskThatLeavesItsThreadInterruptedDisturbsNothingElse() throws Exception {
        assertThat(run(input -> Thread.currentThread().interrupt(), Duration.ZERO, 0).isSuccess()).isTrue();
        assertThat(Thread.interrupted()).isFalse();
        // An interrupt from before the task is not its own.
        Thread.currentThread().interrupt();
        assertThat(run(input -> {}, Duration.ZERO, 0).isSuccess()).isTrue();
        assertThat(Thread.interrupted()).isTrue();
    }

    private List<ClassLoader> loaders(Class<?>... providers) throws IOException {
        Path services = directory.path().resolve("classes").resolve(SERVICE);
        Files.createDirectories(services.getParent());
        Files.write(services, List.of(providers).stream().map(Class::getName).toList());
        return List.of(new URLClassLoader(new URL[]{directory.path().resolve("classes").toUri().toURL()},
                JavaTaskTest.class.getClassLoader()));
    }

    @Test
    void aProviderIsFoundByNameAndVersion() throws Exception {
        SortedMap<String, String> parameters = new TreeMap<>(Map.of("k", "v"));
        JavaTask found = EntryTasks.find("one", parameters, loaders(Sound.class));
        assertThat(found).isEqualTo(new JavaTask("one", 3, parameters));
        assertThat(EntryTasks.create(found, loaders(Sound.class))).isNotNull();
        assertThatThrownBy(() -> EntryTasks.create(new JavaTask("one", 2, parameters), loaders(Sound.class)))
                .isInstanceOf(UnknownTaskException.class)
                .hasMessage("task 'one' version 2 is not found, but version 3 of " + Sound.class.getName());
        assertThatThrownBy(() -> EntryTasks.find("two", parameters, loaders(Sound.class)))
                .hasMessage("there is no task 'two' in the jars");
        assertThatThrownBy(() -> EntryTasks.find("one", parameters, loaders(Sound.class, Twin.class)))
                .hasMessageContaining("is provided by " + Sound.class.getName() + " and " + Twin.class.getName());
        assertThatThrownBy(() -> EntryTasks.find("one", parameters, loaders(Failing.class)))
                .hasMessageContaining(Failing.class.getName() + ": java.lang.IllegalStateException: no licence");
        assertThatThrownBy(() -> EntryTasks.find("one", new TreeMap<>(Map.of("wrong", "")), loaders(Sound.class)))
                .hasMessageContaining("refuses its parameters: no parameter 'wrong'");
    }

    @Test
    void aTaskIsReadBackFromItsParameters() {
        CommandTask task = new CommandTask(
                new JavaTask("one", 2, new TreeMap<>(Map.of("a", "b\nc", "word.0", "\u00e4"))), ByteString.of("/d"),
                Duration.ofSeconds(1), 2, true, Optional.of(ByteString.of("/out")), Segmentation.ofBytes(1 << 20));
        assertThat(CommandTask.of(task.parameters())).isEqualTo(task);
        assertThat(task.parameters().values()).allMatch(value -> value.chars().allMatch(c -> c >= ' '));
        assertThatIllegalArgumentException().isThrownBy(() -> new JavaTask("One", 1, new TreeMap<>()));
        assertThatIllegalArgumentException().isThrownBy(() -> new JavaTask("one", 0, new TreeMap<>()));
        assertThatIllegalArgumentException().isThrownBy(() -> new JavaTask("one", 1, new TreeMap<>(Map.of("a b", ""))));
    }
}
