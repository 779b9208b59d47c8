// SPDX-License-Identifier: Apache-2.0
package org.treehaul.batch;

import static org.assertj.core.api.Assertions.assertThat;

import java.awt.image.BufferedImage;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import javax.imageio.ImageIO;

import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.treehaul.packaged.Run;

/** The page of {@code treehaul report} in a browser. */
@Tag("rig")
class ReportInBrowserTest extends LocalJobsTests {

    private static final int RATE = 0x2166ac;
    private static final int DONE = 0x67a9cf;

    private static boolean isInstalled() throws Exception {
        return Run.of("sh", "-c", "command -v chromium").code() == 0;
    }

    @Test
    void itShowsBothChartsWithoutScriptsAndLoadsNothing() throws Exception {
        Assumptions.assumeTrue(isInstalled(), "chromium is missing");
        Path source = cli.tree("source", 40, 30_000);
        // A copy of a moment has no rate to draw.
        String id = cli
                .run("cp", "-a", "--scheduler", "local", "--jobs", 2, "--bandwidth", "500K", "--wait", source,
                        cli.resolve("copy"))
                .expect(0)
                .out()
                .strip();
        Path page = cli.resolve("page.html");
        cli.run("report", id, "-o", page).expect(0);
        assertThat(Files.readString(page)).contains("Transfer " + id);
        Path picture = cli.resolve("page.png");
        // A name that must be resolved would fail here.
        Run.of("chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
                "--disable-background-networking", "--disable-component-update", "--disable-sync",
                "--host-resolver-rules=MAP * ~NOTFOUND", "--user-data-dir=" + cli.resolve("profile"),
                "--window-size=1100,1800", "--screenshot=" + picture, page.toUri()).expect(0);
        BufferedImage image = ImageIO.read(picture.toFile());
        Set<Integer> colours = new HashSet<>();
        for (int y = 0; y < image.getHeight(); y++) {
            for (int x = 0; x < image.getWidth(); x++) {
                colours.add(image.getRGB(x, y) & 0xffffff);
            }
        }
        assertThat(colours).contains(RATE, DONE);
    }
}
