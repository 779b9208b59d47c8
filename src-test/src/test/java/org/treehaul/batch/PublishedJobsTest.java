// SPDX-License-Identifier: Apache-2.0
package org.treehaul.batch;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.treehaul.packaged.Run;

/** The processes of a transfer publish it, and none of them fails because of the space. */
class PublishedJobsTest extends LocalJobsTests {

    private String query(Object... arguments) throws Exception {
        Object[] all = new Object[arguments.length + 3];
        all[0] = "query";
        all[1] = "--space";
        all[2] = cli.resolve("site");
        System.arraycopy(arguments, 0, all, 3, arguments.length);
        return cli.run(all).expect(0).out();
    }

    @Test
    void jobsPublishTheirTransferUntilItIsForgotten() throws Exception {
        Path source = cli.tree("source", 20, 30);
        String id = cli
                .run("cp", "-a", "--scheduler", "local", "--jobs", 2, "--batches", 4, "--publish", cli.resolve("site"),
                        "--wait", source, cli.resolve("copy"))
                .expect(0)
                .out()
                .strip();
        // The job that writes the result, for which --wait waits, publishes it afterwards.
        Awaitility.await()
                .untilAsserted(() -> assertThat(query("--transfers")).startsWith(id + "\tcomplete\t22\t22\t0\t"));
        assertThat(query("--batches", "--count", "state=done", "transfer=" + id)).isEqualTo("4\n");
        assertThat(query("--attempts", "--group-by", "state")).isEqualTo("4  complete\n");
        assertThat(query("--failures")).isEmpty();
        cli.run("forget", id).expect(0);
        // A job may end after the transfer has its result, and removes what it publishes then.
        Awaitility.await().until(() -> query("--transfers", "--count").equals("0\n"));
        Awaitility.await().until(() -> query("--batches", "--count").equals("0\n"));
    }

    @Test
    void aSpaceThatCannotBeUsedFailsNoTransfer() throws Exception {
        Path source = cli.tree("source", 20, 30);
        Path file = Files.writeString(cli.resolve("file"), "no directory");
        Run run = cli
                .run("cp", "-a", "--scheduler", "local", "--jobs", 1, "--publish", file, "--wait", source,
                        cli.resolve("copy"))
                .expect(0);
        assertThat(run.err()).contains("the transfer is not published completely: ")
                .contains("'treehaul publish' brings its tuples up to date");
        cli.expectCopy(source, cli.resolve("copy"));
        assertThat(cli.run("publish", "--space", cli.resolve("site")).expect(0).err()).contains("published 1 transfer");
        assertThat(query("--transfers", "--count", "state=complete")).isEqualTo("1\n");
    }
}
