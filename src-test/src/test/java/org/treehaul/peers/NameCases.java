// SPDX-License-Identifier: Apache-2.0
package org.treehaul.peers;

import java.io.IOException;
import java.util.List;
import java.util.stream.Stream;

import org.treehaul.peers.Verdict.Expected;

/** Cases of names and shapes of trees. All run in the C locale. */
final class NameCases {

    private static final String DEEP = """
            n=$(find "$S" -printf x | wc -c); m=$(find "$D" -printf x 2>/dev/null | wc -c)
            [[ $n == "$m" ]] || echo "$m of $n entries"
            cmp -s <(find "$S" -name bottom -execdir cat {} +) <(find "$D" -name bottom -execdir cat {} + 2>/dev/null) \\
                || echo "the file at the bottom is not there"
            """;

    private NameCases() {}

    static List<TrustCase> all() {
        return List.of(TrustCase.of("shell-names", "names `$(touch PW)`, quotes, backquotes, newlines, `-rf`, `*`", """
                mkdir -p "$S"
                for n in '$(touch PW)' '`touch PW`' "it's" 'a"b' $'new\\nline' '; touch PW' -rf '*' ' ' 'a\\b' '~'; do
                    mkdir "$S/d$n"; echo "$n" > "$S/d$n/$n"; echo "$n" > "$S/$n"
                done
                """, NameCases::noCommandRan),
                TrustCase
                        .of("shell-source", "the source directory itself is called `$(touch PW)`", "tree 20",
                                NameCases::noCommandRan)
                        .from("$W/'$(touch PW)'"),
                TrustCase
                        .of("quote-source", "the source directory is called `it's`", "tree 20",
                                judge -> judge.differences())
                        .from("$W/\"it's\""),
                TrustCase.of("bytes", "names that are no UTF-8, and every byte a name can hold", """
                        mkdir -p "$S"
                        for i in {1..255}; do
                            n=$(printf "\\\\x$(printf %x $i)x"); [[ $n == /x ]] || echo $i > "$S/$n"
                        done
                        echo 1 > "$S/"$'\\303\\274'; echo 2 > "$S/"$'\\374'; ln -s $'\\377\\376' "$S/link"
                        """, judge -> judge.differences()),
                TrustCase
                        .of("byte-arguments", "source and destination named in bytes that are no UTF-8", "tree 20",
                                judge -> judge.differences())
                        .from("$W/$'s\\377'")
                        .to("$W/$'d\\374'"),
                TrustCase.of("long-path", "a path of 5,000 bytes", """
                        mkdir -p "$S"; perl -e 'chdir $ENV{S}; for (1..25) { mkdir "d" x 199; chdir "d" x 199 }
                            open F, ">bottom"; print F "deep down"; close F'
                        """, judge -> judge.script(DEEP)).needing("perl"),
                TrustCase.of("deep", "10,000 directories one in the other", """
                        mkdir -p "$S"; perl -e 'chdir $ENV{S}; for (1..10000) { mkdir "d"; chdir "d" }
                            open F, ">bottom"; print F "deep down"; close F'
                        """, judge -> judge.script(DEEP)).from("$T/src").to("$T/dst").needing("perl"),
                TrustCase
                        .of("into-itself", "a directory into itself: refused, and nothing written", """
                                mkdir "$W/small"; mount -t tmpfs -o size=64m,nr_inodes=20000 small "$W/small"; tree 10
                                """,
                                judge -> judge
                                        .script("""
                                                n=$(find "$S/sub" -printf x 2>/dev/null | wc -c); ((n == 0)) || echo "wrote $n entries into the source"
                                                """))
                        .from("$W/small/src")
                        .to("$W/small/src/sub")
                        .needing("root")
                        .expecting(Expected.TOLD),
                TrustCase
                        .of("case", "names that differ in case only, onto a file system that does not distinguish them",
                                """
                                        truncate -s 20M "$W/image"; mkdir "$W/small"; mkfs.ext4 -q -O casefold "$W/image"
                                        mount -o loop "$W/image" "$W/small" 2>/dev/null || cannot this kernel has no such file system
                                        mkdir "$W/small/d"; chattr +F "$W/small/d"; mkdir -p "$S"; echo 1 > "$S/name"; echo 2 > "$S/NAME"
                                        """,
                                judge -> judge
                                        .script("""
                                                cmp -s "$S/name" "$D/name" || cmp -s "$S/NAME" "$D/name" || echo "neither file is there"
                                                """))
                        .to("$W/small/d/dst")
                        .needing("root", "mkfs.ext4", "chattr")
                        .expecting(Expected.TOLD));
    }

    private static List<String> noCommandRan(Judge judge) throws IOException, InterruptedException {
        List<String> ran = judge.script("[[ -z $(find \"$W\" -name PW) ]] || echo '!ran a command from a name'");
        return Stream.concat(ran.stream(), judge.differences().stream()).toList();
    }
}
