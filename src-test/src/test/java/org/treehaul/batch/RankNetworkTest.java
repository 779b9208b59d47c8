// SPDX-License-Identifier: Apache-2.0
package org.treehaul.batch;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.treehaul.core.testing.Privilege;
import org.treehaul.programs.Programs;

/**
 * A walk by two hosts: network namespaces with host names of their own, which resolve to 127.0.1.1 as on Debian, and a
 * cable between them.
 */
@Tag("rig")
class RankNetworkTest {

    private static final List<String> HOSTS = List.of("treehaul-a", "treehaul-b");

    private RankGroup group;
    private Path tree = Path.of("");

    @BeforeEach
    void makeHosts() throws Exception {
        Privilege.requireRoot("to make network namespaces");
        Programs.require("ip", "iproute2");
        RankGroup.requireMpj();
        for (int i = 0; i < 2; i++) {
            String host = HOSTS.get(i);
            assumeTrue(Programs.ask("ip", "netns", "add", host).code() == 0, "no network namespaces here");
            Files.createDirectories(etc(host));
            Files.writeString(etc(host).resolve("hosts"), "127.0.0.1 localhost\n127.0.1.1 " + host + "\n");
        }
        assumeTrue(Programs.ask("ip", "link", "add", "veth0", "netns", HOSTS.get(0), "type", "veth", "peer", "name",
                "veth0", "netns", HOSTS.get(1)).code() == 0, "no veth devices here");
        for (int i = 0; i < 2; i++) {
            ip(i, "link", "set", "lo", "up");
            ip(i, "addr", "add", "10.77.0." + (i + 1) + "/24", "dev", "veth0");
            ip(i, "link", "set", "veth0", "up");
        }
        group = new RankGroup();
        tree = group.tree();
    }

    private static Path etc(String host) {
        return Path.of("/etc/netns", host);
    }

    private static void ip(int host, String... arguments) {
        Object[] command = new Object[arguments.length + 3];
        System.arraycopy(new Object[]{"ip", "-n", HOSTS.get(host)}, 0, command, 0, 3);
        System.arraycopy(arguments, 0, command, 3, arguments.length);
        Programs.Said said = Programs.ask(command);
        if (said.code() != 0) {
            throw new IllegalStateException(said.text());
        }
    }

    @AfterEach
    void removeHosts() throws IOException {
        if (group != null) {
            group.close();
        }
        for (String host : HOSTS) {
            Programs.ask("ip", "netns", "del", host);
            Files.deleteIfExists(etc(host).resolve("hosts"));
            Files.deleteIfExists(etc(host));
        }
    }

    private void start(Object... rest) throws IOException {
        for (String host : HOSTS) {
            group.start(List.of("ip", "netns", "exec", host, "unshare", "--uts", "sh", "-c",
                    "hostname " + host + " && exec \"$@\"", "sh"), 2, rest);
        }
    }

    @Test
    @Tag("happy-path")
    void twoHostsWithLoopbackNamesGiveTheSumOfOne() throws Exception {
        start(tree);
        group.expectSummary(tree);
    }

    @Test
    void whenTheRankOfOneHostIsKilledTheOtherEndsAndNamesIt() throws Exception {
        start("--print", tree);
        group.awaitWalking();
        group.rank(1).destroyForcibly();
        group.expectBroken(1, "rank 1 on treehaul-b is gone");
    }

    @Test
    @Tag("campaign")
    void whenTheCableIsCutBothEndAndNameTheOther() throws Exception {
        start("--print", tree);
        group.awaitWalking();
        ip(0, "link", "set", "veth0", "down");
        group.expectBroken(-1, "rank ");
    }
}
