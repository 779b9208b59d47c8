// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli;

import java.util.Optional;

import org.treehaul.cli.report.Text;

/** Explains a bandwidth limit that is probably too low by mistake, as 200 where 200M was meant. */
final class BandwidthNotice {

    // A portion of 16 KiB for each of four threads: below this, pauses between two portions exceed a second.
    private static final long LOW = 64 << 10;

    private BandwidthNotice() {}

    /**
     * Returns the notice for a limit below 64 KiB a second.
     *
     * @param bytesPerSecond the limit, 0 for none
     */
    static Optional<String> of(long bytesPerSecond) {
        if (bytesPerSecond == 0 || bytesPerSecond >= LOW) {
            return Optional.empty();
        }
        return Optional
                .of("at " + rate(bytesPerSecond) + " each GiB takes " + Text.duration((1L << 30) / bytesPerSecond)
                        + ", and data move in portions of 16 KiB with pauses; " + "write 200M for 200 MiB/s");
    }

    /** Returns a limit as people read it. */
    static String rate(long bytesPerSecond) {
        return Text.bytes(bytesPerSecond) + "/s";
    }
}
