// SPDX-License-Identifier: Apache-2.0
package org.treehaul.packaged;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.treehaul.core.testing.Privilege;

/** The packages that {@code ./package} makes with its options. */
@Tag("rig")
class PackageFormatsTest {
    @TempDir
    static Path made;

    private static Path classes;

    @TempDir
    Path dir;

    @BeforeAll
    static void makeThePackages() throws Exception {
        Optional<Path> script = Installation.script();
        assumeTrue(script.isPresent(), "this Java has no jlink");
        classes = script.get().resolve("../../lib/treehaul/treehaul.aot").normalize();
        List<Object> options = new ArrayList<>(List.of("--classes", classes));
        if (hasProgram("dpkg-deb")) {
            options.add("--deb");
        }
        if (hasProgram("rpmbuild")) {
            options.add("--rpm");
        }
        Installation.makePackage(made, options);
    }

    @Test
    void withTheSameArchiveOfClassesTwoPackagesAreTheSameInEveryByte() throws Exception {
        Installation.makePackage(dir, List.of("--classes", classes));
        assertThat(file(dir, ".tar.gz")).hasSameBinaryContentAs(file(made, ".tar.gz"));
    }

    @Test
    void theDebianPackageInstallsItBelowUsr() throws Exception {
        assumeTrue(hasProgram("dpkg-deb"), "no dpkg-deb");
        Privilege.requireRoot("an installation into a directory");
        Path deb = file(made, ".deb");
        assertThat(Run.of("dpkg-deb", "--info", deb).expect(0).out())
                .containsPattern("Version: 0\\.\\d+\\.\\d+(~\\w+)?\n")
                .containsPattern("Depends: libc6 \\(>= 2\\.\\d+\\)\n")
                .doesNotContain("postinst", "preinst", "postrm", "prerm");
        assertThat(Run.of("dpkg-deb", "--contents", deb).expect(0).out().lines()).allMatch(
                line -> line.matches("[-dl]rw[-x]r.[-x]r.[-x] root/root .* \\./(usr/((bin|lib|share)/.*)?)?"));
        Path records = Files.createDirectories(dir.resolve("var/lib/dpkg"));
        Files.createDirectory(records.resolve("updates"));
        Files.createDirectory(records.resolve("info"));
        Files.createFile(records.resolve("status"));
        // The directory has no C library.
        Run.of("dpkg", "--root=" + dir, "--force-depends", "-i", deb).expect(0);
        Run.of("sh", "-c", "cd \"$0\" && md5sum -c --quiet var/lib/dpkg/info/treehaul.md5sums", dir).expect(0);
        checkInstalled();
    }

    @Test
    void theRpmInstallsItBelowUsr() throws Exception {
        assumeTrue(hasProgram("rpmbuild"), "no rpmbuild");
        Privilege.requireRoot("an installation into a directory");
        Path rpm = file(made, ".rpm");
        assertThat(Run.of("rpm", "-qp", "--requires", rpm).expect(0).out()).contains("bash >= 4.2\n",
                "libc.so.6(GLIBC_2.");
        assertThat(Run.of("rpm", "-qp", "--scripts", rpm).expect(0).out()).isEmpty();
        Run.of("rpm", "--root", dir, "--nodeps", "-i", rpm).expect(0);
        checkInstalled();
    }

    private void checkInstalled() throws Exception {
        Path usr = dir.resolve("usr");
        Run run = Run
                .of(Map.of("PATH", "/usr/bin:/bin", "JDK_JAVA_OPTIONS", "-XX:AOTMode=on"), usr.resolve("bin/treehaul"),
                        "--version")
                .expect(0);
        assertThat(run.out()).startsWith("treehaul ");
        Run.of(Map.of("PATH", "/usr/bin:/bin", "JDK_JAVA_OPTIONS", "-XX:AOTMode=on"), usr.resolve("bin/treehaul"),
                "find", usr, "name=none").expect(0);
        Path pages = usr.resolve("share/man/man1");
        try (Stream<Path> all = Files.list(pages)) {
            assertThat(all.map(page -> page.getFileName().toString())).hasSizeGreaterThan(20)
                    .contains("treehaul.1.gz", "treehaul-cp.1.gz")
                    .allMatch(page -> page.endsWith(".1.gz"));
        }
        assertThat(Run.of("gzip", "-dc", pages.resolve("treehaul-cp.1.gz")).expect(0).out())
                .startsWith(".TH TREEHAUL\\-CP 1 ");
        assertThat(usr.resolve("share/bash-completion/completions/treehaul")).content().contains("--verify");
        assertThat(usr.resolve("share/fish/vendor_completions.d/treehaul.fish")).content().contains("verify");
    }

    private static boolean hasProgram(String name) throws Exception {
        return Run.of("sh", "-c", "command -v \"$0\"", name).code() == 0;
    }

    private static Path file(Path directory, String suffix) throws Exception {
        try (Stream<Path> files = Files.list(directory)) {
            return files.filter(file -> file.toString().endsWith(suffix)).findFirst().orElseThrow();
        }
    }
}
