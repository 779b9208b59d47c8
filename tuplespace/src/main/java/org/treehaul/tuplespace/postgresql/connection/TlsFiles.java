// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.postgresql.connection;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.security.GeneralSecurityException;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.store.SpaceException.Reason;

/**
 * The files for encrypted connections, found and checked as libpq does: the manual of PostgreSQL, "SSL Support" in the
 * chapter about libpq. The driver has other defaults, and its errors do not name the remedy.
 */
final class TlsFiles {
    private static final String MODE = "sslmode";
    private static final String ROOT = "sslrootcert";
    private static final String CERTIFICATE = "sslcert";
    private static final String KEY = "sslkey";
    private static final String PREFER = "prefer";
    /** Why lists of revoked certificates are refused, and the remedy. */
    static final String REVOKED = "a revoked certificate of a server would be accepted; remove it if you accept that";
    /** The authorities of the system, for libpq from version 16 on. */
    private static final String SYSTEM = "system";
    /** Modes that accept an unencrypted connection: a file that the user has not named does not prevent one. */
    private static final Set<String> LENIENT = Set.of("allow", PREFER);
    private static final List<String> MODES = List.of("disable", "allow", PREFER, "require", "verify-ca",
            "verify-full");

    private final Map<String, String> settings;
    private final Path directory;

    private TlsFiles(Map<String, String> settings, Path directory) {
        this.settings = settings;
        this.directory = directory;
    }

    /** Returns whether the certificate of the server has to be one of a known authority. */
    static boolean isVerifying(String mode) {
        return mode.startsWith("verify-");
    }

    /**
     * Adds the files that are not named to the settings of a connection by a network.
     *
     * @param hasCertificate whether the user may have a certificate
     * @throws SpaceException PROVIDER when a file is missing or cannot be used, DENIED when it may not be read, UNSAFE
     *         when others can read the key
     */
    static void complete(Map<String, String> settings, boolean hasCertificate, Environment environment) {
        String mode = settings.getOrDefault(MODE, PREFER);
        if (!MODES.contains(mode)) {
            throw Parameters.failure(MODE + " is \"" + mode + "\"; known are " + String.join(", ", MODES));
        }
        boolean isLenient = LENIENT.contains(mode) || mode.equals(Parameters.DISABLE);
        if (isLenient && settings.getOrDefault("sslnegotiation", "").equals("direct")) {
            throw Parameters.failure("sslnegotiation=direct needs sslmode=require or a stricter mode, not " + mode);
        }
        TlsFiles files = new TlsFiles(settings, environment.home().resolve(".postgresql"));
        if (!mode.equals(Parameters.DISABLE)) {
            files.completeRoot(mode);
            if (hasCertificate) {
                files.completeKey(mode);
            } else {
                files.removeKey();
            }
        }
    }

    private void completeRoot(String mode) {
        if (settings.getOrDefault(ROOT, "").equals(SYSTEM)) {
            throw Parameters.failure(
                    ROOT + "=" + SYSTEM + " (PGSSLROOTCERT) is not supported; name the file of the system, a file"
                            + " such as /etc/ssl/certs/ca-certificates.crt, and write sslmode=verify-full");
        }
        Path root = file(ROOT, "root.crt");
        boolean isThere = Files.exists(root);
        if (isVerifying(mode) && !isThere) {
            throw Parameters.failure(ROOT + " (PGSSLROOTCERT): there is no file " + root
                    + " with the certificates of the" + " authorities that are trusted, which sslmode=" + mode
                    + " needs; those of the system are in" + " a file such as /etc/ssl/certs/ca-certificates.crt");
        }
        if (mode.equals("require") && isThere) {
            // As libpq: a file of authorities is there to be used.
            settings.put(MODE, "verify-ca");
        } else if (!isVerifying(mode)) {
            return;
        }
        checkRoot(root);
        Path revoked = directory.resolve("root.crl");
        if (Files.exists(revoked)) {
            throw Parameters.failure("the file " + revoked + " is not supported: " + REVOKED);
        }
        settings.put(ROOT, root.toString());
    }

    /** Java would trust an authority whose certificate has expired; libpq does not. */
    private static void checkRoot(Path root) {
        try {
            if (PemSocketFactory.certificates(root).stream().allMatch(TlsFiles::hasExpired)) {
                throw Parameters.failure(ROOT + " (PGSSLROOTCERT): the certificates in " + root
                        + " have expired; ask the administrator of the server for a newer file");
            }
        } catch (IOException e) {
            throw unreadable(root, e);
        } catch (GeneralSecurityException e) {
            throw new SpaceException(Reason.PROVIDER, ROOT + " (PGSSLROOTCERT): the file " + root + " cannot be used: "
                    + e.getMessage() + "; it has to have certificates in PEM", e);
        }
    }

    private static boolean hasExpired(Certificate one) {
        return one instanceof X509Certificate known && known.getNotAfter().toInstant().isBefore(Instant.now());
    }

    private void completeKey(String mode) {
        boolean isNamed = settings.containsKey(CERTIFICATE) || settings.containsKey(KEY);
        try {
            addKey();
        } catch (SpaceException e) {
            if (isNamed || !LENIENT.contains(mode)) {
                throw e;
            }
            settings.remove(KEY);
        }
        if (!settings.containsKey(KEY)) {
            removeKey();
        }
    }

    private void removeKey() {
        // The driver has defaults of its own for what is not given.
        settings.put(CERTIFICATE, "");
        settings.put(KEY, "");
    }

    private void addKey() {
        Path key = file(KEY, "postgresql.key");
        if (key.toString().matches(".*\\.(p12|pfx)")) {
            checkAccess(key);
            return;
        }
        Path certificate = file(CERTIFICATE, "postgresql.crt");
        if (!Files.exists(certificate)) {
            if (settings.containsKey(CERTIFICATE) || settings.containsKey(KEY)) {
                throw Parameters.failure(CERTIFICATE + " (PGSSLCERT): there is no file " + certificate);
            }
            return;
        }
        if (!settings.containsKey(KEY) && !Files.exists(key)) {
            // The default of the driver.
            key = directory.resolve("postgresql.pk8");
        }
        checkAccess(key);
        checkForm(key, certificate);
        settings.put(CERTIFICATE, certificate.toString());
        settings.put(KEY, key.toString());
    }

    private Path file(String setting, String byDefault) {
        String named = settings.get(setting);
        return named == null ? directory.resolve(byDefault) : Environment.path(setting, named);
    }

    private static void checkAccess(Path key) {
        try {
            PosixFileAttributes attributes = Files.readAttributes(key, PosixFileAttributes.class);
            Set<PosixFilePermission> others = EnumSet.noneOf(PosixFilePermission.class);
            others.addAll(attributes.permissions());
            others.removeAll(EnumSet.of(PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE,
                    PosixFilePermission.OWNER_EXECUTE));
            // As libpq: an administrator shares a key with a group.
            if (attributes.owner().getName().equals("root")) {
                others.remove(PosixFilePermission.GROUP_READ);
            }
            if (!others.isEmpty()) {
                throw new SpaceException(Reason.UNSAFE,
                        KEY + " (PGSSLKEY): the file " + key + " is open to others: chmod 600 " + key);
            }
        } catch (NoSuchFileException absent) {
            throw Parameters
                    .failure(KEY + " (PGSSLKEY): there is no file " + key + " with the private key of the certificate");
        } catch (IOException e) {
            throw unreadable(key, e);
        }
    }

    private static SpaceException unreadable(Path file, IOException e) {
        return new SpaceException(e instanceof AccessDeniedException ? Reason.DENIED : Reason.IO,
                "the file " + file + " for encrypted connections cannot be read: " + e.getMessage(), e);
    }

    /** Selects the factory for a key in PEM. */
    private void checkForm(Path key, Path certificate) {
        try {
            byte[] content = Files.readAllBytes(key);
            if (!PemKey.isPem(content)) {
                return;
            }
            if (PemKey.isEncrypted(content)) {
                throw Parameters.failure(KEY + " (PGSSLKEY): the key in " + key
                        + " has a password, which is not supported;"
                        + " write one without: openssl pkcs8 -topk8 -nocrypt -in " + key + " -out FILE, chmod 600");
            }
            PemKey.read(content, PemSocketFactory.certificates(certificate).getFirst().getPublicKey());
            settings.put("sslfactory", PemSocketFactory.class.getName());
        } catch (IOException e) {
            throw unreadable(key, e);
        } catch (GeneralSecurityException e) {
            throw new SpaceException(
                    Reason.PROVIDER, "the key " + key + " cannot be used with the certificate " + certificate + ": "
                            + e.getMessage() + "; both have to be in PEM, and the key has to belong to the certificate",
                    e);
        }
    }
}
