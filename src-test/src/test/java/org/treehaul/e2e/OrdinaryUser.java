// SPDX-License-Identifier: Apache-2.0
package org.treehaul.e2e;

import java.nio.file.Path;
import java.util.List;

import org.treehaul.core.testing.Privilege;
import org.treehaul.packaged.Run;
import org.treehaul.programs.Programs;

/** A user who is not root: the one who runs the tests, or, if that is root, a number without an account. */
final class OrdinaryUser {

    private static final String NUMBER = "65534";

    private OrdinaryUser() {}

    /** Gives a directory of a test to the user, and returns the words before a command of that user. */
    static List<String> owning(Path directory) throws Exception {
        if (!Privilege.isRoot()) {
            return List.of();
        }
        Programs.require("setpriv", "util-linux");
        Run.of("chown", "-R", NUMBER + ":" + NUMBER, directory).expect(0);
        return List.of("setpriv", "--reuid", NUMBER, "--regid", NUMBER, "--clear-groups");
    }
}
