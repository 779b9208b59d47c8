// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy.plain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.treehaul.core.copy.CopyArguments;
import org.treehaul.core.copy.CopyRefusedException;
import org.treehaul.core.copy.FileSystemTypes;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.copy.options.CopyOptionsBuilder;
import org.treehaul.core.copy.outcome.CopyResult;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.Event;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.core.testing.TreeWriter;
import org.treehaul.core.walk.summary.TotalCount;

class PlainCopyTest {

    private static final int MIB = 1 << 20;

    @AutoClose
    private final TestDirectory directory = TestDirectory.make();
    private final Path source = directory.resolve("source");
    private final Path target = directory.resolve("target");
    private final List<Event> events = Collections.synchronizedList(new ArrayList<>());

    PlainCopyTest() throws IOException {
        Files.createDirectory(source);
        try (TreeWriter tree = TreeWriter.in(Linux.calls(), source)) {
            tree.directory(ByteString.of("d")).file(ByteString.of("d/f"), MIB, 1).file(ByteString.of("g"), MIB, 2);
        }
    }

    private PlainCopy copy(FileSystemCalls calls, CopyOptionsBuilder options, Path... operands)
            throws CopyRefusedException {
        CopyArguments arguments = CopyArguments.of(List.of(operands).stream().map(ByteString::of).toList());
        return PlainCopy.of(calls, arguments, options.build(), events::add, new Progress(), new Cancellation());
    }

    private static FileSystemCalls withFree(int bytes) {
        return FileSystemTypes.saying(FileSystemTypes.TMPFS, bytes / 4096);
    }

    private static void count(PlainCopy copy) throws InterruptedException {
        try (TotalCount count = copy.count()) {
            count.await();
            assertThat(count.entries()).hasValue(4);
        }
    }

    @Test
    void theArgumentsAreThoseOfCp() throws Exception {
        Files.createDirectory(target);
        PlainCopy copy = copy(Linux.calls(), CopyOptions.archive(), source, directory.resolve("nothing"), target);
        CopyResult result = copy.copy();
        assertThat(result.isSuccess()).isTrue();
        assertThat(target.resolve("source/d/f")).hasSize(MIB);
        assertThat(copy.layout().failures()).hasSize(1);
        assertThat(events).singleElement().isInstanceOf(Event.Failed.class);
        assertThat(copy.refusal(result)).isEmpty();
    }

    @Test
    void aCopyThatWouldDoHarmIsRefusedBeforeItBegins() {
        assertThatExceptionOfType(CopyRefusedException.class)
                .isThrownBy(() -> copy(Linux.calls(), CopyOptions.archive(), source, source.resolve("d")));
        assertThat(source.resolve("d/source")).doesNotExist();
    }

    @Test
    void aCopyThatCannotFitIsStoppedWhenItIsCounted() throws Exception {
        PlainCopy copy = copy(withFree(MIB), CopyOptions.archive(), source, target);
        copy.checkSpace();
        assertThat(copy.isSpaceChecked()).isTrue();
        count(copy);
        CopyResult result = copy.copy();
        assertThat(result.isComplete()).isFalse();
        assertThat(copy.refusal(result)).get()
                .asString()
                .contains("is too small: 1.0 MiB are free, and the copy needs at least 2.0 MiB: free some space");
        assertThat(target.resolve("g")).doesNotExist();
    }

    @Test
    void aDryRunEndsAndReportsThatTheCopyCannotFit() throws Exception {
        PlainCopy copy = copy(withFree(MIB), CopyOptions.archive().dryRun(true), source, target);
        copy.checkSpace();
        count(copy);
        CopyResult result = copy.copy();
        assertThat(result.isComplete()).isTrue();
        assertThat(copy.refusal(result)).isPresent();
    }

    @Test
    void aCopyThatFitsOrWhoseSpaceIsNotCheckedIsNotStopped() throws Exception {
        PlainCopy fits = copy(withFree(3 * MIB), CopyOptions.archive(), source, target);
        fits.checkSpace();
        count(fits);
        CopyResult result = fits.copy();
        assertThat(result.isSuccess()).isTrue();
        assertThat(fits.refusal(result)).isEmpty();
        PlainCopy unchecked = copy(withFree(MIB), CopyOptions.archive(), source, directory.resolve("other"));
        count(unchecked);
        assertThat(unchecked.copy().isSuccess()).isTrue();
    }

    @Test
    void anExistingTargetIsNotChecked() throws Exception {
        Files.createDirectory(target);
        Files.createDirectory(target.resolve("source"));
        PlainCopy copy = copy(withFree(MIB), CopyOptions.archive(), source, target);
        copy.checkSpace();
        assertThat(copy.isSpaceChecked()).isFalse();
    }
}
