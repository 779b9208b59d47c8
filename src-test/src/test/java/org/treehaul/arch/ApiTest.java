// SPDX-License-Identifier: Apache-2.0
package org.treehaul.arch;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Compares the API with the committed files in {@code src-test/api}, so that no release changes it unnoticed. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS) // All classes are imported once.
class ApiTest {

    private static final Path ROOT = Path.of(System.getProperty("treehaul.root"));
    private static final Marks OURS = new Marks("org.treehaul");
    private static final Marks SAMPLE = new Marks("org.treehaul.arch.sample");
    private static final ApiGate GATE = new ApiGate("src-test/api/sample.txt");

    private final JavaClasses classes = ArchitectureTest.ours();
    private final List<String> sample = Signatures.of(SAMPLE, new ClassFileImporter().importPackages(SAMPLE.root()),
            SAMPLE.root());

    @ParameterizedTest
    @ValueSource(strings = {"core", "strategies", "tuplespace", "schedulers"})
    void theApiHasTheSignaturesOfTheFile(String module) throws IOException {
        ApiGate gate = new ApiGate("src-test/api/treehaul-" + module + ".txt");
        Path file = ROOT.resolve(gate.file());
        List<String> found = Signatures.of(OURS, classes, OURS.root() + "." + module);
        assertThat(found).isNotEmpty();
        if (Boolean.getBoolean(ApiGate.UPDATE)) {
            Files.write(file, found);
        }
        assertThat(gate.complaint(Files.readAllLines(file), found).orElse("")).isEmpty();
    }

    @Test
    void aSignatureHasEverythingThatAProgramCanDependOn() {
        assertThat(sample)
                .containsExactly(
                        "sealed interface arch.sample.Shape<T extends Comparable<T>> extends java.io.Serializable"
                                + " permits arch.sample.Shape$Circle",
                        "    static final int CORNERS = 4",
                        "    abstract <E extends Exception> @Nullable T largest(java.util.List<? super T>, int[])"
                                + " throws E, java.io.IOException",
                        "    default java.util.Map<String, @Nullable T> named()",
                        "record arch.sample.Shape$Circle(@Nullable String name, long radius)"
                                + " implements arch.sample.Shape<String>",
                        "    Circle(@Nullable String, long)", "    int hidden()",
                        "    <E extends Exception> @Nullable String largest(java.util.List<? super String>, int[])",
                        "    @Nullable String name()", "    long radius()", "enum arch.sample.Shape$Kind", "    ROUND",
                        "    EDGED");
    }

    @Test
    void anEqualApiPasses() {
        assertThat(GATE.complaint(sample, sample)).isEmpty();
    }

    @Test
    void aRemovedSignatureFails() {
        assertThat(complaint(sample, without("CORNERS"))).startsWith("Programs that use the API break")
                .contains("- arch.sample.Shape: static final int CORNERS = 4", "CHANGELOG.md",
                        "-Dtreehaul.api.update=true", GATE.file());
    }

    @Test
    void aChangedSignatureFails() {
        List<String> changed = replaced(sample, "long radius()", "int radius()");
        assertThat(complaint(sample, changed)).startsWith("Programs that use the API break")
                .contains("- arch.sample.Shape$Circle: long radius()", "+ arch.sample.Shape$Circle: int radius()");
    }

    @Test
    void aNewSignatureFailsWithItsOwnMessage() {
        assertThat(complaint(without("CORNERS"), sample)).startsWith("New in the API:")
                .contains("CORNERS", "@Internal", GATE.file())
                .doesNotContain("CHANGELOG.md");
    }

    @Test
    void aNewAbstractMethodBreaksProgramsUnlessItsTypeIsSealed() {
        assertThat(complaint(without("largest"), sample)).startsWith("New in the API:");
        List<String> open = replaced(sample, "sealed ", "");
        assertThat(complaint(open.stream().filter(line -> !line.contains("abstract")).toList(), open))
                .startsWith("Programs that use the API break")
                .contains("largest");
    }

    @Test
    void aNewTypeWithAbstractMethodsBreaksNoProgram() {
        assertThat(complaint(List.of(), replaced(sample, "sealed ", ""))).startsWith("New in the API:");
    }

    private static String complaint(List<String> held, List<String> found) {
        return GATE.complaint(held, found).orElseThrow();
    }

    private static List<String> replaced(List<String> lines, String text, String other) {
        return lines.stream().map(line -> line.replace(text, other)).toList();
    }

    private List<String> without(String text) {
        return sample.stream().filter(line -> !line.contains(text)).toList();
    }
}
