// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.concurrent.CompletionException;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.SystemCallException;

/** The behaviour of files whose data can only be written in order, as those of an object store. */
public abstract class OrderContract extends FileContract {

    private static void refuses(ThrowingCallable write) {
        assertThatThrownBy(write).isInstanceOfSatisfying(SystemCallException.class,
                e -> assertThat(e.errno()).isIn(Errno.EPERM, Errno.EOPNOTSUPP, Errno.ENOSYS, Errno.EINVAL));
    }

    @Test
    void sizesAndOffsetsAreRefused() throws SystemCallException {
        TargetFile file = file("abc");
        refuses(() -> file.setSize(10));
        refuses(() -> file.write(data("x"), 5));
        refuses(() -> file.write(List.of(new TargetFile.Piece(data("x"), 5))));
        assertThatThrownBy(() -> file.writeAsync(data("x"), 5).join()).isInstanceOf(CompletionException.class)
                .cause()
                .isInstanceOf(SystemCallException.class);
        file.write(data("def"));
        assertThat(contentOf(file)).isEqualTo("abcdef");
    }

    @Test
    void noRangeIsCopiedInsideTheStore() throws SystemCallException {
        TargetFile file = target();
        assertThat(file.copyFrom(source(file("0123456789")), 3, 4)).isEqualTo(TargetFile.CANNOT);
        assertThat(contentOf(file)).isEmpty();
    }
}
