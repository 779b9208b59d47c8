// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.transfer;

import java.util.Optional;

import org.treehaul.cli.report.Text;

/** Warns of a bandwidth limit that is probably a typing error, such as 200 instead of 200M. */
public final class BandwidthNotice {

    // Four threads with a portion of 16 KiB each: below this limit, pauses between two portions exceed a second.
    private static final long LOW = 64 << 10;

    private BandwidthNotice() {}

    /**
     * Returns the notice for a limit below 64 KiB a second.
     *
     * @param bytesPerSecond the limit, 0 for none
     */
    public static Optional<String> of(long bytesPerSecond) {
        if (bytesPerSecond == 0 || bytesPerSecond >= LOW) {
            return Optional.empty();
        }
        return Optional
                .of("at " + rate(bytesPerSecond) + " each GiB takes " + Text.duration((1L << 30) / bytesPerSecond)
                        + ", so data are moved in portions of 16 KiB with pauses; write 200M for 200 MiB/s");
    }

    /** Returns a limit in a form for users. */
    static String rate(long bytesPerSecond) {
        return Text.bytes(bytesPerSecond) + "/s";
    }
}
