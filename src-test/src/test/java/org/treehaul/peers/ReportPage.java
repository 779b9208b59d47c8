// SPDX-License-Identifier: Apache-2.0
package org.treehaul.peers;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import org.treehaul.peers.TrustReport.Section;
import org.treehaul.peers.Verdict.Grade;

/** Formats the report as Markdown. */
record ReportPage(List<Section> sections, List<Tool> tools, List<String> missing,
        Map<String, Map<String, Verdict>> verdicts, Machine machine) {

    private static final String FULL = "rsync -aHAX";
    private static final String PLAIN = "rsync -a";

    private static final String INTRODUCTION = """
            # Trust: TreeHaul and its peers on the same cases

            Written by `src-test/trust-report`, which anyone can repeat (as root, for the cases that mount, give files away or become
            another user; 15 minutes). Each case makes a tree, and lets the tool copy it in new directories; find, stat, cmp,
            sha256sum and getfattr then examine the copy. strace injects errors, stops and kills at a chosen system call. All
            runs use the C locale.

            **right**: everything that could be copied was copied, and the rest (if any) was reported by message and exit code. *exit N: ...*: something is
            wrong and the exit code says so. **exit 0: ...** or **hangs**: something is wrong and not reported.
            """;

    private static final String NOT_TRIED = """

            ## Not tried here

            Errors of real network file systems, quotas, inode numbers above 2^63, more links than a file system allows, EIO from a
            failing disk, users that swap directories while root copies: TreeHaul's own tests cover some of these. Where a tool has no
            option for a case (such as to sync), or never makes the call that should fail, the cell is a dash. Metadata that a tool does not set out to copy, such as
            ACLs, still counts as lost: the table shows the content of the copy, whether or not the documentation of the tool warned. So `rsync` fills holes without `-S`, and keeps set-user-ID bits if it
            keeps modes.

            TreeHaul writes a new file of less than 256 KiB directly under its final name, unless `-n` or `-u` could mistake an
            incomplete file for a complete one; see [what a copy promises](../guide/promises.md).
            """;

    String text() {
        StringBuilder page = new StringBuilder(INTRODUCTION);
        List<Tool> columns = tools.stream()
                .filter(tool -> !tool.name().equals(PLAIN) || tools.stream().noneMatch(t -> t.name().equals(FULL)))
                .toList();
        page.append("\n").append(machine.system()).append("; ").append(machine.fileSystems()).append(".\n\n");
        machine.versions()
                .forEach((tool, version) -> page.append("- ").append(tool).append(": ").append(version).append('\n'));
        missing.forEach(tool -> page.append("- ").append(tool).append(": not installed, left out\n"));
        page.append("\n## Count\n\n| | ")
                .append(String.join(" | ", columns.stream().map(Tool::name).toList()))
                .append(" |\n|---")
                .append("|---".repeat(columns.size()))
                .append("|\n");
        count(page, columns, "right", Grade.RIGHT);
        count(page, columns, "wrong, but reported", Grade.TOLD);
        count(page, columns, "wrong and silent, or hangs, or dies", Grade.BAD);
        count(page, columns, "not tried", Grade.NOT_RUN);
        List<String> notes = new ArrayList<>();
        for (Section section : sections) {
            page.append("\n## ")
                    .append(section.title())
                    .append("\n\n| case | ")
                    .append(String.join(" | ", columns.stream().map(Tool::name).toList()))
                    .append(" |\n|---")
                    .append("|---".repeat(columns.size()))
                    .append("|\n");
            for (TrustCase one : section.cases()) {
                page.append("| ").append(one.title().replace("|", "\\|"));
                for (Tool tool : columns) {
                    page.append(" | ").append(cell(verdict(one, tool), notes));
                }
                page.append(" |\n");
            }
        }
        plainRsync(page);
        page.append("\n## Notes\n\n");
        for (int i = 0; i < notes.size(); i++) {
            page.append(i + 1).append(". ").append(notes.get(i)).append('\n');
        }
        return page.append(NOT_TRIED).toString();
    }

    private Verdict verdict(TrustCase one, Tool tool) {
        return Objects.requireNonNull(Objects.requireNonNull(verdicts.get(one.id())).get(tool.name()));
    }

    private void count(StringBuilder page, List<Tool> columns, String what, Grade grade) {
        page.append("| ").append(what);
        for (Tool tool : columns) {
            long n = sections.stream()
                    .flatMap(section -> section.cases().stream())
                    .filter(one -> verdict(one, tool).grade() == grade)
                    .count();
            page.append(" | ").append(n);
        }
        page.append(" |\n");
    }

    private static String cell(Verdict verdict, List<String> notes) {
        String text = switch (verdict.grade()) {
            case RIGHT, NOT_RUN -> verdict.text();
            case TOLD -> "*" + verdict.text() + "*";
            case BAD -> "**" + verdict.text() + "**";
        };
        if (verdict.detail().isEmpty()) {
            return text;
        }
        int at = notes.indexOf(verdict.detail());
        if (at < 0) {
            notes.add(verdict.detail());
            at = notes.size() - 1;
        }
        return text + " [" + (at + 1) + "]";
    }

    private void plainRsync(StringBuilder page) {
        if (tools.stream().filter(tool -> tool.program().equals("rsync")).count() < 2) {
            return;
        }
        page.append("\nPlain `rsync -a` has the same results as `rsync -aHAX`, except:\n\n");
        for (Section section : sections) {
            for (TrustCase one : section.cases()) {
                Map<String, Verdict> row = Objects.requireNonNull(verdicts.get(one.id()));
                Verdict plain = Objects.requireNonNull(row.get(PLAIN));
                if (!plain.text().equals(Objects.requireNonNull(row.get(FULL)).text())) {
                    page.append("- ").append(one.title()).append(": ").append(plain.text()).append('\n');
                }
            }
        }
    }
}
