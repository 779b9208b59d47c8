// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.common;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Finishing is a single job of one process. */
class OneJobOptionsTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            quoteCharacter = '`',
            value = {
                    "slurm; -p fat -A \"a b\" --qos=high -C lustre --mem=8G; -p fat -A \"a b\" --qos=high -C lustre --mem=8G",
                    "slurm; --partition=gpu --gres=gpu:4 -N 8 --ntasks-per-node 4 -A x; --partition=gpu -A x",
                    "slurm; -N8 -t 1 --exclusive -A x -H; -A x", "slurm; --exclusive=user --time 10 --qos q; --qos q",
                    "slurm; -l something; -l something",
                    "openpbs; -q fat -A x -l select=2:ncpus=8:ngpus=4:mem=10gb,place=scatter -h; -q fat -A x -l select=1:mem=10gb",
                    "openpbs; -lwalltime=00:01:00 -P p; -P p",
                    "openpbs; -l ncpus=4,mem=1gb -W group_list=g; -l mem=1gb -W group_list=g",
                    "openpbs; -l select=4:host=n1+2:host=n2; -l select=1:host=n1",
                    "torque; -l nodes=4:ppn=8:big,walltime=10 -q x; -l nodes=1:big -q x",
                    "torque; -l nodes=n1+n2; -l nodes=n1"})
    void placeAndPayerAreKeptAndSizeAndTimeAreNot(String scheduler, String line, String kept) {
        assertThat(OneJobOptions.of(scheduler, List.of(line))).containsExactly(kept);
    }

    @Test
    void aLineOfWhichNothingIsLeftIsNone() {
        assertThat(OneJobOptions.of("slurm", List.of("--gpus=4", "-p a", "-H"))).containsExactly("-p a");
        assertThat(OneJobOptions.of("openpbs", List.of("-l select=4:ncpus=2"))).isEmpty();
    }
}
