// SPDX-License-Identifier: Apache-2.0
package org.treehaul.rigs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.treehaul.packaged.Run;
import org.treehaul.programs.Programs;

/** Layouts of files on a real MooseFS of four chunk servers, beside the disks on which their chunks are. */
@Tag("rig")
class MooseLocalityTest {

    private static final Pattern CHUNK = Pattern.compile("chunk \\d+: ([0-9A-F]{16})_");

    // The chunk servers on whose disks the chunks of a file are; mfsfileinfo says only which chunks these are.
    private static Set<String> found(NetworkFileSystem moosefs, Path file) {
        Set<String> servers = new TreeSet<>();
        Matcher chunk = CHUNK.matcher(Programs.run(moosefs.inside("mfsfileinfo", file).toArray()));
        while (chunk.find()) {
            for (int server = 1; server <= 4; server++) {
                if (!Programs.run("find", moosefs.chunks(server), "-name", "chunk_" + chunk.group(1) + "_*")
                        .isEmpty()) {
                    servers.add("10.77.0." + server);
                }
            }
        }
        return servers;
    }

    private static Map<Path, String> shown(NetworkFileSystem moosefs, List<String> by, Path jar) {
        List<String> command = Run.command(by, jar, "walk", "--locality", moosefs.resolve("tree"));
        Map<Path, String> shown = new TreeMap<>();
        Programs.run(moosefs.inside(command.toArray()).toArray())
                .lines()
                .map(line -> line.split("\t", 2))
                .forEach(line -> shown.put(Path.of(line[1]), line[0]));
        return shown;
    }

    @Test
    void filesAreOnTheChunkServersThatTheirLayoutsName() throws Exception {
        try (NetworkFileSystem moosefs = NetworkFileSystem.chunkServers()) {
            List<Path> files = new ArrayList<>();
            Path tree = Files.createDirectory(moosefs.resolve("tree"));
            for (int i = 0; i < 30; i++) {
                files.add(Files.write(tree.resolve("f" + i), new byte[1 + 1000 * i]));
            }
            // Two chunks, on other servers perhaps.
            files.add(Files.write(tree.resolve("two chunks"), new byte[(64 << 20) + 1]));
            Files.createFile(tree.resolve("empty"));
            Path sparse = tree.resolve("sparse");
            try (RandomAccessFile file = new RandomAccessFile(sparse.toFile(), "rw")) {
                file.setLength(300L << 20);
            }
            Map<Path, String> shown = shown(moosefs, List.of(), Run.JAR);
            Set<String> all = new TreeSet<>();
            for (Path file : files) {
                Set<String> found = found(moosefs, file);
                assertThat(Objects.requireNonNull(shown.get(file)).split(",")).as("%s", file)
                        .containsExactlyInAnyOrderElementsOf(found);
                all.addAll(found);
            }
            assertThat(all).as("the servers of all files").hasSizeGreaterThan(2);
            assertThat(shown).containsEntry(tree, "-")
                    .containsEntry(tree.resolve("empty"), "-")
                    .containsEntry(sparse, "-");
            // Another user may enter neither the directory of the build nor that of the test.
            Files.setPosixFilePermissions(moosefs.local(""), PosixFilePermissions.fromString("rwxr-xr-x"));
            Path jar = Files.copy(Run.JAR, moosefs.local("treehaul.jar"));
            assertThat(shown(moosefs, List.of("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"), jar))
                    .as("as another user")
                    .isEqualTo(shown);
        }
    }
}
