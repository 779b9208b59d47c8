// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CampaignTest {
    private @Nullable String scale;

    @BeforeEach
    void saveScale() {
        scale = System.getProperty("treehaul.scale");
    }

    @AfterEach
    void restoreScale() {
        if (scale == null) {
            System.clearProperty("treehaul.scale");
        } else {
            System.setProperty("treehaul.scale", scale);
        }
    }

    @ParameterizedTest
    @CsvSource({"1, 200", "10, 2000", "0.1, 20", "0.0001, 1"})
    void theScaleMultipliesTheCases(String given, int cases) {
        System.setProperty("treehaul.scale", given);
        assertThat(Campaign.cases(200)).isEqualTo(cases);
    }

    @Test
    void withoutAScaleTheCasesAreAsGiven() {
        System.clearProperty("treehaul.scale");
        assertThat(Campaign.cases(200)).isEqualTo(200);
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "-1", "NaN", "1e9", "many"})
    void otherScalesAreRefused(String given) {
        System.setProperty("treehaul.scale", given);
        assertThatIllegalArgumentException().isThrownBy(() -> Campaign.cases(200));
    }
}
