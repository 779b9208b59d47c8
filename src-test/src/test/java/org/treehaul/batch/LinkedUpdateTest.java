// SPDX-License-Identifier: Apache-2.0
package org.treehaul.batch;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.treehaul.core.testing.Installed;

/**
 * Copies by {@code -au} and {@code -an} of hard-linked files, some of whose names exist in the destination: in one
 * process, by ranks and by jobs, with large files in chunks, the names become the same as with GNU cp.
 */
class LinkedUpdateTest extends LocalJobsTests {

    // With -u the name that a tool reads first decides; where names differ in age, only the groups are compared.
    private static final String SCRIPT = """
            set -e
            mkdir s
            head -c 3000000 /dev/urandom > s/x
            ln s/x s/y
            ln s/x s/z
            echo small > s/p
            ln s/p s/q
            ln s/p s/r
            touch -d 2024-05-01 s/x s/p
            newer() { head -c 3000000 /dev/zero > $1/x; ln $1/x $1/z; echo newer > $1/p; ln $1/p $1/q; ln $1/p $1/r; }
            older() { for f in x z p r; do echo old > $1/$f; touch -d 2020-01-01 $1/$f; done; }
            mixed() { cp -p s/x $1/x; echo newer > $1/z; cp -p s/p $1/p; echo newer > $1/r; }
            groups() {
                for f in x y z p q r; do
                    first=
                    for g in x y z p q r; do [ $1/$f -ef $1/$g ] && first=$first$g; done
                    case $OPTION$state in -umixed) echo $f $first; continue ;; esac
                    cmp -s s/$f $1/$f && echo $f $first source || echo $f $first other
                done
            }
            OPTION=@OPTION@
            for state in newer older mixed; do
                for d in gnu plain ranks jobs; do mkdir $state-$d; $state $state-$d; done
                cp -aT $OPTION s $state-gnu
                $T cp -aT $OPTION s $state-plain
                $T cp -aT $OPTION --ranks 2 s $state-ranks
                $T cp -aT $OPTION --scheduler local --jobs 2 --chunk-size 1M --wait s $state-jobs > id
                groups $state-gnu > expected
                for d in plain ranks jobs; do
                    groups $state-$d > found
                    diff expected found > difference || { echo $OPTION $state $d; cat difference; }
                done
            done >&3
            """;

    @Test
    void namesOfCopiesAreThoseOfGnuCp() throws Exception {
        update("-u");
    }

    @Test
    @Tag("rig")
    void namesOfCopiesAreThoseOfGnuCpAlsoWhereExistingFilesStay() throws Exception {
        update("-n");
    }

    private void update(String option) throws Exception {
        Installed.require("cp");
        cli.warmly("exec 3> differences\n" + SCRIPT.replace("@OPTION@", option)).expect(0);
        assertThat(cli.resolve("differences")).content().isEmpty();
    }
}
