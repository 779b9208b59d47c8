// SPDX-License-Identifier: Apache-2.0
package org.treehaul.peers;

import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The machine on which the report was made.
 *
 * @param system operating system and kernel
 * @param fileSystems kinds of the file systems copied from and to
 * @param versions the first line of each tool's version output
 */
record Machine(String system, String fileSystems, Map<String, String> versions) {

    static Machine of(List<Tool> tools, Path jar) throws IOException, InterruptedException {
        Path temporary = Path.of(System.getProperty("java.io.tmpdir"));
        Shell shell = new Shell(temporary, Path.of("/dev/shm"), jar, "''", "''");
        String system = shell.run("(. /etc/os-release && printf '%s, ' \"$PRETTY_NAME\"); uname -srm").strip();
        String fileSystems = shell
                .run("printf '%s on disk, %s in memory' $(df --output=fstype \"$W\" \"$T\" | tail -n 2)")
                .strip();
        Map<String, String> versions = new LinkedHashMap<>();
        for (Tool tool : tools) {
            versions.put(tool.name(), shell.run(tool.version() + " 2>&1 | head -n 1").strip());
        }
        versions.put("judge", shell.run("find --version | head -n 1").strip());
        versions.put("strace", shell.run("strace --version | head -n 1").strip());
        versions.put("Java", System.getProperty("java.vm.version"));
        return new Machine(system, fileSystems, versions);
    }
}
