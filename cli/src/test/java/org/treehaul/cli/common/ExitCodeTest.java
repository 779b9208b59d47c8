// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.common;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;

import org.junit.jupiter.api.Test;
import org.treehaul.core.event.EntryFailure.Kind;

class ExitCodeTest {

    @Test
    void theNumbersAreThoseOfRsyncAndCmp() {
        assertThat(ExitCode.values()).extracting(ExitCode::code).containsExactly(0, 1, 2, 20, 23, 24, 25);
    }

    @Test
    void onlyCompleteWorkWithoutFailuresIsDone() {
        assertThat(ExitCode.of(Map.of(), true, false)).isEqualTo(ExitCode.DONE);
        assertThat(ExitCode.of(Map.of(), false, false)).isEqualTo(ExitCode.PARTIAL);
    }

    @Test
    void workThatWasDoneBeforeTheSignalTookEffectIsDone() {
        assertThat(ExitCode.of(Map.of(), true, true)).isEqualTo(ExitCode.DONE);
    }

    @Test
    void aSignalCountsMoreThanFailures() {
        assertThat(ExitCode.of(Map.of(Kind.ERROR, 3L), false, true)).isEqualTo(ExitCode.INTERRUPTED);
    }

    @Test
    void failuresMakeItPartial() {
        assertThat(ExitCode.of(Map.of(Kind.ERROR, 1L), true, false)).isEqualTo(ExitCode.PARTIAL);
        assertThat(ExitCode.of(Map.of(Kind.CORRUPT, 1L), true, false)).isEqualTo(ExitCode.PARTIAL);
        assertThat(ExitCode.of(Map.of(Kind.VANISHED, 5L, Kind.ERROR, 1L), true, false)).isEqualTo(ExitCode.PARTIAL);
    }

    @Test
    void onlyVanishedOrChangedEntriesAreUnsettled() {
        assertThat(ExitCode.of(Map.of(Kind.VANISHED, 1L, Kind.CHANGED, 1L), true, false)).isEqualTo(ExitCode.UNSETTLED);
        assertThat(ExitCode.of(Map.of(Kind.VANISHED, 1L), false, false)).isEqualTo(ExitCode.PARTIAL);
    }
}
