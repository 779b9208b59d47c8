// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.postgresql.connection;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.util.List;
import java.util.Objects;
import java.util.Properties;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;

import org.postgresql.PGProperty;
import org.postgresql.ssl.NonValidatingFactory.NonValidatingTM;
import org.postgresql.ssl.WrappedFactory;

/**
 * Makes the encrypted connections of a user whose private key is in a PEM file, as libpq wants it. The factory of the
 * driver reads few kinds of these files. The driver loads this class by its name; it compares the name of the server
 * with the certificate by itself.
 */
public final class PemSocketFactory extends WrappedFactory {
    /** The key is in memory only. */
    private static final char[] NO_PASSWORD = {};

    /**
     * Called by the driver.
     *
     * @param properties those of the connection, with {@code sslcert} and {@code sslkey}
     */
    public PemSocketFactory(Properties properties) throws IOException, GeneralSecurityException {
        List<? extends Certificate> chain = certificates(file(properties, PGProperty.SSL_CERT));
        PrivateKey key = PemKey.read(Files.readAllBytes(file(properties, PGProperty.SSL_KEY)),
                chain.getFirst().getPublicKey());
        KeyStore own = empty();
        own.setKeyEntry("user", key, NO_PASSWORD, chain.toArray(Certificate[]::new));
        KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(own, NO_PASSWORD);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(keys.getKeyManagers(), trusted(properties), null);
        factory = context.getSocketFactory();
    }

    private static Path file(Properties properties, PGProperty property) {
        return Path.of(Objects.requireNonNullElse(property.getOrDefault(properties), ""));
    }

    private static TrustManager[] trusted(Properties properties) throws IOException, GeneralSecurityException {
        if (!TlsFiles.isVerifying(Objects.requireNonNullElse(PGProperty.SSL_MODE.getOrDefault(properties), ""))) {
            return new TrustManager[]{new NonValidatingTM()};
        }
        KeyStore known = empty();
        for (Certificate authority : certificates(file(properties, PGProperty.SSL_ROOT_CERT))) {
            known.setCertificateEntry(String.valueOf(known.size()), authority);
        }
        TrustManagerFactory authorities = TrustManagerFactory.getInstance("PKIX");
        authorities.init(known);
        return authorities.getTrustManagers();
    }

    private static KeyStore empty() throws IOException, GeneralSecurityException {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        return store;
    }

    /**
     * Reads the certificates of a file, of which there is at least one.
     *
     * @throws GeneralSecurityException when there is none
     */
    static List<? extends Certificate> certificates(Path file) throws IOException, GeneralSecurityException {
        try (InputStream in = Files.newInputStream(file)) {
            List<? extends Certificate> found = List
                    .copyOf(CertificateFactory.getInstance("X.509").generateCertificates(in));
            if (found.isEmpty()) {
                throw new GeneralSecurityException("it contains no certificate");
            }
            return found;
        }
    }
}
