// SPDX-License-Identifier: Apache-2.0
package org.treehaul.packaged;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The table of the campaigns that {@code ./check --all} prints. */
class CampaignTableTest {

    @TempDir
    private Path root;

    @SuppressWarnings("NullAway") // set by JUnit
    CampaignTableTest() {}

    @BeforeEach
    void copyScript() throws IOException {
        Files.copy(Run.ROOT.resolve("src-test/campaigns"),
                Files.createDirectories(root.resolve("src-test")).resolve("campaigns"));
    }

    private void source(String name, String text) throws IOException {
        write("m/src/test/java/org/treehaul/x/" + name + ".java", text);
    }

    private void report(String name, String cases) throws IOException {
        write("m/target/surefire-reports/TEST-org.treehaul.x." + name + ".xml",
                "<testsuite name=\"org.treehaul.x.%s\">%n%s</testsuite>%n".formatted(name,
                        cases.replace("<testcase ", "<testcase classname=\"org.treehaul.x." + name + "\" ")));
    }

    private void output(String name, String text) throws IOException {
        write("m/target/surefire-reports/org.treehaul.x." + name + "-output.txt", text);
    }

    private void write(String file, String text) throws IOException {
        Path path = root.resolve(file);
        Files.createDirectories(path.getParent());
        Files.writeString(path, text);
    }

    private String[] table() throws IOException, InterruptedException {
        Run run = Run.of("bash", root.resolve("src-test/campaigns")).expect(0);
        assertThat(run.err()).isEmpty();
        return run.out().replaceAll(" +", " ").split("\n");
    }

    private static String campaign(String method) {
        return "class A {\n    @Tag(\"campaign\")\n    @ParameterizedTest\n    void " + method
                + "(int i) {}\n\n    @Test\n    void other() {}\n}\n";
    }

    @Test
    void onlyTheCampaignsOfAClassAreCounted() throws Exception {
        source("ATest", campaign("kills"));
        report("ATest", """
                <testcase name="kills(int)[1] i=1" time="1,001.4"/>
                <testcase name="kills(int)[2] i=2" time="20.0"/>
                <testcase name="other" time="5000"/>
                """);
        output("ATest", "campaign: 200 cases\nseed 1\ncampaign: 200 cases\n");
        assertThat(table()).containsExactly("campaign tests cases seconds result", "x.ATest 2 400 1021 passed");
    }

    @Test
    void aTestThatPrintsNoCasesIsOneCase() throws Exception {
        source("ATest", campaign("kills"));
        report("ATest", "<testcase name=\"kills\" time=\"3\"/>\n");
        assertThat(table()).contains("x.ATest 1 1 3 passed");
    }

    @Test
    void failuresAndSkipsAreCountedAndTextThatATestPrintedIsNot() throws Exception {
        source("ATest", "@Tag(\"campaign\")\nclass ATest {}\n");
        report("ATest", """
                <testcase name="a" time="1">
                  <failure message="x"><![CDATA[at
                  <skipped/>
                  ]]></failure>
                </testcase>
                <testcase name="b" time="1"><error/></testcase>
                <testcase name="c" time="1"><skipped/></testcase>
                <testcase name="d" time="1"><system-out><![CDATA[<failure >]]></system-out></testcase>
                """);
        assertThat(table()).contains("x.ATest 4 4 4 2 failed, 1 skipped");
    }

    @Test
    void aCampaignThatDidNotRunIsNamed() throws Exception {
        source("ATest", campaign("kills"));
        source("BTest", "class BTest { void f() {} }\n");
        report("ATest", "<testcase name=\"other\" time=\"3\"/>\n");
        assertThat(table()).containsExactly("campaign tests cases seconds result", "x.ATest 0 0 0 not run");
    }

    @Test
    void theTriesOfAPropertyAreItsCases() throws Exception {
        source("ATest", campaign("programs"));
        report("ATest", "<testcase name=\"programs\" time=\"3\"/>\n<testcase name=\"few\" time=\"3\"/>\n");
        output("ATest", """
                timestamp = 2026-11-23T16:04:01, ATest:few =\s
                tries = 60                    | # of calls to property
                timestamp = 2026-11-23T16:04:01, ATest:programs =\s
                tries = 3000                  | # of calls to property
                """);
        assertThat(table()).contains("x.ATest 1 3000 3 passed");
    }
}
