// SPDX-License-Identifier: Apache-2.0
package org.treehaul.peers;

import java.io.IOException;
import java.util.List;
import java.util.stream.Stream;

import org.treehaul.peers.Tool.Way;
import org.treehaul.peers.Verdict.Expected;

/** Cases of failing calls. To the tool, an error that strace injects looks like one from the kernel. */
final class ErrorCases {

    private static final String BAD = "d5/f25";
    private static final String AS_NOBODY = "setpriv --reuid 65534 --regid 65534 --clear-groups";
    private static final String GIVE_TO_NOBODY = "chown -R 65534:65534 \"$W\" \"$T\"\n";
    private static final String METADATA = """
            tree 20; chown 1234:4321 "$S/d5/f5" "$S/d5"; chmod 640 "$S/d5/f5"; chmod 750 "$S/d5"
            touch -d 2001-01-01 "$S/d5/f5" "$S/d5"
            """;

    private ErrorCases() {}

    static List<TrustCase> all() {
        return List.of(
                TrustCase.of("listing", "a listing that ends early with EIO", """
                        tree 20; mkdir "$S/many"; cd "$S/many"; x=$(printf 'n%.0s' {1..200}); eval "touch $x{1..5000}"
                        """, judge -> judge.differences(name -> !name.startsWith("many")))
                        .from("$T/src")
                        .to("$T/dst")
                        .under(fail("getdents64", "EIO:when=2+", "$S/many"))
                        .needing("strace")
                        .expecting(Expected.TOLD),
                TrustCase.of("eio", "EIO when one file is read: the others are copied", "tree 100", ErrorCases::butOne)
                        .under(fail("read,pread64,readv,preadv,copy_file_range,sendfile", "EIO", "$S/" + BAD))
                        .needing("strace")
                        .expecting(Expected.TOLD),
                shortRead(), //
                TrustCase
                        .of("close", "EDQUOT when a copied file is closed", "tree 100",
                                judge -> judge.differences(name -> !name.equals(BAD)))
                        .by(Way.IN_PLACE)
                        .under(fail("close", "EDQUOT", "$D/" + BAD))
                        .needing("strace")
                        .expecting(Expected.TOLD),
                lostWrites("lost-writes", "a disk that takes the data and loses them later", Way.TREE),
                lostWrites("lost-fsync", "the same, with the option that says to sync", Way.FSYNC),
                metadata("chown", "fchown,?chown,?lchown,fchownat"), //
                metadata("chmod", "fchmod,?chmod,fchmodat,?fchmodat2"),
                metadata("utimens", "utimensat,?utimes,?futimesat,?utime"),
                TrustCase.of("unreadable", "an ordinary user, a directory and a file he may not read",
                        "tree 40\n" + GIVE_TO_NOBODY
                                + "chown 0:0 \"$S/d3\" \"$S/d4/f4\"; chmod 700 \"$S/d3\"; chmod 600 \"$S/d4/f4\"",
                        judge -> judge.differences(name -> !name.startsWith("d3") && !name.equals("d4/f4")))
                        .under(AS_NOBODY)
                        .needing("root", "setpriv")
                        .expecting(Expected.TOLD),
                TrustCase
                        .of("unwritable", "an ordinary user, an existing directory he may not write to",
                                "tree 40\n" + "mkdir -p \"$D/d3\"\n" + GIVE_TO_NOBODY + "chown 0:0 \"$D/d3\"",
                                judge -> judge.differences(name -> !name.startsWith("d3")))
                        .under(AS_NOBODY)
                        .needing("root", "setpriv")
                        .expecting(Expected.TOLD),
                TrustCase
                        .of("read-only-directories", "an ordinary user, directories 0555 in the source",
                                "tree 40\n" + GIVE_TO_NOBODY + "chmod 0555 \"$S\" \"$S\"/d*",
                                judge -> judge.differences(Judge.Aspect.MODE))
                        .under(AS_NOBODY)
                        .needing("root", "setpriv"));
    }

    private static String fail(String calls, String how, String... paths) {
        StringBuilder line = new StringBuilder("strace -f -o \"$W/log\"");
        for (String path : paths) {
            line.append(" -P \"").append(path).append('"');
        }
        return line + " -e trace=" + calls + " -e inject=" + calls + ":error=" + how;
    }

    private static List<String> butOne(Judge judge) throws IOException, InterruptedException {
        return Stream.concat(judge.differences(name -> !name.equals(BAD)).stream(),
                judge.script("[[ ! -e $D/" + BAD + " ]] || echo 'a file that was not read has its name'").stream())
                .toList();
    }

    // The file ends after the first block that is read; calls that copy in the kernel transfer nothing.
    private static TrustCase shortRead() {
        return TrustCase
                .of("short-read", "a read that ends before the size of the file is reached",
                        "tree 20; bytes 8000000 > \"$S/big\"", judge -> judge.script("""
                                if [[ -e $D/big ]]; then
                                    cmp -s "$S/big" "$D/big" || echo "an incomplete file has its name"
                                fi
                                [[ -e $D/d5/f5 ]] || echo "the other files are missing"
                                """))
                .from("$T/src")
                .under("strace -f -o \"$W/log\" -P \"$S/big\" -e trace=read,pread64,readv,preadv,copy_file_range,sendfile"
                        + " -e inject=read,pread64,readv,preadv:retval=0:when=2+"
                        + " -e inject=copy_file_range,sendfile:retval=0")
                .needing("strace")
                .expecting(Expected.TOLD);
    }

    // Uses the names that tools may pass, absolute and relative; the temporary files of some match only the directory.
    private static TrustCase metadata(String id, String calls) {
        return TrustCase.of(id, id + " fails", METADATA, judge -> judge.differences())
                .under(fail(calls, "EIO", "$D/d5", "$D/d5/f5", "d5", "d5/f5", "./d5", "./d5/f5"))
                .needing("root", "strace")
                .expecting(Expected.TOLD);
    }

    private static TrustCase lostWrites(String id, String title, Way way) {
        return TrustCase
                .of(id, title, """
                        mkdir -p "$S" "$W/thin" "$W/small"; for i in {1..40}; do bytes 1048576 > "$S/$i"; done
                        mount -t tmpfs -o size=20m thin "$W/thin"; truncate -s 100M "$W/thin/image"
                        mkfs.ext4 -q -O ^has_journal -E lazy_itable_init=1 "$W/thin/image"
                        mount -o loop "$W/thin/image" "$W/small"
                        """,
                        judge -> judge
                                .script("""
                                        cd /; sync -f "$W/small" 2>/dev/null; umount "$W/small"; mount -o loop,ro "$W/thin/image" "$W/small" 2>/dev/null
                                        n=0; for i in {1..40}; do cmp -s "$S/$i" "$D/$i" || n=$((n + 1)); done
                                        ((n == 0)) && echo "nothing was lost" || true
                                        """))
                .to("$W/small/dst")
                .by(way)
                .needing("root", "mkfs.ext4")
                .expecting(Expected.TOLD);
    }
}
