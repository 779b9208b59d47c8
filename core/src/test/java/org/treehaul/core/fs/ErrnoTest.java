// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.fs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.lang.reflect.Field;

import org.junit.jupiter.api.Test;

class ErrnoTest {

    @Test
    void numbersHaveTextAndSymbol() {
        assertThat(Errno.describe(Errno.ENOENT)).isEqualTo("No such file or directory (ENOENT)");
        assertThat(Errno.describe(1)).isEqualTo("Operation not permitted (EPERM)");
        assertThat(Errno.describe(133)).isEqualTo("Memory page has hardware error (EHWPOISON)");
        assertThat(Errno.symbol(Errno.EDQUOT)).isEqualTo("EDQUOT");
    }

    @Test
    void numbersThatLinuxLacksAreNamedAsSuch() {
        for (int unknown : new int[]{-1, 0, 41, 58, 134, Integer.MAX_VALUE}) {
            assertThat(Errno.describe(unknown)).isEqualTo("Unknown error " + unknown);
            assertThat(Errno.symbol(unknown)).isEqualTo("errno " + unknown);
        }
    }

    @Test
    void anExceptionNamesACheckThatFailedWithoutAnErrno() {
        assertThat(new SystemCallException("open", Errno.ENOENT))
                .hasMessage("open: No such file or directory (ENOENT)");
        assertThat(new SystemCallException("verify", 0)).hasMessage("verify");
    }

    @Test
    void everySymbolIsReadBack() {
        for (int errno = 1; errno <= 133; errno++) {
            if (errno != 41 && errno != 58) {
                assertThat(Errno.parse(Errno.symbol(errno))).isEqualTo(errno);
            }
        }
        assertThat(Errno.parse("EWOULDBLOCK")).isEqualTo(Errno.EAGAIN);
        assertThat(Errno.parse("ENOTSUP")).isEqualTo(Errno.EOPNOTSUPP);
        assertThatIllegalArgumentException().isThrownBy(() -> Errno.parse("ENONSENSE"));
        assertThatIllegalArgumentException().isThrownBy(() -> Errno.parse(""));
    }

    @Test
    void constantsAreThoseOfTheTable() throws IllegalAccessException {
        for (Field constant : Errno.class.getFields()) {
            assertThat(constant.getInt(null)).isEqualTo(Errno.parse(constant.getName()));
        }
    }

    @Test
    void exceptionSaysOperationAndError() {
        SystemCallException failure = new SystemCallException("close", Errno.EIO);
        assertThat(failure).hasMessage("close: Input/output error (EIO)");
        assertThat(failure.getStackTrace()).isEmpty();
    }
}
