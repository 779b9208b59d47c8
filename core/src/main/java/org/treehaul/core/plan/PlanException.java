// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.plan;

import java.io.IOException;
import java.io.Serial;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

import org.treehaul.core.entry.ByteString;

/** A plan that cannot be written or read. The message names the file, what is wrong and what to do, printable. */
public final class PlanException extends IOException {

    @Serial
    private static final long serialVersionUID = 1L;

    private boolean isUnreadable;

    /** Makes one. */
    public PlanException(String message) {
        super(message);
    }

    /** Makes one that another exception led to. */
    public PlanException(String message, Throwable cause) {
        super(message, cause);
    }

    static PlanException damaged(Path file, String what) {
        return new PlanException(printable(file) + " is damaged (" + what + "): plan again, or restore it from a copy");
    }

    static PlanException unreadable(Path file, IOException cause) {
        if (cause instanceof PlanException known) {
            return known;
        }
        PlanException problem = new PlanException(
                "cannot read the plan's file " + printable(file) + ": " + reason(cause), cause);
        problem.isUnreadable = true;
        return problem;
    }

    /** Returns whether a file cannot be read, which may pass, rather than that it holds something wrong. */
    public boolean isUnreadable() {
        return isUnreadable;
    }

    static PlanException unwritable(Path file, IOException cause) {
        return cause instanceof PlanException known
                ? known
                : new PlanException("cannot write the plan's file " + printable(file) + ": " + reason(cause)
                        + "; the plan is not finished, mend that and plan again", cause);
    }

    /** Returns a path for a message. */
    static String printable(Path path) {
        return ByteString.of(path.toString()).toString();
    }

    // The exceptions of java.nio.file carry the path as message, which is said already.
    private static String reason(IOException cause) {
        return switch (cause) {
            case NoSuchFileException e -> "it is not there";
            case AccessDeniedException e -> "permission denied";
            case FileSystemException e when e.getReason() != null -> e.getReason();
            default -> ByteString.of(String.valueOf(cause.getMessage())).toString();
        };
    }
}
