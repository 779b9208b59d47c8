// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.fs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.treehaul.core.fs.LinuxConstants.AT_EMPTY_PATH;
import static org.treehaul.core.fs.LinuxConstants.AT_SYMLINK_NOFOLLOW;
import static org.treehaul.core.fs.LinuxConstants.UTIME_OMIT;
import static org.treehaul.core.fs.LinuxConstants.XATTR_CREATE;
import static org.treehaul.core.fs.LinuxConstants.XATTR_REPLACE;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.treehaul.core.entry.Timestamp;
import org.treehaul.core.testing.Privilege;

/** The behaviour of calls on modes, owners, times and extended attributes, and the errors with which each fails. */
public abstract class MetadataContract extends CallsFixture {

    @Test
    void modesAreSetByDescriptorAndByName() {
        int f = file("f", "");
        assertThat(calls.fchmod(f, 04751)).isZero();
        assertThat(status("f").permissions()).isEqualTo(04751);
        assertThat(calls.fchmodat(directory, name("f"), 0)).isZero();
        assertThat(status("f").permissions()).isZero();
        assertThat(calls.fchmod(BAD, 0600)).isEqualTo(-Errno.EBADF);
        assertThat(calls.fchmodat(directory, name("none"), 0600)).isEqualTo(-Errno.ENOENT);
        assertThat(calls.close(f)).isZero();
    }

    @Test
    void ownersAreUnsignedNumbers() {
        Privilege.requireRoot("chown");
        int f = file("f", "");
        long highest = 0xFFFF_FFFEL;
        assertThat(calls.fchownat(f, name(""), (int) highest, 1 << 31, AT_EMPTY_PATH)).isZero();
        assertThat(status("f").uid()).isEqualTo(highest);
        assertThat(status("f").gid()).isEqualTo(1L << 31);
        assertThat(calls.fchownat(directory, name("f"), -1, 7, 0)).isZero();
        assertThat(status("f").uid()).as("-1 leaves it").isEqualTo(highest);
        assertThat(status("f").gid()).isEqualTo(7);
        assertThat(calls.symlinkat(name("f"), directory, name("link"))).isZero();
        assertThat(calls.fchownat(directory, name("link"), 5, 6, AT_SYMLINK_NOFOLLOW)).isZero();
        assertThat(status("link").uid()).isEqualTo(5);
        assertThat(status("f").uid()).isEqualTo(highest);
        assertThat(calls.close(f)).isZero();
    }

    @Test
    void fchownatFailsWithTheKernelsError() {
        assertThat(calls.fchownat(directory, name("none"), -1, -1, 0)).isEqualTo(-Errno.ENOENT);
        assertThat(calls.fchownat(BAD, name("f"), -1, -1, 0)).isEqualTo(-Errno.EBADF);
        assertThat(calls.fchownat(directory, name("."), -1, -1, 1 << 30)).isEqualTo(-Errno.EINVAL);
    }

    @Test
    void timesReachFromBefore1970ToBeyond2200() {
        int f = file("f", "");
        assertThat(calls.symlinkat(name("f"), directory, name("link"))).isZero();
        for (long seconds : new long[]{-2_000_000_000L, -1, 0, 1L << 31, 1L << 32, 1L << 33}) {
            Timestamp time = new Timestamp(seconds, 999_999_999);
            assertThat(calls.futimens(f, times(7, seconds, 999_999_999))).isZero();
            assertThat(status("f").mtime()).isEqualTo(time);
            assertThat(status("f").atime()).isEqualTo(new Timestamp(7, 0));
            assertThat(calls.utimensat(directory, name("link"), times(8, seconds, 999_999_999), AT_SYMLINK_NOFOLLOW))
                    .isZero();
            assertThat(status("link").mtime()).isEqualTo(time);
        }
        assertThat(calls.close(f)).isZero();
    }

    @Test
    void timesCanBeOmittedAndFailWithTheKernelsError() {
        int f = file("f", "");
        assertThat(calls.futimens(f, times(5, 6, 7))).isZero();
        assertThat(calls.futimens(f, times(9, 0, UTIME_OMIT))).isZero();
        assertThat(status("f").mtime()).isEqualTo(new Timestamp(6, 7));
        assertThat(calls.futimens(f, times(0, 0, 1_000_000_000))).isEqualTo(-Errno.EINVAL);
        assertThat(calls.futimens(BAD, times(0, 0, 0))).isEqualTo(-Errno.EBADF);
        assertThat(calls.utimensat(directory, name("none"), times(0, 0, 0), 0)).isEqualTo(-Errno.ENOENT);
        assertThat(calls.utimensat(BAD, name("f"), times(0, 0, 0), 0)).isEqualTo(-Errno.EBADF);
        assertThat(calls.close(f)).isZero();
    }

    private MemorySegment times(long accessSeconds, long seconds, long nanos) {
        MemorySegment times = memory(32);
        times.set(ValueLayout.JAVA_LONG, 0, accessSeconds);
        times.set(ValueLayout.JAVA_LONG, 16, seconds);
        times.set(ValueLayout.JAVA_LONG, 24, nanos);
        return times;
    }

    @Test
    void attributesAreSetReadListedAndRemovedByDescriptor() {
        int f = file("f", "");
        requireUserAttributes(f);
        MemorySegment value = memory(100);
        assertThat(calls.fsetxattr(f, name("user.a"), data("value"), XATTR_CREATE)).isZero();
        assertThat(calls.fgetxattr(f, name("user.a"), MemorySegment.NULL)).isEqualTo(5);
        assertThat(calls.fgetxattr(f, name("user.a"), value)).isEqualTo(5);
        assertThat(text(value, 5)).isEqualTo("value");
        assertThat(calls.flistxattr(f, MemorySegment.NULL)).isEqualTo(7);
        assertThat(calls.flistxattr(f, value)).isEqualTo(7);
        assertThat(text(value, 7)).isEqualTo("user.a\0");
        assertThat(calls.fgetxattr(f, name("user.a"), memory(2))).isEqualTo(-Errno.ERANGE);
        assertThat(calls.flistxattr(f, memory(2))).isEqualTo(-Errno.ERANGE);
        assertThat(calls.fsetxattr(f, name("user.a"), data("x"), XATTR_CREATE)).isEqualTo(-Errno.EEXIST);
        assertThat(calls.fsetxattr(f, name("user.b"), data("x"), XATTR_REPLACE)).isEqualTo(-Errno.ENODATA);
        assertThat(calls.fsetxattr(f, name("odd.a"), data("x"), 0)).isEqualTo(-Errno.EOPNOTSUPP);
        assertThat(calls.fremovexattr(f, name("user.a"))).isZero();
        assertThat(calls.fremovexattr(f, name("user.a"))).isEqualTo(-Errno.ENODATA);
        assertThat(calls.fgetxattr(f, name("user.a"), value)).isEqualTo(-Errno.ENODATA);
        assertThat(calls.flistxattr(f, value)).isZero();
        assertThat(calls.close(f)).isZero();
    }

    @Test
    void attributesAreSetReadListedAndRemovedByPath() {
        int f = file("f", "");
        requireUserAttributes(f);
        MemorySegment value = memory(100);
        assertThat(calls.setxattr(path("f"), name("user.a"), data(""), 0)).isZero();
        assertThat(calls.lgetxattr(path("f"), name("user.a"), value)).isZero();
        assertThat(calls.setxattr(path("f"), name("user.a"), data("value"), XATTR_REPLACE)).isZero();
        assertThat(calls.lgetxattr(path("f"), name("user.a"), value)).isEqualTo(5);
        assertThat(calls.llistxattr(path("f"), value)).isEqualTo(7);
        assertThat(calls.lgetxattr(path("f"), name("user.a"), memory(2))).isEqualTo(-Errno.ERANGE);
        assertThat(calls.llistxattr(path("f"), memory(2))).isEqualTo(-Errno.ERANGE);
        assertThat(calls.listxattrat(directory, name("f"), value)).isIn(7L, -(long) Errno.ENOSYS, -(long) Errno.EPERM);
        assertThat(calls.listxattrat(directory, name("f"), memory(2))).isIn(-(long) Errno.ERANGE, -(long) Errno.ENOSYS,
                -(long) Errno.EPERM);
        assertThat(calls.removexattr(path("f"), name("user.a"))).isZero();
        assertThat(calls.removexattr(path("f"), name("user.a"))).isEqualTo(-Errno.ENODATA);
        assertThat(calls.close(f)).isZero();
    }

    @Test
    void attributeCallsFailWithTheKernelsError() {
        assertThat(calls.symlinkat(name("f"), directory, name("link"))).isZero();
        MemorySegment value = memory(10);
        assertThat(calls.fgetxattr(BAD, name("user.a"), value)).isEqualTo(-Errno.EBADF);
        assertThat(calls.fsetxattr(BAD, name("user.a"), value, 0)).isEqualTo(-Errno.EBADF);
        assertThat(calls.flistxattr(BAD, value)).isEqualTo(-Errno.EBADF);
        assertThat(calls.fremovexattr(BAD, name("user.a"))).isEqualTo(-Errno.EBADF);
        assertThat(calls.lgetxattr(path("none"), name("user.a"), value)).isEqualTo(-Errno.ENOENT);
        assertThat(calls.setxattr(path("none"), name("user.a"), value, 0)).isEqualTo(-Errno.ENOENT);
        assertThat(calls.llistxattr(path("none"), value)).isEqualTo(-Errno.ENOENT);
        assertThat(calls.listxattrat(directory, name("none"), value)).isIn(-(long) Errno.ENOENT, -(long) Errno.ENOSYS,
                -(long) Errno.EPERM);
        assertThat(calls.removexattr(path("none"), name("user.a"))).isEqualTo(-Errno.ENOENT);
        assertThat(calls.setxattr(path("link"), name("user.a"), value, 0)).as("through a link that leads nowhere")
                .isEqualTo(-Errno.ENOENT);
        assertThat(calls.removexattr(path("link"), name("user.a"))).isEqualTo(-Errno.ENOENT);
    }

    private void requireUserAttributes(int descriptor) {
        long result = calls.fgetxattr(descriptor, name("user.none"), MemorySegment.NULL);
        Assumptions.assumeTrue(result == -Errno.ENODATA, () -> "user.*: " + Errno.describe((int) -result));
    }
}
