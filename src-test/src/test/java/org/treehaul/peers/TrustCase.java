// SPDX-License-Identifier: Apache-2.0
package org.treehaul.peers;

import java.io.IOException;
import java.util.List;
import java.util.Set;

import org.jspecify.annotations.Nullable;
import org.treehaul.peers.Tool.Way;
import org.treehaul.peers.Verdict.Expected;

/**
 * A tree, the events while it is copied, and the required result. The scripts run in bash with the variables {@code S}
 * (source), {@code D} (destination), {@code W} (a fresh directory on disk) and {@code T} (one on a tmpfs).
 *
 * @param id a short name for the command line
 * @param title its row in the report
 * @param needs required programs, and {@code root}
 * @param source a shell expression for the source
 * @param target a shell expression for the destination
 * @param prepare a script that makes the initial state; exit code 77 if this machine cannot
 * @param way the way of copying
 * @param wrapper the words before the command: strace, setpriv; may be several commands
 * @param moment a script that runs each time a signal of strace's stops the tool; exit code 3 if the moment has not
 *        come, 4 to run it at the next stop as well
 * @param again the way of copying for a second run without the wrapper; null for none
 * @param expected the required exit code
 * @param judge describes the differences
 */
record TrustCase(String id, String title, Set<String> needs, String source, String target, String prepare, Way way,
        String wrapper, @Nullable String moment, @Nullable Way again, Expected expected, Judging judge) {

    /** Checks the result of the copy and returns the differences, in words. */
    interface Judging {
        List<String> wrongs(Judge judge) throws IOException, InterruptedException;
    }

    /** Starts a case: a tree on disk, copied with everything that the tool can keep. */
    static TrustCase of(String id, String title, String prepare, Judging judge) {
        return new TrustCase(id, title, Set.of(), "$W/src", "$W/dst", prepare, Way.TREE, "", null, null, Expected.DONE,
                judge);
    }

    TrustCase needing(String... programs) {
        return new TrustCase(id, title, Set.of(programs), source, target, prepare, way, wrapper, moment, again,
                expected, judge);
    }

    TrustCase from(String expression) {
        return new TrustCase(id, title, needs, expression, target, prepare, way, wrapper, moment, again, expected,
                judge);
    }

    TrustCase to(String expression) {
        return new TrustCase(id, title, needs, source, expression, prepare, way, wrapper, moment, again, expected,
                judge);
    }

    TrustCase by(Way other) {
        return new TrustCase(id, title, needs, source, target, prepare, other, wrapper, moment, again, expected, judge);
    }

    TrustCase under(String wrapping) {
        return new TrustCase(id, title, needs, source, target, prepare, way, wrapping, moment, again, expected, judge);
    }

    TrustCase at(String script) {
        return new TrustCase(id, title, needs, source, target, prepare, way, wrapper, script, again, expected, judge);
    }

    TrustCase repeatedBy(Way second) {
        return new TrustCase(id, title, needs, source, target, prepare, way, wrapper, moment, second, expected, judge);
    }

    TrustCase expecting(Expected code) {
        return new TrustCase(id, title, needs, source, target, prepare, way, wrapper, moment, again, code, judge);
    }
}
