// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.fs.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;

import com.dynatrace.hash4j.hashing.HashStream128;
import com.dynatrace.hash4j.hashing.Hashing;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class XxHashLibraryTest {

    // Computes the right hash of no bytes, and a wrong one of others.
    private static final String SOURCE = """
            #include <stddef.h>
            typedef struct { unsigned long long low, high; } hash;
            unsigned XXH_versionNumber(void) { return VERSION; }
            hash XXH3_128bits(const void *data, size_t length) {
                hash of = {0x6001c324468d497fULL, 0x99aa06d3014798d8ULL + length};
                return of;
            }
            void *XXH3_createState(void) { static char state[64]; return state; }
            int XXH3_freeState(void *state) { return 0; }
            int XXH3_128bits_reset(void *state) { return 0; }
            int XXH3_128bits_update(void *state, const void *data, size_t length) { return 0; }
            hash XXH3_128bits_digest(const void *state) { return XXH3_128bits(0, 0); }
            """;

    @TempDir
    private Path dir;

    /** Runs in a JVM of its own: prints the problem. */
    static final class Probe {
        private Probe() {}

        public static void main(String[] arguments) {
            System.out.println(LinuxXxh3.problem().orElse("none"));
        }
    }

    @Test
    void theExpectedHashIsTheOneComputedInJava() {
        byte[] data = new byte[1 << 20];
        for (int i = 0; i < data.length; i++) {
            data[i] = (byte) (i % 251);
        }
        HashStream128 all = Hashing.xxh3_128().hashStream();
        for (int length : XxHashLibrary.LENGTHS) {
            all.putBytes(Hashing.xxh3_128().hashBytesTo128Bits(data, 0, length).toByteArray());
        }
        assertThat(HexFormat.of().formatHex(all.get().toByteArray())).isEqualTo(XxHashLibrary.EXPECTED);
    }

    @Test
    void aFileThatIsNoLibraryAndOneWithoutTheFunctionsAreRefused() throws IOException {
        Path zeros = Files.write(dir.resolve("libxxhash.so.0"), new byte[8192]);
        assertRefused(zeros.toString(), zeros + " cannot be loaded");
        Path empty = Files.write(dir.resolve("empty"), new byte[0]);
        assertRefused(empty.toString(), "cannot be loaded");
        assertRefused(dir + "/none", "cannot be loaded");
        assertRefused("libc.so.6", "has no function XXH");
        assertRefused("", "switched off");
    }

    private static void assertRefused(String file, String reason) {
        assertThatExceptionOfType(UnsatisfiedLinkError.class).isThrownBy(() -> XxHashLibrary.load(file))
                .withMessageContaining(reason);
    }

    @ParameterizedTest
    @CsvSource({"703, is older than 0.8.0", "801, computes other hashes"})
    void anOldLibraryAndOneThatComputesOtherHashesAreRefused(int version, String reason) throws Exception {
        Path source = Files.writeString(dir.resolve("fake.c"), SOURCE);
        Path library = dir.resolve("fake.so");
        Assumptions.assumeTrue(compile(source, library, "-DVERSION=" + version), "there is no C compiler");
        assertRefused(library.toString(), reason);
    }

    @Test
    void aProcessWhoseLibraryIsBrokenOrMayNotBeCalledSaysWhy() throws Exception {
        Files.write(dir.resolve("libxxhash.so.0"), new byte[8192]);
        assertThat(probe("--enable-native-access=ALL-UNNAMED")).endsWith("libxxhash.so.0 cannot be loaded");
        assertThat(probe("--illegal-native-access=deny")).contains("IllegalCallerException");
        assertThat(probe("--enable-native-access=ALL-UNNAMED", "-Dtreehaul.xxhash=")).contains("switched off");
    }

    private static boolean compile(Path source, Path library, String option) throws InterruptedException {
        try {
            return new ProcessBuilder("cc", "-shared", "-fPIC", option, "-o", library.toString(), source.toString())
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start()
                    .waitFor() == 0;
        } catch (IOException notThere) {
            return false;
        }
    }

    // Searches this directory first.
    private String probe(String... options) throws Exception {
        List<String> command = new ArrayList<>(
                List.of(Path.of(System.getProperty("java.home"), "bin/java").toString(), "-XX:TieredStopAtLevel=1",
                        "-cp", System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"))));
        command.addAll(Arrays.asList(options));
        command.add(Probe.class.getName());
        ProcessBuilder builder = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD);
        builder.environment().put("LD_LIBRARY_PATH", dir.toString());
        Process process = builder.start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).isZero();
        return output.strip();
    }
}
