// SPDX-License-Identifier: Apache-2.0
package org.treehaul.peers;

import java.util.List;

import org.treehaul.peers.Tool.Way;
import org.treehaul.peers.Verdict.Expected;

/**
 * Cases of changes while the tool copies, and of a tool that is killed. strace stops the tool by a signal at a chosen
 * call, so that the moment is the same each time.
 */
final class MomentCases {

    private static final String DATA = "read,pread64,readv,preadv,copy_file_range,sendfile";
    private static final String BIG = "mkdir -p \"$S\"; bytes 8000000 > \"$S/big\"; cp \"$S/big\" \"$W/old\"\n";

    private static final String OLD_OR_NEW = """
            if [[ -e $D/big ]]; then
                cmp -s "$D/big" "$W/old" || cmp -s "$D/big" "$S/big" || echo "the copy is neither the old file nor the new"
            elif ((CODE == 0)); then
                echo "nothing was copied"
            fi
            """;

    // 3: the moment has not come; 9: kill it now.
    private static final String KILL_WHEN_HALF = "[[ -e $D/big ]] && ! cmp -s \"$S/big\" \"$D/big\" && exit 9; exit 3";
    // The same, but in any case after a dozen calls.
    private static final String KILL_IN_ANY_CASE = "echo >> \"$W/stops\"; (($(wc -l < \"$W/stops\") > 12)) && exit 9; "
            + KILL_WHEN_HALF;
    private static final String HALF = """
            [[ ! -e $D/big ]] || cmp -s "$S/big" "$D/big" || echo "half a file under its final name"
            """;

    private MomentCases() {}

    static List<TrustCase> changes() {
        return List.of(whileRead("grows", "a file that grows while it is read", "bytes 1000000 >> \"$S/big\""),
                whileRead("shrinks", "a file that is cut short while it is read", "truncate -s 1000000 \"$S/big\""),
                whileRead("rewritten", "a file that is overwritten with other data of the same size while it is read",
                        "bytes 8000000 > \"$W/new\"; dd if=\"$W/new\" of=\"$S/big\" bs=1M conv=notrunc status=none"),
                whileRead("renamed", "a file that another is renamed onto while it is read",
                        "bytes 7000000 > \"$S/new\"; mv \"$S/new\" \"$S/big\""),
                whileRead("removed", "a file that is removed while it is read", "rm \"$S/big\""),
                TrustCase
                        .of("vanishes", "a file and a directory that vanish after they were listed", "tree 100",
                                judge -> judge.differences(name -> !name.startsWith("d5")))
                        .under(stop("getdents64", 2, "$S", "$S/d5"))
                        .at("[[ -e $S/d5/f5 ]] && rm -r \"$S/d5\"")
                        .needing("strace")
                        .expecting(Expected.EITHER),
                afterStat("to-fifo", "a file that becomes a FIFO between stat and open", "mkfifo \"$S/victim\"",
                        "[[ ! -f $D/victim ]] || ((CODE)) || [[ $(cat \"$D/victim\") == mine ]] || echo 'an empty file'"),
                afterStat("to-symlink", "a file that becomes a symbolic link to another's between stat and open",
                        "ln -s \"$W/secret\" \"$S/victim\"",
                        "[[ -L $D/victim || ! -f $D/victim ]] || ! grep -q secret \"$D/victim\" || echo '!copied what the link leads to'"),
                TrustCase
                        .of("directory-to-symlink", "a directory that becomes a symbolic link after it was listed",
                                "tree 20; mkdir \"$W/elsewhere\"; echo secret > \"$W/elsewhere/secret\"",
                                judge -> judge.script(
                                        "[[ -L $D/d5 || ! -e $D/d5/secret ]] || echo '!copied what the link leads to'"))
                        .under(stop("getdents64", 2, "$S"))
                        .at("mv \"$S/d5\" \"$W/away\"; ln -s \"$W/elsewhere\" \"$S/d5\"")
                        .needing("strace")
                        .expecting(Expected.EITHER));
    }

    static List<TrustCase> kills() {
        String calls = DATA + ",openat,?open,write,pwrite64,ftruncate,close";
        String anyCall = "strace -f -o \"$W/log\" -P \"$S/big\" -P \"$D/big\" -P \"$D\" -e trace=" + calls
                + " -e inject=" + calls + ":signal=SIGSTOP";
        String small = "mkdir -p \"$S\"; bytes 200000 > \"$S/big\"";
        return List.of(killed("killed-big", "killed (SIGKILL) in the middle of 8 MB", BIG, anyCall, KILL_WHEN_HALF),
                killed("killed-small", "killed in the middle of 200 kB", small, anyCall, KILL_WHEN_HALF),
                killed("repeated", "killed in the middle of 8 MB, then the same command again", BIG, anyCall,
                        KILL_IN_ANY_CASE).repeatedBy(Way.TREE).expecting(Expected.DONE),
                killed("repeated-update", "killed and repeated with the option that skips what is there", BIG, anyCall,
                        KILL_IN_ANY_CASE).by(Way.UPDATE).repeatedBy(Way.UPDATE).expecting(Expected.DONE),
                killed("repeated-small", "the same with 200 kB, killed when half of it is there", small, anyCall,
                        KILL_WHEN_HALF).by(Way.UPDATE).repeatedBy(Way.UPDATE).expecting(Expected.DONE));
    }

    private static TrustCase whileRead(String id, String title, String change) {
        return TrustCase.of(id, title, BIG, judge -> judge.script("CODE=" + judge.outcome().code() + "\n" + OLD_OR_NEW))
                .from("$T/src")
                .under(stop(DATA, 3, "$S/big"))
                .at(change)
                .needing("strace")
                .expecting(Expected.EITHER);
    }

    private static TrustCase afterStat(String id, String title, String change, String script) {
        return TrustCase
                .of(id, title,
                        "tree 20; echo mine > \"$S/victim\"; echo secret > \"$W/secret\"; chmod 600 \"$W/secret\"",
                        judge -> judge.script("CODE=" + judge.outcome().code() + "\n" + script))
                .under("strace -f -o \"$W/log\" -P \"$S/victim\" -P victim -P ./victim"
                        + " -e trace=newfstatat,?stat,?lstat,statx -e inject=newfstatat,?stat,?lstat,statx:signal=SIGSTOP")
                .at("rm \"$S/victim\"; " + change)
                .needing("strace")
                .expecting(Expected.EITHER);
    }

    // After a repetition the whole tree is compared, because there must be no leftovers.
    private static TrustCase killed(String id, String title, String prepare, String wrapper, String moment) {
        return TrustCase
                .of(id, title, prepare,
                        judge -> judge.outcome().killedOnPurpose() || !id.startsWith("repeated")
                                ? judge.script(HALF)
                                : judge.differences())
                .from("$T/src")
                .under(wrapper)
                .at(moment)
                .needing("strace", "pkill")
                .expecting(Expected.EITHER);
    }

    private static String stop(String calls, int when, String... paths) {
        StringBuilder line = new StringBuilder("strace -f -o \"$W/log\"");
        for (String path : paths) {
            line.append(" -P \"").append(path).append('"');
        }
        return line + " -e trace=" + calls + " -e inject=" + calls + ":signal=SIGSTOP:when=" + when;
    }
}
