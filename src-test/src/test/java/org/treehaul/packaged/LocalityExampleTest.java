// SPDX-License-Identifier: Apache-2.0
package org.treehaul.packaged;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.UserDefinedFileAttributeView;
import java.util.List;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The commands that show where data are, with the provider of docs/examples. */
class LocalityExampleTest {

    @TempDir
    private Path directory;

    @BeforeEach
    void make() throws IOException {
        assumeThat(Files.getFileStore(directory).supportsFileAttributeView(UserDefinedFileAttributeView.class))
                .as("the file system has attributes of users")
                .isTrue();
        Path classes = Files.createDirectories(directory.resolve("classes"));
        Examples.provide(classes, "NamedServers", "org.treehaul.core.locality.LocalityProvider");
        Path tree = Files.createDirectories(directory.resolve("tree"));
        file(tree.resolve("a"), "node1,node2");
        file(tree.resolve("b"), "node2");
        file(tree.resolve("c"), "");
    }

    private static void file(Path file, String servers) throws IOException {
        Files.writeString(file, "data");
        if (!servers.isEmpty()) {
            Files.setAttribute(file, "user:servers", servers.getBytes(US_ASCII));
        }
    }

    private Run treehaul(String... arguments) throws Exception {
        List<String> command = Run.commandOf(List.of(Run.JAR, directory.resolve("classes")), "org.treehaul.cli.Main",
                (Object[]) arguments);
        return Run.of(new ProcessBuilder(command).directory(directory.toFile()));
    }

    @Test
    void walkListsTheServersOfFiles() throws Exception {
        Run text = treehaul("walk", "--locality", "tree").expect(0);
        assertThat(text.out().lines()).containsExactlyInAnyOrder("-\ttree", "node1,node2\ttree/a", "node2\ttree/b",
                "-\ttree/c");
        Run json = treehaul("walk", "--locality", "--json", "--where", "server=node1", "tree").expect(0);
        assertThat(json.out()).contains("\"locality\":{\"kind\":\"named\",\"servers\":[\"node1\",\"node2\"],"
                + "\"extents\":[{\"offset\":0,\"stripes\":[{\"places\":[{\"server\":\"node1\"},{\"server\":\"node2\"}]}]}]}}\n");
        assertThat(json.out().lines().filter(line -> line.contains("\"entry\""))).hasSize(1);
    }

    @Test
    void aMalformedLayoutIsAFailureOfTheFileWhichIsListed() throws Exception {
        file(directory.resolve("tree/d"), "node\u001b[31m1");
        Run run = treehaul("walk", "--locality", "-0", "tree").expect(23);
        assertThat(run.out()).contains("-\ttree/d\0").contains("node2\ttree/b\0");
        assertThat(run.err()).contains("tree/d: user.servers: no list of servers: 'node\\x1b[31m1'")
                .doesNotContain("\u001b");
    }

    @Test
    void findAndQueryKnowServers() throws Exception {
        Run find = treehaul("find", "tree", "server=*1", "--printf", "%N %f\n").expect(0);
        assertThat(find.out()).isEqualTo("node1,node2 a\n");
        treehaul("index", "--locality", "--space", "space", "tree").expect(0);
        assertThat(treehaul("query", "--space", "space", "--below", directory + "/tree", "server=node2").expect(0)
                .out()
                .lines()).containsExactlyInAnyOrder("a", "b");
        assertThat(treehaul("query", "--space", "space", "--json", "name=a").expect(0).out())
                .contains("\"servers\":[\"node1\",\"node2\"]");
        assertThat(treehaul("find", "--index", "space", "tree", "server=node1", "--printf", "%N\n").expect(0).out())
                .isEqualTo("node1,node2\n");
        assertThat(treehaul("walk", "--locality", "--summary", "tree").expect(2).err())
                .contains("--locality and --summary cannot be combined");
    }
}
