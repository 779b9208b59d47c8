// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage.net;

import java.net.InetSocketAddress;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A host and a port, as {@code HOST:PORT}; an IPv6 address as host is in brackets. Immutable.
 *
 * @param host a name or an address; empty for all addresses of this host
 * @param port 0 to 65535
 */
public record HostPort(String host, int port) {

    private static final Pattern FORM = Pattern.compile("(?:\\[([0-9A-Fa-f:.%a-z]+)]|([^\\[\\]:\\s]*)):([0-9]{1,5})");
    private static final int MOST = 65_535;

    /**
     * Checks the port.
     *
     * @throws IllegalArgumentException if it is out of its range
     */
    public HostPort {
        if (port < 0 || port > MOST) {
            throw new IllegalArgumentException("no port: " + port);
        }
    }

    /**
     * Reads a text.
     *
     * @throws IllegalArgumentException if it has another form
     */
    public static HostPort parse(String text) {
        Matcher parts = FORM.matcher(text);
        if (!parts.matches()) {
            throw new IllegalArgumentException("not HOST:PORT: " + text);
        }
        String host = parts.group(1) == null ? parts.group(2) : parts.group(1);
        return new HostPort(host, Integer.parseInt(parts.group(3)));
    }

    /** Returns the address; unresolved if the name of the host does not resolve. */
    public InetSocketAddress resolve() {
        return host.isEmpty() ? new InetSocketAddress(port) : new InetSocketAddress(host, port);
    }

    /** Returns the text that {@link #parse} reads. */
    @Override
    public String toString() {
        return (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + port;
    }
}
