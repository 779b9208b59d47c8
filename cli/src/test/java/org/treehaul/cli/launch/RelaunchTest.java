// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.launch;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.junit.jupiter.api.Test;

class RelaunchTest {
    private static final String[] CP = {"cp"};

    @Test
    void jvmOptionsOfTheUserArePassedOn() {
        assertThat(Relaunch.options(CP, List.of("-Da=b c", "-Xmx1g", "-XX:+UseStringDeduplication"), Map.of()))
                .containsSubsequence("-XX:+UseSerialGC", "-Da=b c", "-Xmx1g", "-XX:+UseStringDeduplication");
    }

    @Test
    void theChildIsStartedAsByTheScriptUnlessTheUserSaysOtherwise() {
        assertThat(Relaunch.options(CP, List.of("-Xmn64m"), Map.of()))
                .containsSubsequence("-XX:FreqInlineSize=35", "-Xmn64m")
                .containsSubsequence("-Xmn14m", "-Xmn64m");
    }

    @Test
    void theSameCommandsAsByTheScriptRunWithoutTheOptimizingCompiler() throws IOException {
        String option = "-XX:TieredStopAtLevel=1";
        Matcher inScript = Pattern.compile("(?m)^ +(rm \\| [a-z| ]+)\\)$")
                .matcher(Files.readString(Path.of("../treehaul")));
        assertThat(inScript.find()).isTrue();
        for (String command : inScript.group(1).split(" \\| ", -1)) {
            assertThat(Relaunch.options(new String[]{command}, List.of("-XX:TieredStopAtLevel=4"), Map.of()))
                    .containsSubsequence(option, "-XX:C1MaxInlineLevel=20", "-XX:Tier3LoadFeedback=1000",
                            "-XX:TieredStopAtLevel=4");
        }
        for (String command : List.of("cp", "sync", "mv", "", "/bin/rm")) {
            assertThat(Relaunch.options(new String[]{command}, List.of(), Map.of())).doesNotContain(option);
        }
    }

    @Test
    void theStatusOfManyBatchesIsReadWithoutTheOptimizingCompiler() throws IOException {
        assertThat(Files.readString(Path.of("../treehaul")))
                .containsPattern("status\\)\\s+compiler=.*TieredStopAtLevel=1");
        assertThat(Relaunch.options(new String[]{"status", "last"}, List.of(), Map.of()))
                .contains("-XX:TieredStopAtLevel=1");
    }

    @Test
    void aStageNeedsTheOptimizingCompilerToEncrypt() {
        assertThat(Relaunch.options(new String[]{"stage", "in", "/tree", "job:"}, List.of(), Map.of()))
                .contains("-XX:TieredStopAtLevel=1");
        assertThat(Relaunch.options(new String[]{"stage", "in", "--tls", "/tree", "job:"}, List.of(), Map.of()))
                .doesNotContain("-XX:TieredStopAtLevel=1");
        assertThat(Relaunch.options(new String[]{"serve", "--directory", "/d"}, List.of(), Map.of()))
                .containsSubsequence("-XX:CompileThresholdScaling=4", "-XX:TieredStopAtLevel=1",
                        "-XX:CompileThresholdScaling=0.3");
        assertThat(Relaunch.options(new String[]{"serve", "--tls-cert=c", "--tls-key=k"}, List.of(), Map.of()))
                .doesNotContain("-XX:TieredStopAtLevel=1")
                .contains("-XX:CompileThresholdScaling=0.3");
    }

    @Test
    void commandsThatDoMuchForEachEntryRunWithTheOptimizingCompiler() throws IOException {
        Matcher inScript = Pattern.compile("(?m)^ +([*' a-z|-]+--json[*' a-z|-]+)\\) ;;$")
                .matcher(Files.readString(Path.of("../treehaul")));
        assertThat(inScript.find()).isTrue();
        for (String option : inScript.group(1).replaceAll("[*' ]", "").split("\\|", -1)) {
            assertThat(Relaunch.options(new String[]{"walk", "/tree", option + "=x"}, List.of(), Map.of()))
                    .doesNotContain("-XX:TieredStopAtLevel=1");
        }
    }

    @Test
    void jvmOptionsOfOneProcessAreNotPassedOn() {
        assertThat(Relaunch.options(CP,
                List.of("-agentlib:jdwp=server=y", "-Xrunjdwp:server=y", "-Xshare:off", "-XX:SharedArchiveFile=x.jsa",
                        "-XX:AOTCache=x.aot", "--add-opens=java.base/java.lang=ALL-UNNAMED"),
                Map.of())).noneMatch(option -> option.matches("-agent.*|-Xrun.*|-Xshare.*|-XX:(Shared|AOT).*|--add.*"));
    }

    @Test
    void aCollectorThatTheUserNamesReplacesOurs() {
        assertThat(Relaunch.options(CP, List.of("-XX:+UseG1GC"), Map.of())).contains("-XX:+UseG1GC")
                .doesNotContain("-XX:+UseSerialGC");
        assertThat(Relaunch.options(CP, List.of(), Map.of("JDK_JAVA_OPTIONS", "-Xmx1g -XX:+UseZGC")))
                .doesNotContain("-XX:+UseSerialGC");
        assertThat(Relaunch.options(CP, List.of(), Map.of("JAVA_TOOL_OPTIONS", "-Xmx1g"))).contains("-XX:+UseSerialGC");
    }

    @Test
    void theAdviceNamesTheFindingTheRequirementAndTheRemedy() {
        assertThat(Relaunch.advice("17.0.15", "/usr/lib/jvm/old", "JAVA_HOME (not set), PATH")).contains(
                "needs Java 25 or newer", "17.0.15 (/usr/lib/jvm/old)", "JAVA_HOME (not set), PATH", "apt-get install",
                "JAVA_HOME=/path/to/jdk-25 java -jar treehaul.jar");
    }
}
