// SPDX-License-Identifier: Apache-2.0
package org.treehaul.pool;

import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Assumptions;
import org.treehaul.core.testing.Privilege;
import org.treehaul.programs.Programs;

/**
 * Hosts on this machine: network namespaces with host names of their own. A cable connects each to a bridge, at which
 * this machine has an address too. The addresses are of the range that RFC 2544 reserves for tests.
 */
public final class Nodes implements AutoCloseable {

    private static final long SELF = ProcessHandle.current().pid();

    private final String bridge = "thb" + SELF;
    private final String prefix = "198.18." + (SELF % 250 + 1) + ".";
    private final List<String> names = new ArrayList<>();

    /** Makes this number of hosts; skips the test if that is not possible here. */
    public static Nodes make(int count) {
        Privilege.requireRoot("to make network namespaces");
        Programs.require("ip", "iproute2");
        Nodes nodes = new Nodes();
        try {
            nodes.possible("link", "add", nodes.bridge, "type", "bridge");
            ip("addr", "add", nodes.address() + "/24", "dev", nodes.bridge);
            ip("link", "set", nodes.bridge, "up");
            for (int i = 0; i < count; i++) {
                nodes.add(i);
            }
            return nodes;
        } catch (Throwable e) {
            nodes.close();
            throw e;
        }
    }

    private void add(int node) {
        String name = "th" + SELF + "-" + node;
        possible("netns", "add", name);
        names.add(name);
        possible("link", "add", cable(node), "type", "veth", "peer", "name", "eth0", "netns", name);
        ip("link", "set", cable(node), "master", bridge, "up");
        ip("-n", name, "addr", "add", prefix + (node + 2) + "/24", "dev", "eth0");
        ip("-n", name, "link", "set", "lo", "up");
        ip("-n", name, "link", "set", "eth0", "up");
    }

    private static String cable(int node) {
        return "thv" + SELF + "-" + node;
    }

    private void possible(Object... arguments) {
        Programs.Said said = ask(arguments);
        Assumptions.assumeTrue(said.code() == 0, "no networks of a test here: " + said.firstLine());
    }

    private static void ip(Object... arguments) {
        Programs.Said said = ask(arguments);
        if (said.code() != 0) {
            throw new IllegalStateException(said.text());
        }
    }

    private static Programs.Said ask(Object... arguments) {
        List<Object> command = new ArrayList<>(List.of("ip"));
        command.addAll(List.of(arguments));
        return Programs.ask(command.toArray());
    }

    /** Returns the address of this machine. */
    String address() {
        return prefix + 1;
    }

    /** Returns the network of all hosts. */
    String network() {
        return prefix + "0/24";
    }

    /** Returns the name of a host. */
    public String name(int node) {
        return names.get(node);
    }

    /** Returns the words before a command that runs it on a host; its process is that of the command. */
    public List<String> on(int node) {
        return List.of(Programs.find("ip").orElseThrow(), "netns", "exec", name(node), "unshare", "--uts", "sh", "-c",
                "hostname \"$0\" && exec \"$@\"", name(node));
    }

    /** Takes the cable of a host away: nothing arrives any more, and no end notices it at once. */
    public void cut(int node) {
        ip("link", "set", cable(node), "down");
    }

    /** Puts the cable back. */
    public void join(int node) {
        ip("link", "set", cable(node), "up");
    }

    @Override
    public void close() {
        for (int i = 0; i < names.size(); i++) {
            // The kernel removes the devices of a namespace some time after its name, and the next test needs the names.
            ask("link", "del", cable(i));
            ask("netns", "del", names.get(i));
        }
        ask("link", "del", bridge);
    }
}
