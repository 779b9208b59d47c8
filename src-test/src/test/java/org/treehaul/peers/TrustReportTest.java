// SPDX-License-Identifier: Apache-2.0
package org.treehaul.peers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import org.junit.jupiter.api.Test;
import org.treehaul.peers.TrustReport.Section;
import org.treehaul.peers.Verdict.Grade;

/** The report can still be made: runs a few of its cases with TreeHaul, cp, and a tool that does it wrong. */
class TrustReportTest {

    private static final Path JAR = Path
            .of(Objects.requireNonNull(System.getProperty("treehaul.jar"), "run by mvn verify"));
    private static final Path ROOT = Path
            .of(Objects.requireNonNull(System.getProperty("treehaul.root"), "run by mvn verify"));

    private static final Tool TREEHAUL = Tool.all().getFirst();
    private static final Tool CP = Tool.all().get(1);

    @Test
    void bothCopyHostileNames() throws Exception {
        assertThat(verdict("shell-names", TREEHAUL)).isEqualTo(new Verdict(Grade.RIGHT, "right", ""));
        assertThat(verdict("shell-names", CP)).isEqualTo(new Verdict(Grade.RIGHT, "right", ""));
    }

    @Test
    void anInjectedErrorIsReportedAndTheRestIsCopied() throws Exception {
        assumeTrue(Tool.isOnPath("strace"), "strace is not installed");
        assertThat(verdict("eio", TREEHAUL)).isEqualTo(new Verdict(Grade.RIGHT, "reported, exit 23", ""));
    }

    @Test
    void aToolThatLosesSomethingIsCaught() throws Exception {
        assertThat(verdict("times", tool("cp -rT \"$S\" \"$D\""))).satisfies(verdict -> {
            assertThat(verdict.grade()).isEqualTo(Grade.BAD);
            assertThat(verdict.text()).isEqualTo("exit 0: 21 with another mtime");
            assertThat(verdict.detail()).contains("11 directories with another mtime", "1 symlinks");
        });
        assertThat(verdict("fifo", tool("cp -aT \"$S\" \"$D\"; echo > \"$D/d1/f1\"; rm \"$D/d2/f2\"")))
                .isEqualTo(new Verdict(Grade.BAD, "exit 0: 1 missing (d2/f2)",
                        "1 with another size (d1/f1); 1 with other data (d1/f1)"));
        assertThat(verdict("fifo", tool("echo no luck >&2; exit 3")))
                .isEqualTo(new Verdict(Grade.TOLD, "exit 3: nothing was copied", "said “no luck”"));
    }

    @Test
    void aPlainCopyThatIsOpenToOthersInSpiteOfADefaultAclIsCaught() throws Exception {
        assumeTrue(Tool.isOnPath("setfacl"), "setfacl is not installed");
        Tool setsModes = tool(Tool.Way.PLAIN, "cp -rT --preserve=mode \"$S\" \"$D\"");
        assertThat(verdict("plain-default-acl", setsModes))
                .isEqualTo(new Verdict(Grade.BAD, "exit 0: 31 open to others", ""));
        assertThat(verdict("plain-default-acl", CP)).isEqualTo(new Verdict(Grade.RIGHT, "right", ""));
    }

    @Test
    void aFileWhoseDataAreReplacedWhereOnlyAttributesAreCopiedIsCaught() throws Exception {
        Tool replaces = tool(Tool.Way.ATTRIBUTES, "cp -aT --attributes-only --remove-destination \"$S\" \"$D\"");
        assertThat(verdict("attributes-only", replaces))
                .isEqualTo(new Verdict(Grade.BAD, "exit 0: the data of 2 files are lost", ""));
        assertThat(verdict("attributes-only", CP)).isEqualTo(new Verdict(Grade.RIGHT, "reported, exit 1", ""));
    }

    @Test
    void anIncompleteFileAfterAReadThatEndsEarlyIsCaught() throws Exception {
        assumeTrue(Tool.isOnPath("strace"), "strace is not installed");
        assertThat(verdict("short-read", CP))
                .isEqualTo(new Verdict(Grade.BAD, "exit 0: an incomplete file has its name", ""));
    }

    @Test
    void thePageHasARowForEachCaseAndANoteForEachDetail() {
        TrustCase one = find("fifo");
        Verdict verdict = new Verdict(Grade.BAD, "hangs", "was killed");
        Machine machine = new Machine("Linux", "ext4", Map.of("treehaul", "1"));

        String page = new ReportPage(List.of(new Section("Section", List.of(one))), List.of(TREEHAUL), List.of("dcp"),
                Map.of("fifo", Map.of("treehaul", verdict)), machine).text();

        assertThat(page).contains("| a FIFO in the tree | **hangs** [1] |\n", "\n1. was killed\n",
                "- dcp: not installed");
    }

    @Test
    void theReportInTheDocumentationHasEveryCase() throws IOException {
        String report = Files.readString(ROOT.resolve("docs/reports/trust.md"));

        assertThat(TrustReport.sections().stream().flatMap(section -> section.cases().stream()))
                .allSatisfy(one -> assertThat(report).contains("| " + one.title() + " |"));
    }

    private static Verdict verdict(String id, Tool tool) throws Exception {
        assumeTrue(Files.isWritable(Path.of("/dev/shm")), "/dev/shm is not writable");
        return Trial.of(find(id), tool, JAR);
    }

    private static Tool tool(String line) {
        return tool(Tool.Way.TREE, line);
    }

    private static Tool tool(Tool.Way way, String line) {
        return new Tool("test", "sh", "", Map.of(way, line));
    }

    private static TrustCase find(String id) {
        return TrustReport.sections()
                .stream()
                .flatMap(section -> section.cases().stream())
                .filter(one -> one.id().equals(id))
                .findFirst()
                .orElseThrow();
    }
}
