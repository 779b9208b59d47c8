// SPDX-License-Identifier: Apache-2.0
package org.treehaul.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.treehaul.e2e.GuidePage.UserCommand;
import org.treehaul.programs.Programs;

/** Runs the page about a stage on four nodes, line by line: each node has a network, a disk and an sshd of its own. */
@Tag("rig")
class StageOnNodesPageTest {

    // The nodes are at a bridge, as login is. They have the directories of login, but /srv.
    private static final String NODES = """
            ip link add br0 type bridge && ip addr add 10.77.0.254/24 dev br0 && ip link set br0 up
            hostname login
            mkdir -p /run/sshd /run/keys /etc/treehaul
            echo 'progress = never' > /etc/treehaul/config
            printf '127.0.0.1 localhost\\n10.77.0.254 login\\n' > /etc/hosts
            printf 'passwd: files\\ngroup: files\\nshadow: files\\nhosts: files\\n' > /etc/nsswitch.conf
            ssh-keygen -q -t ed25519 -N '' -f /run/keys/host
            printf '%s\\n' 'HostKey /run/keys/host' 'UsePAM no' 'PasswordAuthentication no' 'PidFile none' 'AllowUsers alice' > /run/keys/sshd
            for i in 1 2 3 4; do
                echo "10.77.0.$i n$i" >> /etc/hosts
                ip netns add n$i
                ip link add v$i type veth peer name eth0 netns n$i
                ip link set v$i master br0 up
                ip -n n$i addr add 10.77.0.$i/24 dev eth0
                ip -n n$i link set lo up
                ip -n n$i link set eth0 up
            done
            useradd -m -s /bin/bash alice
            usermod -p '*' alice
            runuser -u alice -- sh -c 'mkdir -m 700 ~/.ssh && cd ~/.ssh && ssh-keygen -q -t ed25519 -N "" -f id_ed25519 && cp id_ed25519.pub authorized_keys'
            for i in 1 2 3 4; do
                ip netns exec n$i unshare --uts --mount sh -c "hostname n$i && mount -t tmpfs -o mode=1777 tmpfs /srv && exec /usr/sbin/sshd -D -f /run/keys/sshd" < /dev/null > /run/keys/log$i 2>&1 &
                until ssh-keyscan -t ed25519 n$i 2> /dev/null | grep -q n$i; do sleep 0.1; done
                ssh-keyscan -t ed25519 n$i 2> /dev/null >> /run/keys/known
            done
            printf 'Host n?\\n  UserKnownHostsFile /run/keys/known\\n  BatchMode yes\\n' >> /etc/ssh/ssh_config
            cp @EXAMPLE@ ~alice/UpdateStaged.java
            for program in java javac; do ln -s @JAVA@/$program /usr/local/bin/$program; done
            """;

    @Test
    void theCommandsRunAsPrinted() throws Exception {
        Programs.require("sshd", "openssh-server");
        List<UserCommand> commands = GuidePage.named("stage-on-nodes.md").userCommands();
        assertThat(commands).hasSizeGreaterThan(25).extracting(UserCommand::user).contains("root", "alice");
        List<String> different;
        try (OwnMachine machine = new OwnMachine()) {
            Path root = Path.of(System.getProperty("treehaul.root")).toRealPath();
            assertThat(machine.run("root",
                    "set -e\n" + NODES.replace("@EXAMPLE@", root.resolve("docs/examples/UpdateStaged.java").toString())
                            .replace("@JAVA@", System.getProperty("java.home") + "/bin") + "set +e"))
                    .isEmpty();
            different = machine.differences(commands);
        }
        assertThat(different).as("commands that print something else than the page shows").isEmpty();
    }
}
