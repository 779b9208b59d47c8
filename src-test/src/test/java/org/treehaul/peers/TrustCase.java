// SPDX-License-Identifier: Apache-2.0
package org.treehaul.peers;

import java.io.IOException;
import java.util.List;
import java.util.Set;

import org.jspecify.annotations.Nullable;
import org.treehaul.peers.Tool.Way;
import org.treehaul.peers.Verdict.Expected;

/**
 * A tree, what happens while it is copied, and what must be there afterwards. The scripts run in bash with the
 * variables {@code S} (source), {@code D} (destination), {@code W} (a fresh directory on disk) and {@code T} (one on a
 * tmpfs).
 *
 * @param id a short name for the command line
 * @param title its row in the report
 * @param needs programs, and {@code root}
 * @param source an expression of the shell for the source
 * @param target the same for the destination
 * @param prepare makes what is there before; exit code 77 says that this machine cannot
 * @param way what the tool is asked for
 * @param wrapper what stands before the command: strace, setpriv; may be several commands
 * @param moment run each time the tool was stopped by a signal of strace's; exit code 3 says that the moment has not
 *        come, 4 that it is run at the next stop, too
 * @param again whether the same command is given a second time, without the wrapper
 * @param expected what the exit code must be
 * @param judge says what is wrong
 */
record TrustCase(String id, String title, Set<String> needs, String source, String target, String prepare, Way way,
        String wrapper, @Nullable String moment, @Nullable Way again, Expected expected, Judging judge) {

    /** Looks at what is there after the copy and returns what is wrong, in words. */
    interface Judging {
        List<String> wrongs(Judge judge) throws IOException, InterruptedException;
    }

    /** Starts a case: a tree on disk, copied with all that the tool can carry over. */
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
