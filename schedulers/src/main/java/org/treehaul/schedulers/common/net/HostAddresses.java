// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.common.net;

import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** The addresses of this host. */
public final class HostAddresses {

    private HostAddresses() {}

    /** Returns the addresses by which others may reach this host; loopback addresses last. */
    public static List<InetAddress> here() throws IOException {
        // If /etc/hosts maps the host name to 127.0.1.1, as on Debian, the name does not lead others here.
        List<InetAddress> named = new ArrayList<>();
        try {
            named.addAll(List.of(InetAddress.getAllByName(InetAddress.getLocalHost().getHostName())));
        } catch (UnknownHostException e) {
            // The addresses of the interfaces must suffice.
        }
        List<InetAddress> all = new ArrayList<>();
        for (NetworkInterface network : (Iterable<NetworkInterface>) NetworkInterface.networkInterfaces()::iterator) {
            if (isUp(network)) {
                network.inetAddresses().filter(Inet4Address.class::isInstance).forEach(all::add);
            }
        }
        all.sort(Comparator.comparing((InetAddress a) -> a.isLoopbackAddress())
                .thenComparing(a -> !named.contains(a))
                .thenComparing(InetAddress::isLinkLocalAddress));
        return all;
    }

    // An interface may vanish meanwhile: those of containers come and go.
    private static boolean isUp(NetworkInterface network) {
        try {
            return network.isUp();
        } catch (SocketException e) {
            return false;
        }
    }
}
