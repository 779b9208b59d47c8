// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.find;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.treehaul.cli.report.Output;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.fs.Call;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.Fault;
import org.treehaul.core.fs.FaultInjectingCalls;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.walk.FoundEntry;
import org.treehaul.core.walk.Step;
import org.treehaul.core.walk.TreeWalker;
import org.treehaul.core.walk.WalkDirectory;
import org.treehaul.core.walk.WalkHandler;
import org.treehaul.core.walk.WalkWorker;
import org.treehaul.core.walk.options.Root;
import org.treehaul.core.walk.options.WalkOptions;

class FormatSinkTest {

    @TempDir
    Path directory;

    @Test
    void anEntryThatFailsLeavesNoPartOfItsFormat() throws Exception {
        Files.createFile(directory.resolve("bad"));
        Files.createFile(directory.resolve("good"));
        List<Root> roots = List.of(Root.of(directory));
        ByteArrayOutputStream written = new ByteArrayOutputStream();
        Output output = Output.to(written);
        PrintFormat format = new PrintFormat("<%f,%s>".getBytes(StandardCharsets.US_ASCII), false);
        FormatSink sink = new FormatSink(output, format, roots);
        FileSystemCalls calls = FaultInjectingCalls.over(Linux.calls(),
                Fault.on(Call.STATX).named("bad").fails(Errno.EACCES));
        List<String> failures = new ArrayList<>();
        TreeWalker.of(calls, WalkOptions.defaults().withStatus(false).withThreads(1))
                .walkWith(roots, (WalkWorker<byte[]> worker) -> new Handler(sink, failures), new Cancellation(),
                        workers -> {});
        sink.flush();
        output.flush();
        assertThat(written.toString(StandardCharsets.US_ASCII)).isEqualTo("<good,0>");
        assertThat(failures).singleElement().asString().contains("bad: stat");
    }

    private record Handler(FormatSink sink, List<String> failures) implements WalkHandler<byte[]> {

        @Override
        public Step entry(FoundEntry<byte[]> found) throws SystemCallException {
            if (!found.path().isRoot()) {
                sink.write(new byte[0], found);
            }
            return Step.CONTINUE;
        }

        @Override
        public byte[] enter(WalkDirectory<byte[]> entered, WalkWorker<byte[]> worker) {
            return new byte[0];
        }

        @Override
        public void leave(WalkDirectory<byte[]> left, WalkWorker<byte[]> worker) {
            // Everything was written on the way down.
        }

        @Override
        public void failed(EntryFailure failure) {
            failures.add(failure.toString());
        }
    }
}
