// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.common;

import java.io.IOException;
import java.nio.charset.StandardCharsets;

import org.treehaul.cli.report.PrometheusText;
import org.treehaul.cli.report.Screen;
import org.treehaul.core.entry.ByteString;

/**
 * The file of {@code --metrics}, which is replaced atomically at each write. A failure to write it is reported once and
 * does not end the command, because metrics are worth less than its work. Safe for any number of threads.
 */
public final class MetricsFile {

    private final ByteString path;
    private final Screen screen;
    private boolean isReported;

    MetricsFile(ByteString path, Screen screen) {
        this.path = path;
        this.screen = screen;
    }

    /** Writes or replaces the file. */
    public synchronized void write(PrometheusText metrics) {
        try {
            ByteFiles.replace(path, out -> out.write(metrics.finish().getBytes(StandardCharsets.UTF_8)));
        } catch (IOException e) {
            if (!isReported) {
                isReported = true;
                screen.error("cannot write the metrics to " + path + ": " + e.getMessage()
                        + "; the command continues without them");
            }
        }
    }
}
