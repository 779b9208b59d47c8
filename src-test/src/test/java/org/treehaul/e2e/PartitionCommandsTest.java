// SPDX-License-Identifier: Apache-2.0
package org.treehaul.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.packaged.Run;
import org.treehaul.tuplespace.partition.PartitionOptions;
import org.treehaul.tuplespace.partition.PartitionedStore;
import org.treehaul.tuplespace.partition.gate.Deaf;
import org.treehaul.tuplespace.sqlite.SqliteProvider;
import org.treehaul.tuplespace.store.SpaceUri;
import org.treehaul.tuplespace.store.Store;
import org.treehaul.tuplespace.store.StoreListener;
import org.treehaul.tuplespace.store.StoreOptions;

/** The commands with an index over several directories. */
class PartitionCommandsTest {

    private final TestDirectory directory = TestDirectory.make();
    private final Cli cli = new Cli(directory.path());
    private final IndexAnswers answers = new IndexAnswers(directory.path());
    private final String space = "partitions:" + directory.path() + "/list";

    @BeforeEach
    void makeTree() throws Exception {
        cli.sh(IndexAnswers.TREE).expect(0);
        List<String> stores = Stream.of("p0", "p1", "p2", "p3").map(name -> directory.path() + "/" + name).toList();
        WarmProgram
                .run(directory.path(),
                        Stream.concat(Stream.of("space", "create", "--first", "2", space), stores.stream())
                                .toArray(String[]::new))
                .expect(0);
    }

    @AfterEach
    void delete() {
        directory.close();
    }

    private Run run(String command) throws Exception {
        return answers.run(space, command);
    }

    @Test
    void theAnswersAreThoseOfAnIndexInADirectory() throws Exception {
        answers.assertSameInAll(cli, space);
    }

    @Test
    void aRelativeFileNamesTheSpaceAndASplitChangesNoAnswer() throws Exception {
        cli.warmly("$T index --space partitions:list s && $T space split partitions:list 0 1").expect(0);
        assertThat(cli.warmly("cd s && $T query --space partitions:../list --count").expect(0).out()).isEqualTo("10\n");
        assertThat(run("index").expect(0).err()).contains(": 0 new, 0 changed, 0 gone");
        Run run = cli.warmly("TREEHAUL_SPACE=partitions:list $T query -v --group-by kind").expect(0);
        assertThat(run.out()).contains("5      13      13 B  regular");
        assertThat(run.err()).contains("s was read ",
                "treehaul: query: the answer is no snapshot: the partitions were read one after another, and other"
                        + " processes may have changed them\n");
        assertThat(run("query -v --json --count").expect(0).out())
                .isEqualTo("{\"v\":1,\"type\":\"count\",\"count\":10}\n");
        assertThat(run("query -v --transfers --count").expect(0).err()).contains("the answer is no snapshot");
        assertThat(run("query --count").expect(0).err()).isEmpty();
        assertThat(run("space check").expect(0).err()).contains("the space is intact");
    }

    /** Returns a store that does something, once, before a method is called. */
    private static Store before(String name, Store store, Callable<?> work) {
        AtomicBoolean isDone = new AtomicBoolean();
        return (Store) Proxy.newProxyInstance(Store.class.getClassLoader(), new Class<?>[]{Store.class},
                (proxy, method, arguments) -> {
                    if (method.getName().equals(name) && !isDone.getAndSet(true)) {
                        work.call();
                    }
                    try {
                        return method.invoke(store, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    @Test
    void theSecondOfTwoSplitsOfAPartitionAtOnceIsRefused() throws Exception {
        run("index $S").expect(0);
        List<Run> second = new ArrayList<>();
        List<Function<StoreListener, Store>> stores = IntStream.range(0, 4)
                .<Function<StoreListener, Store>>mapToObj(number -> listener -> {
                    Store store = new SqliteProvider().open(SpaceUri.of(directory.path().resolve("p" + number)),
                            StoreOptions.defaults(), listener);
                    // The copying of partition 0.
                    return number == 2
                            ? before("writeWhile", store,
                                    () -> second.add(cli.warmly("$T space split partitions:list 0")))
                            : store;
                })
                .toList();
        try (PartitionedStore first = PartitionedStore.open(stores, PartitionOptions.ofFirst(2),
                StoreOptions.defaults(), new Deaf())) {
            assertThat(first.split(0)).isEqualTo(2);
        }
        assertThat(second.getFirst().expect(2).err()).isEqualTo("treehaul: space: partition 0 was not split:"
                + " another process splits it, or transactions use it; try again later\n");
        assertThat(run("query --count").expect(0).out()).isEqualTo("10\n");
        assertThat(run("space check").expect(0).err()).contains("the space is intact");
    }

    @Test
    void aPoolUsesPartitionsAndPublishesItsTransferThere() throws Exception {
        run("index $S").expect(0);
        // A directory in the way of a file.
        cli.sh("mkdir -p t/a/b/g/x").expect(0);
        String shared = " --state-dir=$PWD/state ";
        Run worked = cli.sh("$T cp -aT" + shared
                + "--scheduler pool --publish partitions:list --space partitions:list s t && $T status last" + shared
                + "&& $T worker" + shared + "--pool partitions:list --idle 0").expect(0);
        assertThat(worked.out()).contains("start 'treehaul worker --pool " + space + " --state-dir ");
        assertThat(worked.err()).contains("copied 5 of 6 entries, 1 failure");
        assertThat(run("query --transfers --group-by state").expect(0).out()).isEqualTo("1  partial\n");
        assertThat(run("query --batches --count state=done or state=failed").expect(0).out())
                .isEqualTo(run("query --batches --count").out())
                .isNotEqualTo("0\n");
        assertThat(run("query --failures size>0 batch>=0 verified=no").expect(0).out())
                .isEqualTo(directory.path() + "/s/a/b/g\n");
        assertThat(run("publish --state-dir=" + directory.path() + "/state").expect(0).err())
                .contains("published 1 transfer");
        assertThat(run("publish --views").expect(2).err()).contains("are in several databases",
                "use 'treehaul query', or publish into a space in one database");
    }

    @Test
    void watchReportsWhatARunOfAnotherProcessFinds() throws Exception {
        run("index $S").expect(0);
        Process watch = cli.start("watch", "--space", space, "name=*.h5");
        try (BufferedReader out = watch.inputReader(StandardCharsets.ISO_8859_1)) {
            Cli.awaitSignalHandlers(watch);
            Cli.awaitSaid(watch, "watching");
            cli.sh("rm s/c/e.h5; mkdir s/d; : > s/d/new.h5; : > s/other").expect(0);
            run("index").expect(0);
            assertThat(Stream.of(out.readLine(), out.readLine()).sorted()).containsExactly(
                    "gone " + directory.path() + "/s/c/e.h5", "new  " + directory.path() + "/s/d/new.h5");
            Cli.signal(watch, "INT");
            assertThat(watch.waitFor()).isEqualTo(20);
        } finally {
            watch.destroyForcibly();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"index $S", "index --info", "query --count", "watch", "du -s", "publish", "space check"})
    void aMissingListAndAMissingStoreAreReportedWithTheRemedy(String command) throws Exception {
        String nothing = "partitions:" + directory.path() + "/nothing";
        Run run = answers.run(nothing, command).expect(2);
        assertThat(run.out()).isEmpty();
        assertThat(run.err()).startsWith("treehaul: ")
                .contains("'treehaul space create " + nothing + " STORE...' makes one")
                .doesNotContain("Exception");
        cli.sh("mv p1 unmounted").expect(0);
        String missing = "the store of partition 1, sqlite:" + directory.path() + "/p1, is missing";
        run = run(command).expect(command.equals("space check") ? 1 : 2);
        assertThat(run.out() + run.err()).contains(missing, "is its disk mounted").doesNotContain("Exception");
        cli.sh("mv unmounted p1; mv p0 unmounted").expect(0);
        run = run(command).expect(command.equals("space check") ? 1 : 2);
        assertThat(run.out() + run.err()).contains("the store of partition 0, sqlite:", "is its disk mounted")
                .doesNotContain("Exception", "creates one");
    }

    @Test
    void directoriesAndListsOfAnyCharactersAreNamedAsTheyAre() throws Exception {
        String name = new String("gr\u00f6\u00dfe".getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
        Run run = cli.sh("export LC_ALL=C.UTF-8; $T index --space " + name + " s && $T index --info --space " + name)
                .expect(0);
        assertThat(run.out()).contains("\n" + name + ": 1 tree, ");
        run = cli.sh("export LC_ALL=C.UTF-8; $T query --space partitions:" + name + "/none").expect(2);
        assertThat(run.err()).contains("'treehaul space create partitions:gr\u00f6\u00dfe/none STORE...' makes one");
    }

    @Test
    void addressesThatCannotBeUsedAreRefused() throws Exception {
        assertThat(run("query --count").expect(0).out()).isEqualTo("0\n");
        cli.sh("printf 'q0\\nq1\\n' > other").expect(0);
        for (String command : List.of("query --count", "du -s", "watch")) {
            Run run = answers.run("partitions:" + directory.path() + "/other", command).expect(2);
            assertThat(run.err())
                    .contains("'treehaul index --space partitions:" + directory.path() + "/other ROOT...' creates one");
        }
        assertThat(run("members").expect(2).err()).contains("over several stores, which members cannot share",
                "create the shared space in one database");
        assertThat(answers.run("partitions:", "query --count").expect(2).err()).contains("not 'partitions:'");
        assertThat(cli.warmly("$T cp -aT --scheduler pool --space partitions:nothing s t").expect(2).err())
                .contains("--space partitions:nothing: there is no such list of stores");
        assertThat(cli.warmly("$T cp -aT --scheduler pool --space d --publish partitions:nothing s t").expect(2).err())
                .contains("--publish partitions:nothing: there is no such list of stores");
    }
}
