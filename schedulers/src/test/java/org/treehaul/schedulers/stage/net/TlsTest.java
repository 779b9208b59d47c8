// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.Key;
import java.security.KeyStore;
import java.util.Base64;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLEngine;

import io.netty.handler.ssl.DelegatingSslContext;
import io.netty.handler.ssl.SslContext;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.treehaul.core.fs.UnsafePathException;
import org.treehaul.schedulers.stage.SegmentKey;
import org.treehaul.schedulers.stage.Segments;
import org.treehaul.schedulers.stage.StageException;

/** Connections that are encrypted. */
class TlsTest {

    @TempDir
    static Path certificates;

    @TempDir
    Path place;

    @BeforeAll
    static void makeCertificates() throws Exception {
        for (String name : new String[]{"own", "other"}) {
            Path store = certificates.resolve(name + ".p12");
            Process keytool = new ProcessBuilder(System.getProperty("java.home") + "/bin/keytool", "-genkeypair",
                    "-alias", "a", "-keyalg", "EC", "-dname", "CN=" + name, "-validity", "2", "-storetype", "PKCS12",
                    "-keystore", store.toString(), "-storepass", "password").redirectErrorStream(true).start();
            String said = new String(keytool.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
            assertThat(keytool.waitFor()).as(said).isZero();
            KeyStore keys = KeyStore.getInstance("PKCS12");
            try (InputStream in = Files.newInputStream(store)) {
                keys.load(in, "password".toCharArray());
            }
            Key key = keys.getKey("a", "password".toCharArray());
            write(certificates.resolve(name + ".crt"), "CERTIFICATE", keys.getCertificate("a").getEncoded());
            write(certificates.resolve(name + ".key"), "PRIVATE KEY", key.getEncoded());
        }
    }

    private static void write(Path file, String kind, byte[] content) throws IOException {
        Files.writeString(file, "-----BEGIN " + kind + "-----\n" + Base64.getMimeEncoder().encodeToString(content)
                + "\n-----END " + kind + "-----\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
    }

    private static ServerSettings.Certificate certificate(String chain, String key) {
        return new ServerSettings.Certificate(certificates.resolve(chain + ".crt"), certificates.resolve(key + ".key"));
    }

    @Test
    void encryptedConnectionsCarryTheSame() throws Exception {
        try (Served served = Served.with(place, settings -> settings.withTls(certificate("own", "own")));
                SegmentClients clients = new SegmentClients(served.secret, true);
                Segments segments = clients.open(served.address())) {
            SegmentKey key = Bytes.key(1);
            byte[] bytes = Bytes.random(1, 1_000_000);
            segments.create(key);
            Bytes.write(segments, key, 0, bytes);
            assertThat(Bytes.read(segments, key, 0, bytes.length)).isEqualTo(bytes);
            served.awaitFree();
        }
    }

    @Test
    void aConnectionWithoutMemoryForItsEncryptionKeepsNoPlace() throws Exception {
        AtomicInteger tried = new AtomicInteger();
        ServerSettings.Certificate own = certificate("own", "own");
        SslContext failing = new DelegatingSslContext(Tls.ofServer(own.chain(), own.key())) {
            @Override
            protected void initEngine(SSLEngine engine) {
                tried.incrementAndGet();
                throw new OutOfMemoryError("no memory for a session");
            }
        };
        try (Served served = Served.in(place);
                SegmentServer server = new SegmentServer(served.settings(0), served.id(), new HeldSegments(), failing,
                        Tls.hash(own.chain()), note -> {}, Thread.ofPlatform().daemon().factory())) {
            for (int i = 1; i <= 3; i++) {
                try (Socket client = new Socket(InetAddress.getLoopbackAddress(), server.address().getPort())) {
                    assertThat(client.getInputStream().read()).isEqualTo(-1);
                }
                assertThat(tried).hasValue(i);
            }
            assertThat(server.connections()).isZero();
        }
    }

    @Test
    void aKeyThatOthersMayReadIsRefused() throws Exception {
        Path key = Files.copy(certificates.resolve("own.key"), place.resolve("open.key"));
        Files.setPosixFilePermissions(key, PosixFilePermissions.fromString("rw-r-----"));
        Path chain = certificates.resolve("own.crt");
        assertThatThrownBy(() -> Tls.ofServer(chain, key)).isInstanceOf(UnsafePathException.class)
                .hasMessageContaining("the key in " + key + " is open to others (mode 640): replace it");
        Files.delete(key);
        assertThatThrownBy(() -> Tls.ofServer(chain, key)).isInstanceOf(IOException.class)
                .hasMessageContaining("the key in " + key + " cannot be read")
                .hasMessageContaining("ENOENT");
    }

    @Test
    void aServerBehindAnotherCertificateIsNotBelieved() throws Exception {
        try (Served served = Served.with(place, settings -> settings.withTls(certificate("own", "own")));
                Relay relay = Relay.start(certificate("other", "other"), served.port());
                SegmentClients clients = new SegmentClients(served.secret, true)) {
            assertThatThrownBy(() -> clients.open(served.at(relay.port()))).isInstanceOf(StageException.class)
                    .hasMessageContaining("it does not accept the secret");
        }
    }

    @Test
    void aServerWithoutTlsIsNamedAsSuch() throws Exception {
        try (Served served = Served.in(place); SegmentClients clients = new SegmentClients(served.secret, true)) {
            assertThatThrownBy(() -> clients.open(served.address())).isInstanceOf(StageException.class)
                    .hasMessageContaining("it does not speak TLS");
        }
    }

    @Test
    void aKeyOfAnotherCertificateIsRefused() {
        assertThatThrownBy(() -> Served.with(place, settings -> settings.withTls(certificate("own", "missing"))))
                .isInstanceOf(IOException.class);
        assertThatThrownBy(() -> Tls.ofServer(certificates.resolve("own.key"), certificates.resolve("own.key")))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("no certificate in " + certificates.resolve("own.key"));
    }
}
