// SPDX-License-Identifier: Apache-2.0
package org.treehaul.arch;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** Checks that every package and type is marked as API or internal, and that the API names no internal type. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS) // All classes are imported once.
class MarksTest {

    private static final Path DOCS = Path.of(System.getProperty("treehaul.root")).resolve("docs");
    private static final Marks OURS = new Marks("org.treehaul");
    private static final Marks BAD = new Marks("org.treehaul.arch.bad");

    private final JavaClasses classes = ArchitectureTest.ours();
    private final JavaClasses bad = new ClassFileImporter().importPackages(BAD.root());

    @Test
    void everyPackageIsMarked() {
        assertThat(unmarked(OURS, classes)).isEmpty();
    }

    @Test
    void apiNamesApiOnly() {
        assertThat(leaks(OURS, classes)).isEmpty();
    }

    @Test
    void theExamplesUseApiOnly(@TempDir Path directory) throws IOException {
        List<Path> sources;
        try (Stream<Path> files = Files.walk(DOCS.resolve("examples"))) {
            sources = files.filter(file -> file.toString().endsWith(".java")).toList();
        }
        assertThat(sources).anyMatch(file -> file.endsWith("CopyByJobs.java"))
                .anyMatch(file -> file.endsWith("project/src/main/java/WalkTree.java"));
        assertThat(misuses(sources, directory)).isEmpty();
    }

    @Test
    void theGuideNamesEveryPackageWithApi() throws IOException {
        String guide = Files.readString(DOCS.resolve("guide/library.md"));
        assertThat(packagesWithApi())
                .allSatisfy(name -> assertThat(guide).contains("`" + name.substring("org.treehaul.".length()) + "`"));
    }

    @Test
    void unmarkedPackagesAreReported() {
        assertThat(unmarked(BAD, bad)).contains("org.treehaul.arch.bad.core.walk")
                .doesNotContain("org.treehaul.arch.bad.cli", "org.treehaul.arch.bad.core.fs.linux");
    }

    @Test
    void internalTypesInTheApiAreReported() {
        assertThat(leaks(BAD, bad)).anyMatch(leak -> leak.contains("strategies.StartsJobs.job()"))
                .anyMatch(leak -> leak.contains("strategies.StartsJobs names"))
                .anyMatch(leak -> leak.contains("event.Chicken.laid()") && leak.contains("event.Egg"))
                .noneMatch(leak -> leak.contains("event.Nest"))
                .noneMatch(leak -> leak.contains("copy.Copier"));
    }

    @Test
    void programsThatUseMoreAreReported(@TempDir Path directory) throws IOException {
        Path program = Files.writeString(directory.resolve("Program.java"), """
                import org.treehaul.core.copy.TreeCopier;
                import org.treehaul.core.state.Host;
                import org.treehaul.core.transfer.directory.TransferDirectory;

                class Program {
                    static String name() throws Exception {
                        return Host.name();
                    }

                    static Object generations(TransferDirectory transfer) {
                        return transfer.generations();
                    }

                    static Object copier(org.treehaul.core.fs.FileSystemCalls calls) {
                        return TreeCopier.of(calls, org.treehaul.core.copy.options.CopyOptions.archive().build());
                    }
                }
                """);
        assertThat(misuses(List.of(program), directory)).anyMatch(use -> use.contains("core.state.Host"))
                .anyMatch(use -> use.contains("TransferDirectory.generations()"))
                .noneMatch(use -> use.contains("TreeCopier"));
    }

    private static Set<String> unmarked(Marks marks, JavaClasses types) {
        Set<String> names = new TreeSet<>();
        for (JavaClass type : types) {
            if (!type.getSimpleName().equals("package-info") && !marks.isMarked(type)) {
                names.add(type.getPackageName());
            }
        }
        return names;
    }

    private static List<String> leaks(Marks marks, JavaClasses types) {
        List<String> found = new ArrayList<>();
        for (JavaClass type : types) {
            if (marks.isApi(type)) {
                marks.leaks(type, (place, named) -> found.add(place + " names " + named.getName()));
            }
        }
        return found;
    }

    private List<String> misuses(List<Path> sources, Path directory) throws IOException {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        String path = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
            assertThat(
                    compiler.getTask(null, files, null, List.of("-proc:none", "-d", directory.toString(), "-cp", path),
                            null, files.getJavaFileObjectsFromPaths(sources)).call())
                    .isTrue();
        }
        List<String> found = new ArrayList<>();
        for (JavaClass user : new ClassFileImporter().importPath(directory)) {
            OURS.misuses(user, classes, (use, used) -> found.add(use + " uses " + used));
        }
        return found;
    }

    private Set<String> packagesWithApi() {
        Set<String> names = new TreeSet<>();
        for (JavaClass type : classes) {
            if (OURS.isApi(type) && !type.getSimpleName().equals("package-info")) {
                names.add(type.getPackageName());
            }
        }
        return names;
    }
}
