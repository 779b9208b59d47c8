// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy;

import org.treehaul.core.annotation.Internal;
import org.treehaul.core.copy.options.ShellWord;
import org.treehaul.core.copy.options.UserPath;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.LongPath;
import org.treehaul.core.fs.SystemCallException;

/** Finds the directory that this user may not search, for a message. */
@Internal
public final class ClosedDirectory {

    private ClosedDirectory() {}

    /**
     * Returns the text of a failure to look up a path; if a directory on the way may not be searched, with its name and
     * the command that its owner runs.
     *
     * @param path the path, or a directory whose parents could not be looked up
     */
    public static String describe(FileAccess access, ByteString path, SystemCallException failure) {
        String text = String.valueOf(failure.getMessage());
        if (failure.errno() != Errno.EACCES) {
            return text;
        }
        for (ByteString at = path;; at = UserPath.parent(at)) {
            try {
                LongPath.find(access, at, true);
                return text + "; you may not search '" + at + "'. Its owner permits it: chmod +x "
                        + (at.length() > 0 && at.at(0) == '-' ? "-- " : "") + ShellWord.of(at);
            } catch (SystemCallException e) {
                if (at.equals(UserPath.parent(at))) {
                    return text;
                }
            }
        }
    }
}
