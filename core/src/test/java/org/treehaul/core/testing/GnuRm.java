// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import org.treehaul.core.entry.ByteString;

/** GNU rm, with which removals are compared. */
public final class GnuRm {

    private GnuRm() {}

    /**
     * Removes trees by {@code rm -r}, which must succeed.
     *
     * @param list a file for the paths, because Java cannot pass every byte as an argument
     */
    public static void remove(Path list, List<ByteString> paths) throws IOException, InterruptedException {
        try (OutputStream out = Files.newOutputStream(list)) {
            for (ByteString path : paths) {
                out.write(path.toBytes());
                out.write(0);
            }
        }
        Process process = new ProcessBuilder("xargs", "-0", "rm", "-r", "--").redirectInput(list.toFile())
                .redirectErrorStream(true)
                .start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
        assertThat(process.waitFor()).as(said).isZero();
    }
}
