// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.fs;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * One call of a run that fails once with an error.
 *
 * @param nth the number of the call among those of its kind, from 1
 */
public record InjectedFault(Call call, long nth, int errno) {

    private static final int[] COMMON = {Errno.EIO, Errno.ENOMEM, Errno.EINTR, Errno.ESTALE};

    private static final Map<Call, int[]> PLAUSIBLE = Map
            .ofEntries(
                    Map.entry(Call.OPENAT,
                            new int[]{Errno.EACCES, Errno.ENOENT, Errno.EMFILE, Errno.ENFILE, Errno.ENOSPC,
                                    Errno.EROFS}),
                    Map.entry(Call.MKDIRAT, new int[]{Errno.EACCES, Errno.ENOSPC, Errno.EDQUOT, Errno.EROFS}),
                    Map.entry(Call.MKNODAT, new int[]{Errno.EPERM, Errno.ENOSPC}),
                    Map.entry(Call.SYMLINKAT, new int[]{Errno.EPERM, Errno.ENOSPC}),
                    Map.entry(Call.LINKAT, new int[]{Errno.EPERM, Errno.ENOSPC, Errno.EMLINK, Errno.EXDEV}),
                    Map.entry(Call.RENAMEAT2, new int[]{Errno.ENOSPC, Errno.EINVAL, Errno.EXDEV, Errno.ENOENT}),
                    Map.entry(Call.WRITE, new int[]{Errno.ENOSPC, Errno.EDQUOT}),
                    Map.entry(Call.PWRITE, new int[]{Errno.ENOSPC, Errno.EDQUOT}),
                    Map.entry(Call.FTRUNCATE, new int[]{Errno.EFBIG}),
                    Map.entry(Call.CLOSE, new int[]{Errno.ENOSPC, Errno.EDQUOT}),
                    Map.entry(Call.FSYNC, new int[]{Errno.ENOSPC}), Map.entry(Call.FCHMOD, new int[]{Errno.EPERM}),
                    Map.entry(Call.FCHOWNAT, new int[]{Errno.EPERM}),
                    Map.entry(Call.STATX, new int[]{Errno.ENOENT, Errno.EACCES}),
                    Map.entry(Call.FSETXATTR, new int[]{Errno.ENOSPC, Errno.EOPNOTSUPP}),
                    Map.entry(Call.COPY_FILE_RANGE, new int[]{Errno.ENOSPC, Errno.EXDEV}),
                    Map.entry(Call.FICLONE, new int[]{Errno.EOPNOTSUPP, Errno.EXDEV}),
                    Map.entry(Call.GETDENTS64, new int[]{Errno.ENOENT}),
                    Map.entry(Call.LSEEK, new int[]{Errno.EINVAL}));

    /** Returns the fault for the calls of a run. */
    public Fault fault() {
        return Fault.on(call).nth(nth).fails(errno);
    }

    /**
     * Returns a fault for each call of a run and each error that is plausible there.
     *
     * @param counts the number of calls of each kind in a run without faults
     */
    public static List<InjectedFault> inEach(Map<Call, Long> counts) {
        List<InjectedFault> all = new ArrayList<>();
        counts.forEach((call, count) -> {
            int[] special = PLAUSIBLE.getOrDefault(call, new int[0]);
            for (long n = 1; n <= count; n++) {
                for (int errno : COMMON) {
                    all.add(new InjectedFault(call, n, errno));
                }
                for (int errno : special) {
                    all.add(new InjectedFault(call, n, errno));
                }
            }
        });
        return all;
    }

    @Override
    public String toString() {
        return call + " number " + nth + " " + Errno.symbol(errno);
    }
}
