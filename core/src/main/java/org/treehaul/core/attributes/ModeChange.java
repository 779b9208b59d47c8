// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.attributes;

import static org.treehaul.core.fs.LinuxConstants.AT_FDCWD;

import java.util.List;
import java.util.Locale;

import org.treehaul.core.annotation.Internal;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.SystemCallException;

/**
 * A change of the mode: the operand of chmod(1), in the syntax of POSIX with the extensions of GNU. Immutable.
 *
 * <p>
 * An octal number of at most four digits leaves the set-id bits of directories unless it sets them; five digits clear
 * them. Symbolic links have no mode and are not changed.
 *
 * @see <a href="https://pubs.opengroup.org/onlinepubs/9799919799/utilities/chmod.html">chmod in POSIX</a>
 */
public final class ModeChange implements AttributeChange {

    /** All bits that chmod(2) sets. */
    static final int ALL = 07777;

    private static final int READ_AND_SEARCH = 0500;

    private final String expression;
    private final int umask;
    private final List<ModeStep> steps;
    private final boolean repeatable;

    private ModeChange(String expression, int umask, List<ModeStep> steps) {
        this.expression = expression;
        this.umask = umask;
        this.steps = steps;
        this.repeatable = isRepeatable(false) && isRepeatable(true);
    }

    /**
     * Reads a change.
     *
     * @param expression such as {@code 644}, {@code u+rwX,go=} or {@code g=u}
     * @param umask the bits that a change without u, g, o and a leaves alone, 0 to 0777
     * @throws IllegalArgumentException if it is not such an expression, or the umask is out of its range
     */
    public static ModeChange parse(String expression, int umask) {
        if (umask < 0 || umask > 0777) {
            throw new IllegalArgumentException("umask is not between 0 and 0777: " + Integer.toOctalString(umask));
        }
        return new ModeChange(expression, umask, new ModeParser(expression).steps());
    }

    /**
     * Returns the change to exactly this mode, for files and directories.
     *
     * @param mode the permission bits with set-id and sticky bits, 0 to 07777
     */
    public static ModeChange to(int mode) {
        return parse(String.format(Locale.ROOT, "%05o", mode), 0);
    }

    /** Returns the expression. */
    public String expression() {
        return expression;
    }

    /** Returns the umask. */
    public int umask() {
        return umask;
    }

    /**
     * Returns the mode that the change makes of another.
     *
     * @param mode the permission bits with set-id and sticky bits; other bits are ignored
     * @return the new bits, 0 to 07777
     */
    public int apply(int mode, boolean isDirectory) {
        int changed = mode & ALL;
        for (ModeStep step : steps) {
            changed = step.apply(changed, isDirectory, umask);
        }
        return changed;
    }

    private int applied(FileStatus status) {
        return apply(status.mode(), status.kind() == EntryKind.DIRECTORY);
    }

    @Override
    public String attribute() {
        return "mode";
    }

    @Override
    public boolean isNeeded(FileStatus status) {
        return status.kind() != EntryKind.SYMLINK && applied(status) != status.permissions();
    }

    @Override
    public String before(FileStatus status) {
        return text(status.permissions());
    }

    @Override
    public String after(FileStatus status) {
        return text(status.kind() == EntryKind.SYMLINK ? status.permissions() : applied(status));
    }

    private static String text(int mode) {
        return String.format(Locale.ROOT, "%04o", mode);
    }

    @Override
    public boolean isBeforeContent(FileStatus directory) {
        return contains(applied(directory)) || !contains(directory.permissions());
    }

    // Only its owner, or a process that needs no permission, can change a mode.
    private static boolean contains(int mode) {
        return (mode & READ_AND_SEARCH) == READ_AND_SEARCH;
    }

    // Copies of other classes can differ each time: "u=g,g=o" moves the modes on.
    @Override
    public boolean isRepeatable() {
        return repeatable;
    }

    private boolean isRepeatable(boolean isDirectory) {
        for (int mode = 0; mode <= ALL; mode++) {
            int once = apply(mode, isDirectory);
            if (apply(once, isDirectory) != once) {
                return false;
            }
        }
        return true;
    }

    // fchmod(2) rejects descriptors of O_PATH.
    @Override
    @Internal
    public void make(OpenNode node, FileStatus status) throws SystemCallException {
        FileAccess.check("chmod", node.calls().fchmodat(AT_FDCWD, node.path(), applied(status)));
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof ModeChange change && expression.equals(change.expression) && umask == change.umask;
    }

    @Override
    public int hashCode() {
        return 31 * expression.hashCode() + umask;
    }

    /** Returns the expression. */
    @Override
    public String toString() {
        return expression;
    }
}
