// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.fs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.reflect.Proxy;

import org.junit.jupiter.api.Test;
import org.treehaul.core.fs.linux.Linux;

class UnknownTypeTest {

    @Test
    void aTypeThatLinuxDoesNotKnowIsAnErrorOfTheEntry() {
        FileSystemCalls broken = (FileSystemCalls) Proxy.newProxyInstance(FileSystemCalls.class.getClassLoader(),
                new Class<?>[]{FileSystemCalls.class}, (proxy, method, arguments) -> {
                    Object result = method.invoke(Linux.calls(), arguments);
                    if (method.getName().equals("statx")) {
                        // stx_mode with type bits that denote no kind.
                        ((MemorySegment) arguments[4]).set(ValueLayout.JAVA_SHORT, 28, (short) 0xF000);
                    }
                    return result;
                });
        try (FileAccess access = FileAccess.open(broken)) {
            assertThatExceptionOfType(SystemCallException.class)
                    .isThrownBy(() -> access.status(LinuxConstants.AT_FDCWD, access.name(new byte[]{'/'})))
                    .satisfies(e -> assertThat(e.errno()).isEqualTo(Errno.EIO));
        }
    }
}
