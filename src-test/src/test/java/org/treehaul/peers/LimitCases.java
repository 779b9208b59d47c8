// SPDX-License-Identifier: Apache-2.0
package org.treehaul.peers;

import java.util.List;

import org.treehaul.peers.Tool.Way;
import org.treehaul.peers.Verdict.Expected;

/** Cases of little room, few descriptors, and a destination that is in the way. */
final class LimitCases {

    // A file under its final name must be the whole file.
    private static final String WHOLE = """
            n=0; m=0
            while IFS= read -r -d '' f; do
                if [[ ! -e $S/$f ]]; then m=$((m + 1)); elif ! cmp -s "$S/$f" "$D/$f"; then n=$((n + 1)); fi
            done < <(cd "$D" 2>/dev/null && find . -type f -print0)
            ((n == 0)) || echo "$n not whole under the final name"
            ((m == 0)) || echo "$m left under other names"
            """;

    private LimitCases() {}

    static List<TrustCase> all() {
        return List.of(
                TrustCase.of("descriptors", "64 open files at most; 100 directories one in the other, 1,200 files", """
                        tree 1200; p=$S; for i in {1..100}; do p=$p/d; done; mkdir -p "$p"; echo deep > "$p/bottom"
                        """, judge -> judge.differences()).under("ulimit -n 64;"),
                TrustCase.of("full", "a full disk (4 MB)", """
                        mkdir -p "$S" "$W/small"; for i in {1..40}; do bytes 300000 > "$S/$i"; done
                        mount -t tmpfs -o size=4m small "$W/small"
                        """, judge -> judge.script(WHOLE)).to("$W/small/dst").needing("root").expecting(Expected.TOLD),
                TrustCase.of("full-inodes", "a full inode table (40)", """
                        tree 100; mkdir -p "$W/small"; mount -t tmpfs -o size=4m,nr_inodes=40 small "$W/small"
                        """, judge -> judge.script(WHOLE)).to("$W/small/dst").needing("root").expecting(Expected.TOLD),
                TrustCase.of("read-only", "a destination mounted read-only", """
                        tree 20; mkdir -p "$W/small"; mount -t tmpfs -o ro small "$W/small"
                        """, judge -> List.of()).to("$W/small/dst").needing("root").expecting(Expected.TOLD),
                TrustCase.of("null-device", "one file to a device such as /dev/null: the device stays", """
                        echo data > "$S"; mknod "$D" c 1 3
                        """, judge -> judge.script("[[ -c $D ]] || echo '!replaced the device'"))
                        .by(Way.FILE)
                        .needing("root"),
                TrustCase.of("directory-link", "a directory goes where a symbolic link to a directory elsewhere is", """
                        tree 20; mkdir -p "$D" "$W/elsewhere"; ln -s "$W/elsewhere" "$D/d5"
                        """, judge -> judge.script("""
                        [[ -z $(ls -A "$W/elsewhere") ]] || echo '!wrote where the link leads'
                        """)).expecting(Expected.EITHER),
                TrustCase.of("link-onto-target", "a symbolic link goes where the file is that it leads to", """
                        tree 20; mkdir -p "$D/d5"; echo results > "$D/d5/f5"; rm "$S/d5/f5"; ln -s "$D/d5/f5" "$S/d5/f5"
                        """, judge -> judge.script("""
                        [[ $(cat "$D/d5/f5" 2>&1) == results ]] || echo '!the data are lost'
                        """)).expecting(Expected.EITHER),
                TrustCase.of("file-link", "a file goes where a symbolic link to a file elsewhere is", """
                        tree 20; mkdir -p "$D/d5"; echo precious > "$W/elsewhere"; ln -s "$W/elsewhere" "$D/d5/f5"
                        """, judge -> judge.script("""
                        [[ $(cat "$W/elsewhere") == precious ]] || echo '!wrote where the link leads'
                        """)).expecting(Expected.EITHER), TrustCase.of("attributes-only",
                        "with the option for attributes only, a link and a FIFO go where files are: the data stay", """
                                tree 20; mkdir -p "$D/d5" "$D/d6"; echo precious | tee "$D/d5/f5" > "$D/d6/f6"
                                rm "$S/d5/f5" "$S/d6/f6"; ln -s f15 "$S/d5/f5"; mkfifo "$S/d6/f6"
                                """, judge -> judge.script("""
                                n=0
                                for f in "$D/d5/f5" "$D/d6/f6"; do
                                    [[ -f $f && ! -L $f && $(cat "$f") == precious ]] || n=$((n + 1))
                                done
                                ((n == 0)) || echo "!the data of $n files are lost"
                                """)).by(Way.ATTRIBUTES).expecting(Expected.TOLD));
    }
}
