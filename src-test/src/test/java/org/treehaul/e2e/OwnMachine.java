// SPDX-License-Identifier: Apache-2.0
package org.treehaul.e2e;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.treehaul.core.testing.Privilege;
import org.treehaul.packaged.Run;
import org.treehaul.programs.Programs;

/**
 * A machine for a page of the guide: a Debian with the programs of this one, but with users, settings, directories,
 * servers, processes and a network of its own. Namespaces of the kernel separate them, so nothing of this machine
 * changes, and nothing is left when it is closed.
 */
final class OwnMachine implements AutoCloseable {

    private static final String MARK = "== end of output ==";

    // Everything that changes is in memory. The functions do what the package and the service do: the package makes and
    // starts a server when it is installed.
    private static final String SETUP = """
            mount --make-rprivate /
            mount -t tmpfs -o mode=755 tmpfs /mnt && cp -a /etc/. /mnt && mount --move /mnt /etc
            rm -rf /etc/postgresql /etc/treehaul
            for user in alice bob; do userdel $user 2>/dev/null || groupdel $user 2>/dev/null || true; done
            for directory in /run /home /srv /usr/local/bin; do mount -t tmpfs -o mode=755 tmpfs $directory; done
            mount -t tmpfs -o mode=700 tmpfs /root
            mount -t tmpfs -o mode=755,uid=$(id -u postgres),gid=$(id -g postgres) tmpfs /var/lib/postgresql
            mount -t tmpfs -o mode=1775,gid=$(id -g postgres) tmpfs /var/log/postgresql
            install -d -o postgres -g postgres -m 2775 /run/postgresql
            cp '@JAR@' /usr/local/bin/treehaul.jar
            printf '#!/bin/sh\\nexec @JAVA@ -jar /usr/local/bin/treehaul.jar "$@"\\n' > /usr/local/bin/treehaul
            chmod 755 /usr/local/bin/treehaul
            hostname n01
            ip link set lo up
            apt() { pg_createcluster --start "$(ls /usr/lib/postgresql | sort -n | tail -n 1)" main; }
            systemctl() { pg_ctlcluster $(pg_lsclusters -h | cut -d ' ' -f 1,2) "$1"; }
            """;

    private final Process namespaces;
    private final Map<String, Shell> shells = new HashMap<>();

    /** Starts the machine; skips the test if that is not possible here. */
    OwnMachine() throws IOException {
        Privilege.requireRoot("a machine has users of its own");
        Privilege.requireCapability(Privilege.SYS_ADMIN, "a machine has mounts of its own");
        Programs.require("pg_createcluster", "postgresql-common");
        Programs.require("useradd", "passwd");
        Programs.require("ip", "iproute2");
        namespaces = start("unshare", "--mount", "--net", "--uts", "--ipc", "--pid", "--fork", "--kill-child",
                "--mount-proc", "bash", "--norc");
        Shell root = new Shell(namespaces);
        shells.put("root", root);
        String setup = SETUP.replace("@JAR@", Run.JAR.toRealPath().toString())
                .replace("@JAVA@", Run.JAVA + " -XX:+UseSerialGC -XX:TieredStopAtLevel=1");
        List<String> problems = root.run("set -e\n" + setup + "set +e");
        if (!problems.isEmpty()) {
            close();
            throw new IOException(String.join("\n", problems));
        }
    }

    private static Process start(String... command) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(command).directory(Path.of("/").toFile());
        builder.environment().clear();
        // As login(1) sets it for root.
        builder.environment()
                .putAll(Map.of("HOME", "/root", "PATH",
                        "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"));
        return builder.redirectErrorStream(true).start();
    }

    /** Runs commands; returns those that print something else than their page shows, with what they print. */
    List<String> differences(List<GuidePage.UserCommand> commands) throws IOException {
        List<String> different = new ArrayList<>();
        for (GuidePage.UserCommand command : commands) {
            List<String> output = run(command.user(), command.line());
            if (!Transcript.matches(command.output(), output)) {
                different.add(command.user() + "$ " + command.line() + "\n" + String.join("\n", output));
            }
        }
        return different;
    }

    /**
     * Runs a command in the shell of a user, which stays the same for all commands of that user.
     *
     * @param user {@code root}, or a user whom a command has made
     * @return the lines that it printed
     */
    List<String> run(String user, String command) throws IOException {
        Shell shell = shells.get(user);
        if (shell == null) {
            long inside = namespaces.children().findFirst().orElseThrow().pid();
            shell = new Shell(start("nsenter", "--target", String.valueOf(inside), "--mount", "--net", "--uts", "--ipc",
                    "--pid", "runuser", "--login", user));
            shells.put(user, shell);
        }
        return shell.run(command);
    }

    private static final class Shell {
        private final BufferedWriter in;
        private final BufferedReader out;

        Shell(Process process) {
            in = process.outputWriter(StandardCharsets.UTF_8);
            out = process.inputReader(StandardCharsets.UTF_8);
        }

        List<String> run(String command) throws IOException {
            in.write("{ " + command + "\n} </dev/null\necho '" + MARK + "'\n");
            in.flush();
            List<String> lines = new ArrayList<>();
            for (String line = out.readLine(); !MARK.equals(line); line = out.readLine()) {
                if (line == null) {
                    throw new IOException("the shell ended after: " + String.join("\n", lines));
                }
                lines.add(line);
            }
            return lines;
        }
    }

    /** Ends all processes of the machine, with which its namespaces disappear. */
    @Override
    public void close() {
        namespaces.descendants().forEach(ProcessHandle::destroyForcibly);
        namespaces.destroyForcibly();
    }
}
