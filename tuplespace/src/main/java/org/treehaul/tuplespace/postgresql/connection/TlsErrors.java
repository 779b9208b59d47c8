// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.postgresql.connection;

import java.io.EOFException;
import java.net.ConnectException;
import java.net.SocketException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateNotYetValidException;
import java.sql.SQLException;
import javax.net.ssl.SSLException;

import org.jspecify.annotations.Nullable;

/**
 * Finds the remedy when server and client do not agree on an encrypted connection. The driver reports that with the
 * codes of a broken network or a wrong password, so this class looks at causes and texts.
 */
final class TlsErrors {
    private static final String OWN = "name your certificate and key with sslcert and sslkey (PGSSLCERT, PGSSLKEY); ";

    private TlsErrors() {}

    /** Returns the remedy; null if the error has other reasons. */
    static @Nullable String remedy(ServerAddress server, SQLException e, String message) {
        if (message.contains("hostnameverifier")) {
            return "address the server by a name in its certificate; sslmode=verify-ca does not compare the name";
        }
        if (message.contains("SSL key file")) {
            return "write the key without a password, by openssl pkcs8 -topk8 -nocrypt, or for a file of PKCS-12 by openssl pkcs12"
                    + " -nodes, and name it with sslkey (PGSSLKEY)";
        }
        if (message.contains("does not support SSL")) {
            return "the server offers no encryption: its administrator has to set ssl = on, or you another sslmode";
        }
        if (message.contains("no encryption")) {
            return "the server's pg_hba.conf admits no such connection without encryption: set sslmode=require or a"
                    + " stricter mode, or ask its administrator to admit you from here";
        }
        if (message.contains("FATAL") && message.contains("certificate")) {
            return OWN + "an authority that the server knows has to have signed it, and its common name has to be that"
                    + " of the role, unless pg_ident.conf maps it";
        }
        if (message.contains("fatal alert") || isCut(e.getCause()) && server.hasCertificate()) {
            return OWN + "the server refuses one that no authority that it knows has signed, or that has expired";
        }
        return e.getCause() instanceof SSLException tls ? remedy(tls, message) : null;
    }

    /** A server that refuses a certificate ends the connection, and the reason may not arrive before that. */
    private static boolean isCut(@Nullable Throwable cause) {
        return cause instanceof EOFException
                || cause instanceof SocketException && !(cause instanceof ConnectException);
    }

    private static String remedy(SSLException e, String message) {
        for (Throwable cause = e; cause != null; cause = cause.getCause()) {
            if (cause instanceof CertificateExpiredException || cause instanceof CertificateNotYetValidException) {
                return "the certificate of the server, or of its authority, is not valid now: its administrator has to"
                        + " renew it, unless the clock of this machine is wrong";
            }
        }
        return message.contains("PKIX path")
                ? "none of the authorities in sslrootcert (PGSSLROOTCERT) has signed the certificate of the server:"
                        + " ask its administrator for the right file"
                : "check sslmode and sslrootcert, and that the server is addressed by a name in its certificate";
    }
}
