// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage.net;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import javax.net.ssl.SSLException;

import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.fs.UnsafePathException;

/**
 * TLS as servers and clients use it. A client accepts any certificate, because the server then proves that it knows the
 * secret and that this very certificate is its own; see {@link Greeting}.
 */
final class Tls {

    private static final String VERSION = "TLSv1.3";
    private static final int HASH_BYTES = 32;

    private Tls() {}

    /**
     * Returns what a server needs.
     *
     * @throws UnsafePathException if the key belongs to another user, or is open to others
     * @throws IOException if a file cannot be read, or is not a certificate or key in PEM
     */
    static SslContext ofServer(Path certificate, Path key) throws IOException {
        byte[] chain = Files.readAllBytes(certificate);
        byte[] secret = key(ByteString.of(key));
        try {
            return SslContextBuilder.forServer(new ByteArrayInputStream(chain), new ByteArrayInputStream(secret))
                    .sslProvider(SslProvider.JDK)
                    .protocols(VERSION)
                    .build();
        } catch (IllegalArgumentException | SSLException e) {
            throw new IOException("no certificate in " + certificate + ", or not its key in " + key
                    + ": both must be in PEM, the key as PKCS#8 without a password", e);
        }
    }

    private static byte[] key(ByteString file) throws IOException {
        try {
            return OwnFile.read(file, "key", FileAccess.BUFFER_BYTES);
        } catch (SystemCallException e) {
            throw new IOException("the key in " + file + " cannot be read: " + e.getMessage(), e);
        }
    }

    static SslContext ofClient() throws SSLException {
        return SslContextBuilder.forClient()
                .sslProvider(SslProvider.JDK)
                .protocols(VERSION)
                .trustManager(InsecureTrustManagerFactory.INSTANCE)
                .endpointIdentificationAlgorithm(null)
                .build();
    }

    /** Returns the hash of a certificate in a file, the first one. */
    static byte[] hash(Path certificate) throws IOException {
        try {
            return hash(CertificateFactory.getInstance("X.509")
                    .generateCertificate(new ByteArrayInputStream(Files.readAllBytes(certificate))));
        } catch (GeneralSecurityException e) {
            throw new IOException("no certificate in " + certificate, e);
        }
    }

    static byte[] hash(Certificate certificate) throws GeneralSecurityException {
        return MessageDigest.getInstance("SHA-256").digest(certificate.getEncoded());
    }

    /** Returns what takes the place of the hash without TLS. */
    static byte[] none() {
        return new byte[HASH_BYTES];
    }
}
