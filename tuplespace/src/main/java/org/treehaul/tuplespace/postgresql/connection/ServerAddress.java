// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.postgresql.connection;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

import org.jspecify.annotations.Nullable;
import org.treehaul.tuplespace.postgresql.connection.Parameters.Setting;
import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.store.SpaceException.Reason;
import org.treehaul.tuplespace.store.SpaceUri;

/**
 * Where a space is, and how to connect to it: {@code //[USER@]HOST[:PORT][,HOST...]/DATABASE[?schema=NAME&...]}. As
 * with libpq, a part that is missing comes from the service, then from the environment, then from the defaults.
 *
 * @param hosts host and port of each server, tried in this order; or one directory with a socket, and a port
 * @param password null if there is none; never part of a message
 * @param schema the schema of the database that is the space
 * @param settings further parameters by their names in libpq
 */
public record ServerAddress(List<String> hosts, String database, String user, @Nullable String password, String schema,
        Map<String, String> settings) {
    /** The schema of a space whose address names none. */
    private static final String SCHEMA = "treehaul";
    /** Bytes of a schema's name: the server cuts off longer ones, and then does not find them. */
    private static final int LONGEST_SCHEMA = 63;

    /** A port, which may be missing. */
    private static final String NUMBER = "[0-9]{0,5}";

    private static final int LAST_PORT = 65_535;
    private static final String LOCALHOST = "localhost";
    private static final String PORT_OF_SERVER = "5432";
    /** The parameters that are passwords, which an address may not contain. */
    private static final Set<String> SECRETS = Set.of(Parameters.PASSWORD, "sslpassword");

    /**
     * Completes an address.
     *
     * @throws SpaceException PROVIDER when the address is malformed, a parameter cannot be used or a file that it names
     *         cannot; UNSAFE when it contains a password, or others can read the file of one or of a key
     */
    public static ServerAddress of(SpaceUri uri, Environment environment) {
        Map<String, String> given = given(uri.address());
        String schema = Objects.requireNonNullElse(given.remove("schema"), SCHEMA);
        if (schema.getBytes(StandardCharsets.UTF_8).length > LONGEST_SCHEMA) {
            throw malformed("the name of a schema has at most " + LONGEST_SCHEMA + " bytes");
        }
        String service = Objects.requireNonNullElse(given.get(Parameters.SERVICE), "");
        service = service.isEmpty() ? Objects.requireNonNullElse(environment.get("PGSERVICE"), "") : service;
        Map<String, Setting> found = Parameters.ofVariables(environment);
        if (!service.isEmpty()) {
            found.putAll(ServiceFile.service(service, environment));
        }
        given.forEach((name, value) -> found.put(name, new Setting(value, "the address")));
        Map<String, String> all = Parameters.checked(found);
        useHostAddress(all, found);
        String user = all.getOrDefault(Parameters.USER, environment.user());
        String database = all.getOrDefault(Parameters.DATABASE, user);
        String[] ports = all.getOrDefault(Parameters.PORT, PORT_OF_SERVER).split(",", -1);
        String[] names = all.getOrDefault(Parameters.HOST, host(ports[0], environment)).split(",", -1);
        if (ports.length > 1 && ports.length != names.length) {
            throw malformed("it has " + ports.length + " ports for " + names.length + " hosts");
        }
        List<String> hosts = new ArrayList<>();
        for (int i = 0; i < names.length; i++) {
            if (names[i].startsWith("/") && names.length > 1) {
                throw malformed("a directory of sockets among several hosts is not supported");
            }
            String port = ports[Math.min(i, ports.length - 1)];
            if (!port.matches(NUMBER)) {
                throw malformed("the port \"" + port + "\" of PGPORT or the service is not a number");
            }
            if (!port.isEmpty() && (Integer.parseInt(port) < 1 || Integer.parseInt(port) > LAST_PORT)) {
                throw malformed("the port " + port + " is not from 1 to " + LAST_PORT);
            }
            hosts.add(name(names[i]) + ":" + (port.isEmpty() ? PORT_OF_SERVER : port));
        }
        String password = all.get(Parameters.PASSWORD);
        if (password == null) {
            String named = all.getOrDefault(Parameters.PASSWORD_FILE, "");
            Path file = named.isEmpty()
                    ? environment.home().resolve(".pgpass")
                    : Environment.path("passfile (PGPASSFILE)", named);
            for (int i = 0; i < hosts.size() && password == null; i++) {
                int colon = hosts.get(i).lastIndexOf(':');
                String host = hosts.get(i).substring(0, colon).replaceAll("[\\[\\]]", "");
                password = PasswordFile.password(file, host.equals(environment.sockets().toString()) ? LOCALHOST : host,
                        hosts.get(i).substring(colon + 1), database, user);
            }
        }
        boolean hasCertificate = !all.getOrDefault(Parameters.CERTIFICATE_MODE, "").equals(Parameters.DISABLE);
        all.keySet().retainAll(Parameters.passed());
        all.values().removeIf(String::isEmpty);
        if (hosts.getFirst().startsWith("/")) {
            Parameters.check(Parameters.REQUIRE_PEER, found);
        } else {
            TlsFiles.complete(all, hasCertificate, environment);
        }
        return new ServerAddress(hosts, database, user, password, schema, Map.copyOf(all));
    }

    private static String name(String host) {
        boolean isAddress = host.indexOf(':') >= 0 && !host.startsWith("[") && !host.startsWith("/");
        return host.isEmpty() ? LOCALHOST : isAddress ? "[" + host + "]" : host;
    }

    /** Makes the address of a host its name: which of the two the driver is to use cannot be said. */
    private static void useHostAddress(Map<String, String> all, Map<String, Setting> found) {
        String address = all.getOrDefault(Parameters.HOST_ADDRESS, "");
        if (address.isEmpty()) {
            return;
        }
        if (!all.getOrDefault(Parameters.HOST, "").isEmpty()) {
            throw Parameters.failure(Parameters.HOST_ADDRESS + " in "
                    + Objects.requireNonNull(found.get(Parameters.HOST_ADDRESS)).origin()
                    + " is not supported beside the name of a host; remove one of them");
        }
        all.put(Parameters.HOST, address);
    }

    /** Returns the host if none is named: as with libpq, a server of this machine is reached by its socket. */
    private static String host(String port, Environment environment) {
        return Files.exists(socket(environment.sockets().toString(), port))
                ? environment.sockets().toString()
                : LOCALHOST;
    }

    private static Path socket(String directory, String port) {
        return Path.of(directory, ".s.PGSQL." + (port.isEmpty() ? PORT_OF_SERVER : port));
    }

    /** Returns the socket of the server in the file system; null if it is reached by a network. */
    private @Nullable Path socket() {
        String host = hosts.getFirst();
        int colon = host.lastIndexOf(':');
        return host.startsWith("/") ? socket(host.substring(0, colon), host.substring(colon + 1)) : null;
    }

    /** Returns whether the server is on this machine, and reached by its socket in the file system. */
    boolean isLocal() {
        return socket() != null;
    }

    /** Returns whether the user has a certificate for the server. */
    boolean hasCertificate() {
        return !settings.getOrDefault("sslcert", "").isEmpty();
    }

    /** Splits an address into parameters by their names in libpq. */
    private static Map<String, String> given(String address) {
        if (!address.startsWith("//")) {
            throw malformed("it does not begin with postgresql://");
        }
        int query = address.indexOf('?');
        String place = address.substring(2, query < 0 ? address.length() : query);
        int slash = place.indexOf('/');
        String authority = slash < 0 ? place : place.substring(0, slash);
        int at = authority.lastIndexOf('@');
        Map<String, String> given = new LinkedHashMap<>();
        if (at >= 0) {
            String user = authority.substring(0, at);
            if (user.indexOf(':') >= 0) {
                throw unsafe();
            }
            given.put(Parameters.USER, decoded(user));
        }
        List<String> names = new ArrayList<>();
        List<String> ports = new ArrayList<>();
        for (String host : authority.substring(at + 1).split(",", -1)) {
            int colon = host.lastIndexOf(':');
            boolean hasPort = colon > host.lastIndexOf(']');
            names.add(decoded(hasPort ? host.substring(0, colon) : host));
            ports.add(hasPort ? host.substring(colon + 1) : "");
            if (!ports.getLast().matches(NUMBER)) {
                throw malformed("a port is not a number");
            }
        }
        given.put(Parameters.HOST, String.join(",", names));
        given.put(Parameters.PORT, String.join(",", ports));
        given.put(Parameters.DATABASE, slash < 0 ? "" : decoded(place.substring(slash + 1)));
        for (String pair : query < 0 ? new String[0] : address.substring(query + 1).split("&", -1)) {
            int equals = pair.indexOf('=');
            String name = equals < 0 ? pair : pair.substring(0, equals);
            if (SECRETS.contains(name)) {
                throw unsafe();
            }
            if (equals < 0 || !name.equals("schema") && !Parameters.isKnown(name)) {
                throw malformed("it has the unknown parameter \"" + name + "\"; known are schema, "
                        + String.join(", ", Parameters.useful()));
            }
            given.put(name, decoded(pair.substring(equals + 1)));
        }
        given.values().removeIf(value -> value.replace(",", "").isEmpty());
        return given;
    }

    private static String decoded(String text) {
        try {
            return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            throw malformed("a percent sign is not followed by two hexadecimal digits");
        }
    }

    private static SpaceException malformed(String why) {
        return new SpaceException(Reason.PROVIDER, "the address of the tuple space is malformed: " + why
                + "; write postgresql://[USER@]HOST[:PORT]/DATABASE[?schema=NAME]");
    }

    private static SpaceException unsafe() {
        return new SpaceException(Reason.UNSAFE,
                "the address of the tuple space contains a password, which others can see"
                        + " in the list of processes: put it into ~/.pgpass (chmod 600), or set PGPASSWORD");
    }

    /** Returns the URL for the driver, without user and password. */
    String url() {
        // The driver always needs the name of a host.
        return "jdbc:postgresql://" + (socket() == null ? String.join(",", hosts) : LOCALHOST) + "/"
                + java.net.URLEncoder.encode(database, StandardCharsets.UTF_8).replace("+", "%20");
    }

    /** Returns the properties for the driver, without user and password. */
    Map<String, String> properties() {
        Map<String, String> properties = new HashMap<>();
        settings.forEach(
                (name, value) -> properties.put(Parameters.property(name), Parameters.propertyValue(name, value)));
        properties.putIfAbsent("ApplicationName", "treehaul");
        Path socket = socket();
        if (socket != null) {
            properties.put("socketFactory", UnixSocketFactory.class.getName());
            properties.put("socketFactoryArg", socket.toString());
            // As libpq does: no other user can read the data of a local socket.
            properties.put("sslmode", "disable");
        }
        return properties;
    }

    /** Returns a text for messages, without the password. */
    @Override
    public String toString() {
        return "postgresql://" + user + "@" + String.join(",", hosts).replace("/", "%2F").replace(" ", "%20") + "/"
                + database + "?schema=" + schema;
    }
}
