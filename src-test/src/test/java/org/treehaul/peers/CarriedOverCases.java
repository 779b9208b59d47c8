// SPDX-License-Identifier: Apache-2.0
package org.treehaul.peers;

import java.util.List;

import org.treehaul.peers.Judge.Aspect;
import org.treehaul.peers.Tool.Way;

/** Cases of what a copy must contain besides names and data. */
final class CarriedOverCases {

    private CarriedOverCases() {}

    static List<TrustCase> all() {
        return List.of(TrustCase.of("hard-links", "hard links stay links, also across directories", """
                mkdir -p "$S/a" "$S/b"
                for i in {1..20}; do echo $i > "$S/a/$i"; ln "$S/a/$i" "$S/b/$i"; done
                ln -s nowhere "$S/a/link"; ln "$S/a/link" "$S/b/link"
                """, judge -> judge.differences(Aspect.LINKS)), TrustCase.of("sparse", "holes stay holes", """
                mkdir -p "$S"; truncate -s 100M "$S/all" "$S/some"
                bytes 4096 | dd of="$S/some" bs=4096 seek=5000 conv=notrunc status=none
                """, judge -> judge.differences(Aspect.HOLES)),
                TrustCase.of("times", "times of files, directories and symbolic links, to the nanosecond", """
                        tree 20; ln -s d1 "$S/link"; : > "$S/before"; touch -d '1969-07-20 20:17:40.5' "$S/before"
                        find "$S" -depth ! -name before -exec touch -h -d '2001-02-03 04:05:06.123456789' {} +
                        """,
                        judge -> judge.differences(Aspect.FILE_TIMES, Aspect.DIRECTORY_TIMES, Aspect.SYMLINK_TIMES)),
                TrustCase.of("absurd-time", "mtime in the year 10^9 and 3000 years before 1970, on a tmpfs", """
                        mkdir -p "$S"; : > "$S/late"; : > "$S/early"
                        touch -d @36028797018963968 "$S/late"; touch -d @-95000000000 "$S/early"
                        [[ $(stat -c %Y "$S/late") == 36028797018963968 ]] || cannot this tmpfs does not hold such times
                        """, judge -> judge.differences(Aspect.FILE_TIMES)).from("$T/src").to("$T/dst"),
                TrustCase.of("owners-modes", "owners and modes, set-id bits and 0000 included", """
                        mkdir -p "$S/sticky" "$S/closed"
                        for m in 0000 0400 0640 4755 2755 6711; do
                            echo $m > "$S/$m"; chown 1234:4321 "$S/$m"; chmod $m "$S/$m"
                        done
                        ln -s x "$S/link"; chown -h 5:6 "$S/link"; chmod 1777 "$S/sticky"; chmod 0000 "$S/closed"
                        chown 7:8 "$S/sticky" "$S"
                        """, judge -> judge.differences(Aspect.MODE, Aspect.OWNER)).needing("root"),
                TrustCase.of("setuid-no-owner", "root copies without owners: no user's set-user-ID file becomes root's",
                        """
                                mkdir -p "$S"; echo x > "$S/tool"; chown 1234:4321 "$S/tool"; chmod 4755 "$S/tool"
                                """, judge -> judge.script("""
                                [[ $(stat -c '%u %a' "$D/tool") != "0 4"??? ]] || echo '!set-user-ID root'
                                """)).by(Way.NO_OWNERS).needing("root"),
                TrustCase.of("xattr", "extended attributes of the user, capabilities", """
                        tree 5; setfattr -n user.kind -v a "$S/d1/f1"; setfattr -n user.dir -v b "$S/d2"
                        setfattr -n security.capability -v 0x0100000200200000000000000000000000000000 "$S/d3/f3"
                        """, judge -> judge.differences(Aspect.ATTRIBUTES)).needing("root", "setfattr"),
                TrustCase.of("acl", "ACLs, default ACLs of directories", """
                        tree 5; setfacl -m u:1234:rw,g:4321:r "$S/d1/f1"; setfacl -d -m u:1234:rwx "$S/d2"
                        """, judge -> judge.differences(Aspect.ATTRIBUTES)).needing("setfacl", "getfattr"),
                TrustCase.of("default-acl", "a destination with a default ACL: the copy has the ACLs of its source", """
                        tree 5; mkdir "$D"; setfacl -d -m u:1234:rwx,g::rx "$D"
                        """, judge -> judge.differences(Aspect.ATTRIBUTES, Aspect.MODE)).needing("setfacl", "getfattr"),
                TrustCase.of("plain-default-acl",
                        "a plain recursive copy (`cp -r`) where a default ACL shuts out others: the copy does, too", """
                                tree 20; mkdir "$W/dst"; setfacl -d -m u:1234:rwx,g::rx,o::- "$W/dst"
                                """, judge -> judge.script("""
                                [[ -f $D/d5/f5 ]] || echo 'nothing was copied'
                                n=$(find "$D" -perm /o=rwx | wc -l); ((n == 0)) || echo "!$n open to others"
                                """)).to("$W/dst/new").by(Way.PLAIN).needing("setfacl"),
                aclFromTheFirstMoment(),
                TrustCase
                        .of("update-links", "hard links, of which older and newer names are at the destination",
                                """
                                        mkdir -p "$S" "$D"; cd "$S"; echo new > a; ln a b; ln a c; ln a d; touch -d 2001-01-01 a
                                        cd "$D"; echo 1 > a; ln a b; touch -d 2001-01-01 a; echo 2 > c; touch -d 2000-01-01 c; echo 3 > d
                                        """,
                                judge -> judge.script("""
                                        (($(stat -c %i "$D"/* | sort -u | wc -l) == 1)) || echo 'no longer hard links'
                                        """))
                        .by(Way.UPDATE),
                TrustCase.of("fifo", "a FIFO in the tree", """
                        tree 20; mkfifo "$S/d1/fifo"
                        """, judge -> judge.differences()),
                TrustCase
                        .of("devices", "a socket, devices",
                                """
                                        tree 20; mknod "$S/d1/null" c 1 3; mknod "$S/d1/block" b 7 200
                                        cd "$S/d2"; perl -MSocket -e 'socket(my $s, AF_UNIX, SOCK_STREAM, 0); bind($s, sockaddr_un("s"))'
                                        """,
                                judge -> judge.differences())
                        .needing("root", "perl"));
    }

    // Stopped after each call that sets a mode or an ACL: a member of the group, whom the ACL shuts out, tries to read.
    private static TrustCase aclFromTheFirstMoment() {
        String calls = "fchmod,?chmod,fchmodat,?fchmodat2,fsetxattr,setxattr,lsetxattr";
        return TrustCase.of("acl-window", "an ACL that shuts out the group holds from the first moment", """
                mkdir -p "$S"; echo secret > "$S/f"; chgrp 4321 "$S/f"
                setfacl -m u:1234:rw,g::-,m::rw "$S/f"; chmod 755 "$S"
                """, judge -> judge.script("[[ ! -e $W/read ]] || echo '!was open to the group for a moment'"))
                .under("strace -f -o \"$W/log\" -e trace=" + calls + " -e inject=" + calls + ":signal=SIGSTOP")
                .at("""
                        chmod 755 "$W" "$D"; for f in $(find "$D" -type f); do
                        setpriv --reuid 65534 --regid 4321 --clear-groups cat "$f" > "$W/got" 2>/dev/null
                        [[ ! -s $W/got ]] || echo > "$W/read"; done; exit 4
                        """)
                .needing("root", "strace", "setpriv", "setfacl");
    }
}
