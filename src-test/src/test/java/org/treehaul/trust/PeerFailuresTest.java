// SPDX-License-Identifier: Apache-2.0
package org.treehaul.trust;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.treehaul.core.testing.Privilege;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.e2e.WarmProgram;
import org.treehaul.packaged.Run;

/**
 * Failures seen in other programs that copy trees, applied to the packaged program: it must report them, and must not
 * take a part for the whole.
 */
@Timeout(300) // waiting for ever is one of the failures
class PeerFailuresTest {

    private static final String OTHER = "65534";

    private final TestDirectory directory = TestDirectory.onTmpfs();
    private final Path s = directory.resolve("s");
    private final Path t = directory.resolve("t");

    @AfterEach
    void remove() {
        directory.close();
    }

    /** Runs a script in the test's directory. */
    private Run sh(String script) throws Exception {
        return Run.of("sh", "-c", "cd \"$1\" && " + script, "sh", directory.path());
    }

    private Run treehaul(Object... arguments) throws Exception {
        return WarmProgram.run(directory.path(), Stream.of(arguments).map(Object::toString).toArray(String[]::new));
    }

    private Run asOther(Object... arguments) throws Exception {
        Privilege.requireRoot("it becomes another user");
        Path jar = directory.resolve("treehaul.jar");
        if (!Files.exists(jar)) {
            Run.copyOfJar(directory.path());
            sh("chmod 755 . && chown " + OTHER + " s && mkdir t && chown " + OTHER + " t").expect(0);
        }
        return Run.of(
                Run.command(List.of("setpriv", "--reuid", OTHER, "--regid", OTHER, "--clear-groups"), jar, arguments)
                        .toArray());
    }

    private static int mode(Path path) throws IOException {
        return (int) Files.getAttribute(path, "unix:mode") & 07777;
    }

    @Test
    void aListingThatEndsInAnErrorIsNoWholeDirectory() throws Exception {
        // The directory has more names than one call returns; then the next call fails.
        sh("mkdir -p s/d s/e && : > s/d/0 && touch -d 2001-02-03 s/e "
                + "&& seq 12000 | sed 's,^,s/d/a-name-of-some-length-,' | xargs touch && touch -d 2001-02-03 s/d")
                .expect(0);
        String fault = "error=EIO:when=2+";
        Path d = s.resolve("d");

        Run walk = Faulty.treehaul(d, "getdents64", fault, "walk", s).expect(23);
        assertThat(walk.err()).contains("s/d: getdents64: Input/output error");

        Run copy = Faulty.treehaul(d, "getdents64", fault, "cp", "-a", s, t).expect(23);
        assertThat(copy.err()).contains("s/d: getdents64: Input/output error");
        assertThat(t.resolve("d").toFile().list()).hasSizeBetween(1, 12000);
        assertThat(Files.getLastModifiedTime(t.resolve("d"))).isGreaterThan(Files.getLastModifiedTime(d));
        assertThat(Files.getLastModifiedTime(t.resolve("e"))).isEqualTo(Files.getLastModifiedTime(d));

        // The other side is complete: unlisted entries are neither missing nor extra.
        treehaul("cp", "-aT", s, t).expect(0);
        for (Path broken : List.of(d, t.resolve("d"))) {
            Run compared = Faulty.treehaul(broken, "getdents64", fault, "cmp", s, t).expect(2);
            assertThat(compared.out()).isEmpty();
            assertThat(compared.err()).contains("getdents64");
        }
        treehaul("cmp", s, t).expect(0);
    }

    @ParameterizedTest
    @ValueSource(strings = {"--in-place", "--threads=2"})
    void aFileOfWhichAPartFailedDoesNotLookDone(String option) throws Exception {
        sh("mkdir s t && head -c 5000000 /dev/urandom > s/f && printf old > t/f && touch -d 2001-02-03 s/f").expect(0);
        boolean isInPlace = option.equals("--in-place");
        String fault = "error=EIO:when=3+";
        // In place one thread writes to the file itself; otherwise several threads write chunks to an unnamed file.
        Run run = isInPlace
                ? Faulty.treehaul(t.resolve("f"), "write,pwrite64", fault, "cp", "-aT", "--reflink=never", option, s, t)
                : Faulty.treehaulAnywhere("pwrite64", fault, "cp", "-aT", "--chunk-size=1M", "--reflink=never", option,
                        s, t);
        assertThat(run.expect(23).err()).contains("t/f: write: Input/output error");
        assertThat(Files.getLastModifiedTime(t.resolve("f"))).isNotEqualTo(Files.getLastModifiedTime(s.resolve("f")));
        if (!isInPlace) {
            assertThat(t.resolve("f")).hasContent("old");
        }
        treehaul("cmp", s, t).expect(1);
        treehaul("cp", "-aT", s, t).expect(0);
        treehaul("cmp", "--content", s, t).expect(0);
    }

    @ParameterizedTest
    @ValueSource(strings = {"s/d/f3", "t/d/f3"})
    void oneFileThatFailsStopsNoOther(String bad) throws Exception {
        sh("mkdir -p s/d t && for i in 1 2 3 4 5 6; do echo $i > s/d/f$i; done").expect(0);
        Run run = Faulty
                .treehaul(directory.resolve(bad), "read,write,pread64,pwrite64,copy_file_range", "error=EIO", "cp",
                        "-aT", s, t)
                .expect(23);
        assertThat(run.err()).contains(bad + ": ").contains("Input/output error").contains("cp: ");
        assertThat(t.resolve("d").toFile().list()).containsExactlyInAnyOrder("f1", "f2", "f4", "f5", "f6");
    }

    @ParameterizedTest
    @CsvSource({"close,EDQUOT,Disk quota exceeded", "close,ENOSPC,No space left", "close,EIO,Input/output error"})
    void anErrorThatAppearsAtCloseCounts(String call, String error, String text) throws Exception {
        sh("mkdir s t && echo 1 > s/f && echo 2 > s/g").expect(0);
        Run run = Faulty.treehaul(t.resolve("f"), call, "error=" + error, "cp", "-aT", s, t).expect(23);
        assertThat(run.err()).contains("t/f: " + call + ": " + text);
        assertThat(t.resolve("f")).doesNotExist();
        assertThat(t.resolve("g")).exists();
    }

    @Test
    void anErrorThatAppearsAtFsyncCounts() throws Exception {
        sh("mkdir s && echo 1 > s/f && echo 2 > s/g").expect(0);
        Run run = Faulty.treehaul(t.resolve("f"), "fsync,fdatasync", "error=EDQUOT", "cp", "-a", "--fsync", s, t)
                .expect(23);
        assertThat(run.err()).contains("t/f: fsync: Disk quota exceeded");
        assertThat(t.resolve("f")).doesNotExist();
        assertThat(t.resolve("g")).exists();
    }

    @ParameterizedTest
    @CsvSource({"s/f,s/f,statx+openat,ENOENT,24", "t,t/f,unlinkat,EPERM,23", "t/f,t/f,fchownat+fchown,EPERM,23",
            "t/f,t/f,fchmod+fchmodat,EPERM,23", "t/f,t/f,utimensat,EPERM,23", "t,t,fchownat+fchown,EIO,23",
            "t,t,utimensat,EIO,23"})
    void noFailureOfACallEndsWithZero(String about, String path, String calls, String error, int code)
            throws Exception {
        Privilege.requireRoot("an ordinary user may fail to change an owner");
        sh("mkdir s t && echo 1 > s/f && echo 2 > s/g && chmod 4755 s/f && chown 1:2 s s/f").expect(0);
        boolean isRemoving = calls.equals("unlinkat");
        if (isRemoving) {
            sh("echo old > t/f").expect(0);
        }
        Run run = Faulty
                .treehaul(directory.resolve(about), calls.replace('+', ','), "error=" + error, "cp", "-aT",
                        isRemoving ? "--remove-destination" : "--recursive", s, t)
                .expect(code);
        assertThat(run.err()).contains(path + ": ").contains(error);
        assertThat(t.resolve("g")).exists();
    }

    @Test
    void unreadableEntriesAreReported() throws Exception {
        sh("mkdir -p s/shut s/open && echo 1 > s/shut/f && echo 2 > s/open/f && echo 3 > s/secret "
                + "&& chmod 0 s/shut s/secret").expect(0);
        Run copy = asOther("cp", "-rT", s, t).expect(23);
        assertThat(copy.err()).contains("s/shut: open: Permission denied", "s/secret: open: Permission denied");
        assertThat(t.resolve("open/f")).exists();
        assertThat(asOther("walk", s).expect(23).err()).contains("s/shut: open: Permission denied");
        sh("cp -a s all").expect(0);
        Run compared = asOther("cmp", "--content", s, directory.resolve("all")).expect(2);
        assertThat(compared.out()).isEmpty();
        assertThat(compared.err()).contains("shut", "Permission denied");
    }

    // As GNU cp makes it.
    @Test
    void aDirectoryThatCannotBeReadIsMade() throws Exception {
        Path copies = directory.resolve("copies");
        sh("mkdir -p s/shut copies && echo 1 > s/f && chmod 1711 s/shut && chmod 777 copies").expect(0);
        asOther("cp", "-rT", s, t).expect(23);
        asOther("cp", "-r", s.resolve("shut"), copies).expect(23);
        asOther("sync", s + "/", copies.resolve("synced")).expect(23);
        for (Path made : List.of(t.resolve("shut"), copies.resolve("shut"), copies.resolve("synced/shut"))) {
            assertThat(made).isEmptyDirectory();
        }
        try (TestDirectory elsewhere = TestDirectory.make()) {
            sh("chmod 777 " + elsewhere.path()).expect(0);
            asOther("mv", s, elsewhere.resolve("moved")).expect(23);
            assertThat(elsewhere.resolve("moved/shut")).isEmptyDirectory();
        }
        assertThat(mode(copies.resolve("shut"))).isEqualTo(01711);
        assertThat(mode(copies.resolve("synced/shut"))).isEqualTo(01711);
        assertThat(s.resolve("shut")).isDirectory();
        // Neither its content nor its times say that it is complete.
        assertThat(Files.getLastModifiedTime(copies.resolve("synced/shut")))
                .isGreaterThan(Files.getLastModifiedTime(s.resolve("shut")));
    }

    @Test
    @Tag("rig")
    void aDestinationThatMayNotBeSearchedIsNamedWithTheRemedy() throws Exception {
        sh("mkdir -p s shut/in && echo 1 > s/f && chmod 744 shut").expect(0);
        Path shut = directory.resolve("shut");
        for (List<Object> command : List.<List<Object>>of(List.of("cp", s.resolve("f"), shut),
                List.of("cp", "-r", s, shut.resolve("in/deep")), List.of("cp", "-rT", s, shut),
                List.of("sync", s + "/", shut), List.of("sync", s, shut), List.of("mv", t, shut))) {
            assertThat(asOther(command.toArray()).expect(2).err()).as("%s", command)
                    .contains("you may not search '" + shut + "'. Its owner permits it: chmod +x " + shut);
        }
    }

    @Test
    @Tag("rig")
    void aLimitOfFindCountsNoEntryThatFails() throws Exception {
        sh("mkdir -p s good shut && touch good/g1 good/g2 good/g3 && cd shut && touch g4 g5 g6 g7 g8 g9 && chmod 744 .")
                .expect(0);
        Path good = directory.resolve("good");
        Path shut = directory.resolve("shut");
        for (List<Path> roots : List.of(List.of(good, shut), List.of(shut, good))) {
            assertThat(asOther("find", "--threads", 1, roots.get(0), roots.get(1), "name=g[0-9]", "--printf",
                    "%s %f\\n", "--limit", 3).out()).hasLineCount(3).contains("0 g1\n", "0 g2\n", "0 g3\n");
        }
    }

    @Test
    void anEntryThatCannotBeReachedIsReportedOnce() throws Exception {
        sh("mkdir -p s/list/a s/list/b && echo 1 > s/list/f && chmod 744 s/list").expect(0);
        String errors = asOther("cp", "-rT", s, t).expect(23).err();
        for (String name : List.of("list/a", "list/b", "list/f")) {
            assertThat(errors).containsOnlyOnce(name + ":");
        }
        assertThat(errors).contains("3 failed");
    }

    @Test
    void aDifferenceIsNoSuccess() throws Exception {
        sh("mkdir s t && echo 1 > s/f && echo 2 > t/f && touch -r s/f t/f && touch -r s t").expect(0);
        assertThat(treehaul("cmp", "--content", s, t).expect(1).out()).contains("f: content differs");
    }

    @ParameterizedTest
    @CsvSource({"-r,0755", "-rp,6755", "-a,6755"})
    void setIdBitsAreCarriedOverOnlyWithTheOwner(String options, String expected) throws Exception {
        Privilege.requireRoot("it makes files of others");
        sh("mkdir s && echo 1 > s/small && head -c 300000 /dev/zero > s/large && chown 1234:4321 s/* && chmod 6755 s/*")
                .expect(0);
        // The second copy finds files that have the bits already, or not.
        for (int i = 0; i < 2; i++) {
            treehaul("cp", options, "-T", s, t).expect(0);
            assertThat(mode(t.resolve("small"))).isEqualTo(Integer.parseInt(expected, 8));
            assertThat(mode(t.resolve("large"))).isEqualTo(Integer.parseInt(expected, 8));
        }
    }

    @Test
    void aDirectoryIsNotCopiedIntoItself() throws Exception {
        sh("mkdir -p s/d && ln -s s link").expect(0);
        for (Path into : List.of(s.resolve("d/new"), directory.resolve("link/new"), directory.resolve("s/d/../n"), s)) {
            assertThat(treehaul("cp", "-r", s, into).expect(2).err()).containsAnyOf("into itself", "own destination",
                    "the same");
        }
        assertThat(sh("find s").out()).isEqualTo("s\ns/d\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"-r", "-a"})
    void aFifoIsCreatedAndNotRead(String options) throws Exception {
        sh("mkdir s && mkfifo s/fifo && echo 1 > s/f").expect(0);
        treehaul("cp", options, s, t).expect(0);
        assertThat(sh("[ -p t/fifo ] && cat t/f").expect(0).out()).isEqualTo("1\n");
        treehaul("cmp", "--content", "--ignore=times", s, t).expect(0);
    }

    @Test
    void noNameIsEverACommand() throws Exception {
        List<String> names = List.of("$(touch PW)", "`touch PW`", "; touch PW;", "a'b\"c", "new\nline", "-rf", "*", "~",
                "\\", " ", "'; touch PW; '", "\"; touch PW; \"");
        for (String name : names) {
            Path odd = Files.createDirectories(s.resolve(name).resolve(name));
            Files.writeString(odd.resolve(name), "data");
        }
        List<Object> copy = new ArrayList<>(
                List.of("sh", "-c", "cd \"$1/s\" && shift && exec \"$@\"", "sh", directory.path()));
        copy.addAll(Run.command(List.of(), Run.JAR, "cp", "-a", "-t", Files.createDirectory(t), "--"));
        copy.addAll(names);
        Run.of(copy.toArray()).expect(0);
        for (String name : names) {
            assertThat(t.resolve(name).resolve(name).resolve(name)).hasContent("data");
        }
        treehaul("cmp", "--content", "--ignore=times", s, t).expect(0);
        assertThat(sh("find . -name PW").out()).isEmpty();
        assertThat(Path.of("PW")).doesNotExist();
    }

    @Test
    @Tag("rig")
    void namesAreBytesInAnyLocale() throws Exception {
        Run run = Run
                .of("sh", "-c",
                        """
                                cd "$1" && export LC_ALL=C && name=$(printf '\\377\\376\\303\\274x') && mkdir "$name" && : > "$name/$name" \
                                && "$2" -jar "$3" cp -a "$name" copy-"$name" && [ -f copy-"$name/$name" ] \
                                && "$2" -jar "$3" cmp "$name" copy-"$name" && "$2" -jar "$3" walk -0 "$name" | tr '\\0' '\\n' | grep -c x
                                """,
                        "sh", directory.path(), Run.JAVA, Run.JAR)
                .expect(0);
        assertThat(run.out()).isEqualTo("2\n");
    }

    @Test
    void linksHolesAndTimesAreKept() throws Exception {
        sh("""
                mkdir -p s/a s/b && echo data > s/a/f && ln s/a/f s/b/g && ln s/a/f s/h && ln -s nowhere s/l \
                && truncate -s 50M s/sparse && printf end >> s/sparse && printf begin | dd of=s/sparse conv=notrunc 2> dd \
                && touch -h -d '2001-02-03 04:05:06.789012345' s/l && touch -d '1969-02-03' s/a/f \
                && touch -d '2002-03-04 05:06:07.123456789' s/a s/b s
                """)
                .expect(0);
        treehaul("cp", "-a", "--chunk-size=1M", s, t).expect(0);
        assertThat(sh("find t -samefile t/h | wc -l").out().trim()).isEqualTo("3");
        assertThat(Long.parseLong(sh("du -k t/sparse | cut -f1").out().trim())).isLessThan(1000);
        String times = "find . -printf '%P %y %T@\\n' | sort";
        assertThat(sh("cd t && " + times).out()).isEqualTo(sh("cd s && " + times).out());
        assertThat(sh("cmp s/sparse t/sparse").code()).isZero();
    }

    @Test
    void absurdTimesAreOnlyNumbers() throws Exception {
        // Among the usual file systems only tmpfs stores such times: 2^55 seconds.
        sh("mkdir s && : > s/f && ln -s f s/l && : > s/g && touch -d @36028797018963968 s/f && touch -hd @-1.5 s/l "
                + "&& touch -d @-36028797018963968 s/g && touch -d @36028797018963968 s").expect(0);
        assertThat(treehaul("walk", "--json", s).expect(0).out()).contains("36028797018963968");
        treehaul("cp", "-a", s, t).expect(0);
        treehaul("cmp", s, t).expect(0);
        sh("touch -d 2001-02-03 t/f").expect(0);
        assertThat(treehaul("cmp", s, t).expect(1).out()).startsWith("f: mtime 36028797018963968");
    }
}
