// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.plan.servers;

import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.Collection;
import java.util.Enumeration;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

import org.treehaul.core.state.Host;

/**
 * The names by which file systems may know a host: its own name, with and without its domain, and its addresses. Never
 * asks a name server, which may hang. Immutable.
 */
public final class OwnHost {

    private final Set<String> names;

    private OwnHost(Set<String> names) {
        this.names = Set.copyOf(names);
    }

    /** Returns the host on which this process runs. */
    public static OwnHost here() {
        Set<String> names = new HashSet<>();
        addName(names, Host.nameOr(""));
        try {
            Enumeration<NetworkInterface> interfaces = NetworkInterface.getNetworkInterfaces();
            while (interfaces != null && interfaces.hasMoreElements()) {
                interfaces.nextElement().inetAddresses().forEach(address -> addAddress(names, address));
            }
        } catch (SocketException e) {
            // The name is enough for most file systems.
        }
        return new OwnHost(names);
    }

    /** Returns a host with this name and no addresses. */
    public static OwnHost named(String name) {
        Set<String> names = new HashSet<>();
        addName(names, name);
        return new OwnHost(names);
    }

    /** Returns whether two names may be those of one host: they are compared as {@link #isAmong} compares. */
    public static boolean isOne(String name, String other) {
        return named(name).isAmong(List.of(other));
    }

    private static void addName(Set<String> names, String name) {
        String lower = name.toLowerCase(Locale.ROOT);
        if (!lower.isEmpty()) {
            names.add(lower);
            names.add(lower.replaceFirst("\\..*", ""));
        }
    }

    private static void addAddress(Set<String> names, InetAddress address) {
        if (!address.isLoopbackAddress()) {
            names.add(address.getHostAddress().replaceFirst("%.*", "").toLowerCase(Locale.ROOT));
        }
    }

    /**
     * Returns whether one of these servers is this host. Names are compared regardless of case, and without the domain
     * if one of them has none.
     */
    public boolean isAmong(Collection<String> servers) {
        return servers.stream().anyMatch(this::is);
    }

    private boolean is(String server) {
        String lower = server.toLowerCase(Locale.ROOT);
        if (names.contains(lower)) {
            return true;
        }
        // An address has no domain: 10.0.0.1 is not the host named 10.
        boolean isAddress = lower.matches("[0-9.]+") || lower.contains(":");
        int dot = isAddress ? -1 : lower.indexOf('.');
        return dot > 0 && names.contains(lower.substring(0, dot))
                && names.stream().noneMatch(name -> name.startsWith(lower.substring(0, dot) + "."));
    }
}
