// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.fs.Call;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.Fault;
import org.treehaul.core.fs.FaultInjectingCalls;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.testing.TestDirectory;

/** The files of outputs. */
class OutputFilesTest {

    private final TestDirectory directory = TestDirectory.onTmpfs();
    private final FileSystemCalls calls = Linux.calls();

    @AfterEach
    void close() {
        directory.close();
    }

    private TaskOutputs.Opened open(TaskOutputs outputs) throws Exception {
        return outputs.open(0, "0", ByteString.of("d/x"));
    }

    private void write(int descriptor, String text) throws Exception {
        try (OutputStream out = new DescriptorStream(calls, descriptor)) {
            out.write(text.getBytes(StandardCharsets.US_ASCII));
        }
    }

    @Test
    void aProcessThatLostItsEntryLeavesTheOutputsOfTheNextOneAlone() throws Exception {
        try (TaskOutputs outputs = OutputFiles.in(calls, ByteString.of(directory.path()))) {
            TaskOutputs.Opened lost = open(outputs);
            TaskOutputs.Opened next = open(outputs);
            write(lost.err(), "late");
            // Nothing in its standard output, and nothing yet in that of the other.
            lost.end();
            write(next.out(), "result");
            next.end();
        }
        assertThat(directory.resolve("0.x.out")).hasContent("result");
        assertThat(directory.resolve("0.x.err")).doesNotExist();
    }

    @Test
    void theLongNamesOfANodeAndAFileFitIntoTheNameOfAnOutput() throws Exception {
        String label = "0000007." + "n".repeat(64);
        ByteString path = ByteString.of("d/" + "x".repeat(255));
        try (TaskOutputs outputs = OutputFiles.in(calls, ByteString.of(directory.path()))) {
            TaskOutputs.Opened opened = outputs.open(7, label, path);
            write(opened.out(), "result");
            opened.end();
        }
        assertThat(directory.resolve(OutputFiles.out(label, path).toString())).hasContent("result");
        // Those of jobs, which earlier versions have made, keep their names.
        assertThat(OutputFiles.err("000001-0000002", path).length()).isEqualTo(219);
    }

    @Test
    void anOutputThatFindsNoRoomWhenItIsClosedIsAFailure() throws Exception {
        FileSystemCalls full = FaultInjectingCalls.over(calls,
                Fault.on(Call.CLOSE).named("0.x.out").fails(Errno.EDQUOT));
        try (TaskOutputs outputs = OutputFiles.in(full, ByteString.of(directory.path()))) {
            TaskOutputs.Opened opened = open(outputs);
            write(opened.out(), "result");
            assertThatThrownBy(opened::end).isInstanceOf(SystemCallException.class)
                    .hasMessageStartingWith("close the output (0.x.out): ")
                    .hasMessageContaining("EDQUOT");
        }
        assertThat(directory.resolve("0.x.err")).doesNotExist();
    }
}
