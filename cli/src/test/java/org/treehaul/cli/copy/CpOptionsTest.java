// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.copy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.treehaul.cli.CommandLines;
import org.treehaul.core.copy.options.Backup;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.copy.options.Preserve;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.walk.options.Symlinks;
import picocli.CommandLine;

class CpOptionsTest {

    private static CpInput parse(String line) {
        CommandLine all = CommandLines.all();
        all.parseArgs(("cp " + line).trim().split(" +"));
        CpCommand command = Objects.requireNonNull(all.getSubcommands().get("cp")).getCommand();
        return command.input;
    }

    private static CopyOptions options(String line) {
        return parse(line).cp.toBuilder().build();
    }

    private static List<String> operands(String line) {
        return parse(line).operands.stream().map(ByteString::toString).toList();
    }

    @Test
    void withoutOptionsLinksAreFollowedAndNothingIsPreserved() {
        CopyOptions options = options("a b");
        assertThat(options.symlinks()).isEqualTo(Symlinks.ALWAYS);
        assertThat(options.recursive()).isFalse();
        assertThat(options.preserve()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"-r,NEVER", "-R,NEVER", "-rL,ALWAYS", "-Lr,ALWAYS", "-rH,ROOTS", "-rLP,NEVER", "-P,NEVER", "-a,NEVER",
            "-aL,ALWAYS", "-La,NEVER", "-d,NEVER", "-p,ALWAYS"})
    void theLastOptionAboutLinksWins(String option, Symlinks expected) {
        assertThat(options(option).symlinks()).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {"-p|MODE,ACL,OWNERSHIP,TIMESTAMPS|", "-d|LINKS|", "-a|MODE,OWNERSHIP,TIMESTAMPS,LINKS,XATTR,ACL|",
                    "--preserve|MODE,ACL,OWNERSHIP,TIMESTAMPS|MODE,ACL,OWNERSHIP,TIMESTAMPS",
                    "--preserve=all|MODE,OWNERSHIP,TIMESTAMPS,LINKS,XATTR,ACL|",
                    "--preserve=links,xattr|LINKS,XATTR|LINKS,XATTR", "--preserve=link,x|LINKS,XATTR|LINKS,XATTR",
                    "--preserve=a|MODE,OWNERSHIP,TIMESTAMPS,LINKS,XATTR,ACL|", "--preserve=ac|ACL|ACL",
                    "-a --preserve=ownership|MODE,OWNERSHIP,TIMESTAMPS,LINKS,XATTR,ACL|OWNERSHIP",
                    "-a --no-preserve=ownership,xattr|MODE,TIMESTAMPS,LINKS,ACL|",
                    "--no-preserve=ownership -a|MODE,OWNERSHIP,TIMESTAMPS,LINKS,XATTR,ACL|",
                    "-p --no-preserve=acl|MODE,OWNERSHIP,TIMESTAMPS|", "-p --no-preserve=all||"})
    void preserveOptionsAddUpInTheOrderGiven(String line, String preserved, String required) {
        CopyOptions options = options(line);
        assertThat(options.preserve()).isEqualTo(set(preserved));
        assertThat(options.required()).isEqualTo(set(required));
    }

    private static EnumSet<Preserve> set(String words) {
        EnumSet<Preserve> set = EnumSet.noneOf(Preserve.class);
        if (words != null) {
            Arrays.stream(words.split(",")).map(Preserve::valueOf).forEach(set::add);
        }
        return set;
    }

    @ParameterizedTest
    @CsvSource({"-n,SKIP", "-u,UPDATE", "-nu,SKIP", "-un,SKIP", "--update=none,SKIP", "--update,UPDATE",
            "-n --update=all,REPLACE"})
    void theLastOptionAboutExistingFilesWins(String line, CopyOptions.Existing expected) {
        assertThat(options(line).existing()).isEqualTo(expected);
    }

    @Test
    void anOptionalValueIsTakenOnlyWhenAttached() {
        assertThat(operands("--preserve a b")).containsExactly("a", "b");
        assertThat(operands("--verify a b")).containsExactly("a", "b");
        assertThat(operands("-u a b")).containsExactly("a", "b");
        assertThat(operands("a b --reflink")).containsExactly("a", "b");
        assertThat(options("--verify=sha256 a b").verify()).isEqualTo(CopyOptions.Verify.SHA256);
        assertThat(options("--verify a b").verify()).isEqualTo(CopyOptions.Verify.XXH3);
        assertThat(options("--reflink a b").reflink()).isEqualTo(CopyOptions.When.ALWAYS);
    }

    @Test
    void shortOptionsCombineAndTwoDashesEndThem() {
        CpInput command = parse("-aTv -- -x --json");
        assertThat(command.cp.noTargetDirectory).isTrue();
        assertThat(command.common.verbosity()).isOne();
        assertThat(operands("-aTv -- -x --json")).containsExactly("-x", "--json");
        assertThat(parse("-atdir a").cp.targetDirectory).isEqualTo(ByteString.of("dir"));
        assertThat(parse("-at dir a").cp.targetDirectory).isEqualTo(ByteString.of("dir"));
        assertThat(options("-ua").existing()).isEqualTo(CopyOptions.Existing.UPDATE);
        assertThat(options("-ua").recursive()).isTrue();
        assertThat(parse("a -t dir b").operands).hasSize(2);
    }

    @ParameterizedTest
    @CsvSource({"-b,EXISTING,~", "--backup,EXISTING,~", "--backup=t,NUMBERED,~", "--backup=num -b,NUMBERED,~",
            "--backup=off,NONE,~", "--backup=nev,SIMPLE,~", "-S .x,EXISTING,.x", "--suffix=a/b -b,EXISTING,~",
            "-abS.x,EXISTING,.x", "-a,NONE,~"})
    void backupsAreNamedAsByGnuCp(String line, Backup.Control control, String suffix) {
        Backup backup = options(line).backup();
        assertThat(backup.control()).isEqualTo(control);
        assertThat(backup.suffix()).hasToString(suffix);
    }

    @ParameterizedTest
    @CsvSource({"-l,HARD_LINK,ALWAYS", "-rl,HARD_LINK,ALWAYS", "-al,HARD_LINK,NEVER", "-s,SYMBOLIC_LINK,ALWAYS",
            "-rs,SYMBOLIC_LINK,NEVER", "-r,COPY,NEVER"})
    void linksFollowAsWithGnuCp(String line, CopyOptions.Form form, Symlinks symlinks) {
        assertThat(options(line).form()).isEqualTo(form);
        assertThat(options(line).symlinks()).isEqualTo(symlinks);
    }

    @ParameterizedTest
    @CsvSource({"--no-preserve=mode,true", "--no-preserve=all,true", "-a --no-preserve=mode,true",
            "--no-preserve=mode --preserve=mode,false", "--no-preserve=links,false", "-r,false"})
    void modesThatAreRefusedByNameAreThoseOfNewFiles(String line, boolean expected) {
        assertThat(options(line).newModes()).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource({"-i,true", "-ni,true", "-in,false", "-if,true", "-iu,true", "-i --dry-run,false"})
    void theLastOfAskingAndNoClobberWins(String line, boolean asks) {
        assertThat(parse(line).cp.asks()).isEqualTo(asks);
    }

    @ParameterizedTest
    @CsvSource({"-i,-i asks", "-b,--backup=numbered", "--backup=simple,--backup=numbered", "-s,-s cannot be combined",
            "--copy-contents,--copy-contents cannot be combined"})
    void optionsThatJobsCannotCarryOutAreRefused(String line, String said) {
        assertThatThrownBy(() -> parse(line).cp.checkForJobs()).hasMessageContaining(said);
        parse("-lf --backup=t").cp.checkForJobs();
    }

    @Test
    void aPathMayLookLikeAnything() {
        assertThat(operands("@a $(b) - a=b 'c' \"d\" ${sys:user.home}")).containsExactly("@a", "$(b)", "-", "a=b",
                "'c'", "\"d\"", "${sys:user.home}");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"--preserve=foo a b", "--preserve= a b", "--preserve=context a b", "--no-preserve=y a b",
                    "--verify=md5 a b", "--update=x a b", "--sparse a b", "--sparse=x a b", "--backup=n a b",
                    "--backup=x a b", "--reflink=x a b", "--bandwidth=fast a b", "--chunk-size=1X a b",
                    "--threads=x a b", "--foo a b", "-Z a b", "-t"})
    void badValuesAreRefused(String line) {
        assertThatThrownBy(() -> parse(line)).isInstanceOf(CommandLine.ParameterException.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"--bandwidth=0 a b", "--chunk-size=1K a b", "--reflink=always --sparse=never a b",
                    "--in-place --remove-destination a b", "-ls a b", "-bn a b"})
    void optionsThatMakeNoSenseAreRefused(String line) {
        assertThatThrownBy(() -> options(line)).isInstanceOf(IllegalArgumentException.class);
    }
}
