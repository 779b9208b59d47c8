// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.plan.format;

import java.io.IOException;
import java.io.Serial;
import java.nio.file.Path;

import org.treehaul.core.entry.ByteString;
import org.treehaul.core.fs.PrivateFiles;

/** Failure to write or read a plan. The printable message names the file, the problem and the remedy. */
public final class PlanException extends IOException {

    @Serial
    private static final long serialVersionUID = 1L;

    private boolean isUnreadable;
    private boolean isOfOtherVersion;

    /** Creates an exception. */
    public PlanException(String message) {
        super(message);
    }

    /** Creates an exception with its cause. */
    public PlanException(String message, Throwable cause) {
        super(message, cause);
    }

    static PlanException damaged(Path file, String what) {
        return new PlanException(printable(file) + " is damaged (" + what + "): plan again, or restore it from a copy");
    }

    /** Returns the exception for a file of the plan that cannot be read. */
    public static PlanException unreadable(Path file, IOException cause) {
        if (cause instanceof PlanException known) {
            return known;
        }
        PlanException problem = new PlanException(
                "cannot read the plan's file " + printable(file) + ": " + PrivateFiles.reason(cause), cause);
        problem.isUnreadable = true;
        return problem;
    }

    static PlanException ofOtherVersion(String message) {
        PlanException problem = new PlanException(message);
        problem.isOfOtherVersion = true;
        return problem;
    }

    /** Returns whether another version of this program wrote the plan, in a format that this version does not know. */
    public boolean isOfOtherVersion() {
        return isOfOtherVersion;
    }

    /** Returns whether a file cannot be read, which may be temporary, as opposed to having wrong contents. */
    public boolean isUnreadable() {
        return isUnreadable;
    }

    /** Returns the exception for a file of the plan that cannot be written. */
    public static PlanException unwritable(Path file, IOException cause) {
        return cause instanceof PlanException known
                ? known
                : new PlanException("cannot write the plan's file " + printable(file) + ": "
                        + PrivateFiles.reason(cause) + "; the plan is not finished: fix this and plan again", cause);
    }

    /** Returns a path in printable form. */
    public static String printable(Path path) {
        return ByteString.of(path.toString()).toString();
    }
}
