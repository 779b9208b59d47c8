// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.serve;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.Locale;

import org.jspecify.annotations.Nullable;
import org.treehaul.cli.args.ExactArguments;
import org.treehaul.cli.args.Options;
import org.treehaul.cli.common.CommonOptions;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.state.Host;
import org.treehaul.schedulers.stage.net.HostPort;
import org.treehaul.schedulers.stage.net.RunSecret;
import org.treehaul.schedulers.stage.net.ServerSettings;
import picocli.CommandLine.Model.CommandSpec;

/** The options of {@code treehaul serve}. */
final class ServeInput {

    private final CommonOptions common;
    private final String host = Host.nameOr("localhost");
    private @Nullable ByteString directory;
    private @Nullable ByteString secret;
    private @Nullable ByteString certificate;
    private @Nullable ByteString key;
    private String address = ":0";
    private @Nullable String order;

    ServeInput(CommandSpec spec, CommonOptions common) {
        this.common = common;
        Options.add(spec, Options.value(ByteString.class, value -> directory = value, "--directory"), "DIR",
                "Serve the segments in DIR, which is made if it does not exist, for this user alone.");
        Options.add(spec, Options.value(String.class, value -> address = value, "--listen"), "HOST:PORT",
                "Listen at this address. Without HOST: at all addresses of this host; port 0: any free one. Default: :0.");
        Options.add(spec, Options.value(ByteString.class, value -> secret = value, "--secret-file"), "FILE",
                "The secret of the run, at least 32 bytes, in a file that only you may read: who knows it may read and "
                        + "change all segments.");
        Options.add(spec, Options.value(String.class, value -> order = value, "--order"), "ORDER",
                "Carry out requests that wait in this order: application, by turns of clients and groups of ranks; "
                        + "hierarchical, also with slow aggregators of collective reads first; arrival. Default: application.");
        Options.add(spec, Options.value(ByteString.class, value -> certificate = value, "--tls-cert"), "FILE",
                "Encrypt all connections with the certificate in FILE (PEM). Default: no encryption.");
        Options.add(spec, Options.value(ByteString.class, value -> key = value, "--tls-key"), "FILE",
                "The key of the certificate, in PEM, as PKCS#8 without a password, in a file that only you may read.");
    }

    /** Returns the absolute path of the directory. */
    ByteString directory() {
        if (directory == null) {
            throw common.usage("--directory DIR is missing: the directory in which the segments are kept");
        }
        return ByteString.of(directory.toPath().toAbsolutePath().normalize());
    }

    /**
     * Checks the options and reads the secret, before anything is made.
     *
     * @throws IOException if the secret cannot be read, or is open to others
     */
    ServerSettings settings() throws IOException {
        ByteString path = directory();
        if (secret == null) {
            throw common
                    .usage("--secret-file FILE is missing: servers and clients prove to each other that they know it");
        }
        if (certificate == null != (key == null)) {
            throw common.usage("--tls-cert and --tls-key need each other: a certificate, and its key");
        }
        ServerSettings settings = ServerSettings.of(path, host, listen(), RunSecret.read(secret));
        if (common.threads > 0) {
            settings = settings.withThreads(common.threads);
        }
        if (order != null) {
            settings = settings.withOrder(order(order));
        }
        return certificate == null || key == null
                ? settings
                : settings.withTls(new ServerSettings.Certificate(certificate.toPath(), key.toPath()));
    }

    private ServerSettings.Order order(String name) {
        return Arrays.stream(ServerSettings.Order.values())
                .filter(one -> one.name().toLowerCase(Locale.ROOT).equals(name))
                .findFirst()
                .orElseThrow(() -> common.usage("--order must be arrival, application or hierarchical, not '"
                        + ExactArguments.printable(name) + "'"));
    }

    private InetSocketAddress listen() {
        try {
            InetSocketAddress listen = HostPort.parse(address).resolve();
            if (listen.isUnresolved()) {
                throw common.usage("--listen: the host '" + ExactArguments.printable(listen.getHostString())
                        + "' is not known; leave it out to listen at all addresses");
            }
            return listen;
        } catch (IllegalArgumentException e) {
            throw common.usage("--listen must be HOST:PORT, such as node1:4711, or :PORT, not '"
                    + ExactArguments.printable(address) + "'");
        }
    }

    /** Returns the address that clients use. */
    HostPort reachable(InetSocketAddress bound) {
        return new HostPort(bound.getAddress().isAnyLocalAddress() ? host : HostPort.parse(address).host(),
                bound.getPort());
    }
}
