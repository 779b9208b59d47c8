// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.stage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.management.LockInfo;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.time.Instant;
import java.util.List;
import java.util.UUID;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.treehaul.cli.args.ByteSize;
import org.treehaul.cli.common.CommonOptions;
import org.treehaul.cli.common.Session;
import org.treehaul.cli.report.JsonLines;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.schedulers.stage.StagedFile;
import org.treehaul.schedulers.stage.StagedState;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

/** The output of the verbs of {@code treehaul stage}. */
class StageVerbsTest {

    private static boolean isAwaiting(Thread thread, Object lock) {
        ThreadInfo info = ManagementFactory.getThreadMXBean().getThreadInfo(thread.threadId());
        @Nullable LockInfo awaited = info == null ? null : info.getLockInfo();
        return awaited != null && awaited.getIdentityHashCode() == System.identityHashCode(lock);
    }

    private static StagedFile file(long mtime) {
        return new StagedFile("job", ByteString.of("f"), UUID.randomUUID(), 1, StagedState.COMMITTED, EntryKind.REGULAR,
                5, 0600, 0, 0, mtime, 0, null, "d1", 1, 10);
    }

    @Test
    void aFileOfAYearThatJavaDoesNotHaveIsListed() {
        assertThat(StageVerbs.longLine(file(1_000_000_000))).contains("2001-09-09T01:46:40Z f");
        assertThat(StageVerbs.longLine(file(1L << 55))).contains(" 36028797018963968 f");
        for (long edge : new long[]{Instant.MIN.getEpochSecond(), Instant.MAX.getEpochSecond()}) {
            assertThat(StageVerbs.longLine(file(edge))).contains(" " + edge + " f");
        }
        assertThat(StageVerbs.longLine(file(Long.MIN_VALUE))).contains(" -9223372036854775808 f");
    }

    @Test
    void aServerThatTheStageDoesNotHaveIsNamedInItsOwnCharacters() {
        CommandSpec spec = CommandSpec.create().name("stage");
        StageInput input = new StageInput(spec);
        // An argument has a character for each byte.
        new CommandLine(spec).registerConverter(ByteSize.class, new ByteSize.Converter())
                .registerConverter(ByteString.class, ByteString::of)
                .parseArgs("--servers", "gr\u00c3\u00bcn");
        assertThatThrownBy(() -> input.options(List.of("d1"))).hasMessageContaining("no server 'gr\u00fcn', only d1");
    }

    @Test
    void anObjectWaitsUntilThatOfAnotherThreadHasEnded() throws Exception {
        CommonOptions options = new CommonOptions(CommandSpec.create().name("stage"));
        options.json = true;
        options.progress = CommonOptions.When.never;
        try (Session session = Session.begin(options, true)) {
            JsonLines json = session.json().orElseThrow();
            Thread other = Thread.ofPlatform().unstarted(() -> StageVerbs.printUnsaved(session, file(0), ""));
            // As the thread that reports progress.
            synchronized (json) {
                json.begin("progress");
                other.start();
                while (other.isAlive() && !isAwaiting(other, json)) {
                    Thread.onSpinWait();
                }
                assertThat(other.isAlive()).as("it waits").isTrue();
                json.end();
            }
            other.join();
        }
    }
}
