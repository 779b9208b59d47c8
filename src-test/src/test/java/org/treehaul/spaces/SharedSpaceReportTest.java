// SPDX-License-Identifier: Apache-2.0
package org.treehaul.spaces;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.treehaul.spaces.SharedSpaceReport.Goal;
import org.treehaul.spaces.SharedSpaceReport.Part;

class SharedSpaceReportTest {

    @TempDir
    Path directory = Path.of("");

    @Test
    void aCommandReplacesItsPartAndItsGoalsOnly() throws Exception {
        Path page = directory.resolve("page.md");
        SharedSpaceReport.write(page, Part.POOL, "    pool\n\n### Workers\n\nfour\n",
                List.of(new Goal("claims", "900", false)));
        SharedSpaceReport.write(page, Part.SERVER, "first\n",
                List.of(new Goal("groups", "1.0", true), new Goal("load", "2.0", true)));
        String before = Files.readString(page);
        SharedSpaceReport.write(page, Part.SERVER, "second\n", List.of(new Goal("load", "3.0", true)));

        assertThat(page).content().contains("""
                | --- | --- | --- | --- |
                | Server | load | 3.0 | yes |
                | Pool | claims | 900 | **no** |

                ## Server

                second

                ## Pool

                    pool

                ### Workers

                four
                """).doesNotContain("groups", "first", "## Partitions");
        SharedSpaceReport.write(page, Part.SERVER, "first\n",
                List.of(new Goal("groups", "1.0", true), new Goal("load", "2.0", true)));
        assertThat(page).content().isEqualTo(before);
    }
}
