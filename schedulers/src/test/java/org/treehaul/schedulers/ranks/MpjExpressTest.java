// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.ranks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.core.testing.TreeWriter;
import org.treehaul.core.walk.Cancellation;
import org.treehaul.core.walk.Root;
import org.treehaul.core.walk.Step;
import org.treehaul.core.walk.TreeWalker;
import org.treehaul.core.walk.WalkOptions;
import org.treehaul.core.walk.Walking;
import org.treehaul.strategies.ranks.Communicator;
import org.treehaul.strategies.ranks.CommunicatorContract;
import org.treehaul.strategies.ranks.Distribution;
import org.treehaul.strategies.ranks.RankWalk;
import org.treehaul.strategies.ranks.Transport;

class MpjExpressTest extends CommunicatorContract {

    private static final WalkOptions OPTIONS = WalkOptions.defaults().withThreads(1);
    private static TestDirectory directory;

    static List<Distribution> distributions() {
        return Distribution.all();
    }

    private static Transport transport() {
        Optional<MpjExpress> found = MpjExpress.find();
        Assumptions.assumeTrue(found.isPresent(), "MPJ Express is not there (package libmpj-java)");
        return found.orElseThrow().transport();
    }

    @Override
    protected void run(int ranks, Consumer<Communicator> body) {
        transport().run(hosts(ranks), body);
    }

    @BeforeAll
    static void makeTree() {
        directory = TestDirectory.make();
        try (TreeWriter writer = TreeWriter.in(Linux.calls(), directory.path())) {
            for (int i = 0; i < 300; i++) {
                writer.file(ByteString.of("d" + i % 7 + "/e" + i % 50 + "/f" + i), 1, 1);
            }
        }
    }

    @AfterAll
    static void removeTree() {
        directory.close();
    }

    private static List<String> walk(Walking walking) {
        List<String> seen = Collections.synchronizedList(new ArrayList<>());
        walking.walk(List.of(Root.of(ByteString.of(directory.path().toString()))), () -> entry -> {
            seen.add(entry.toString());
            return Step.CONTINUE;
        }, new Cancellation());
        return seen.stream().sorted().toList();
    }

    @ParameterizedTest
    @MethodSource("distributions")
    void ranksSeeWhatAWalkSees(Distribution distribution) {
        List<String> expected = walk(TreeWalker.of(Linux.calls(), OPTIONS));
        for (int ranks : new int[]{2, 4, 8}) {
            assertThat(walk(RankWalk.of(Linux.calls(), OPTIONS, distribution, ranks).withTransport(transport())))
                    .isEqualTo(expected);
        }
    }

    @Test
    void whatARankThrowsIsThrownAndTheNextGroupIsNotDisturbed() {
        Transport transport = transport();
        for (int i = 0; i < 5; i++) {
            assertThatThrownBy(() -> transport.run(List.of(0, 0, 0), c -> {
                if (c.rank() == 1) {
                    throw new IllegalArgumentException("rank 1 fails");
                }
                c.send(1, new byte[10]);
            })).isInstanceOf(IllegalArgumentException.class).hasMessage("rank 1 fails");
        }
        assertThat(walk(RankWalk.of(Linux.calls(), OPTIONS, Distribution.hybrid(), 3).withTransport(transport)))
                .isEqualTo(walk(TreeWalker.of(Linux.calls(), OPTIONS)));
    }

    @Test
    void aPlaceWithoutItIsNotTakenForIt() {
        assertThat(MpjExpress.at(Path.of("/nonexistent"))).isEmpty();
        assertThat(MpjExpress.at(directory.path())).isEmpty();
    }
}
