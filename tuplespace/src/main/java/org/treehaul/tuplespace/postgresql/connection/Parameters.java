// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.postgresql.connection;

import java.math.BigInteger;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;

import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.store.SpaceException.Reason;

/**
 * The parameters of libpq, by which users connect: the manual of PostgreSQL 18, "Parameter Key Words" in the chapter
 * about libpq. Each is used here, passed to the driver, or ignored if that makes a connection neither less safe nor
 * another one; any other is refused.
 */
final class Parameters {
    static final String HOST = "host";
    static final String HOST_ADDRESS = "hostaddr";
    static final String PORT = "port";
    static final String DATABASE = "dbname";
    static final String USER = "user";
    static final String PASSWORD = "password";
    static final String PASSWORD_FILE = "passfile";
    static final String SERVICE = "service";
    static final String SESSION = "target_session_attrs";
    static final String CERTIFICATE_MODE = "sslcertmode";
    static final String REQUIRE_PEER = "requirepeer";
    static final String DISABLE = "disable";
    private static final String BALANCE = "load_balance_hosts";
    private static final String TIMEOUT = "connect_timeout";
    private static final String REQUIRE_AUTH = "require_auth";
    private static final String REQUIRE = "require";
    private static final String MODE = "sslmode";
    /** An obsolete variable, which libpq still obeys. */
    private static final String OBSOLETE = "PGREQUIRESSL";
    /** The most seconds that the driver, which computes with milliseconds in 32 bits, can wait. */
    private static final BigInteger MOST_SECONDS = BigInteger.valueOf(2_000_000);
    private static final String PREFER = "prefer";
    private static final String RANDOM = "random";
    private static final String SCRAM = "a login needs the password itself; put it into ~/.pgpass";
    private static final String OAUTH = "there is no login by OAuth; ask for another one in pg_hba.conf";

    /** Methods that the driver knows; a server that asks for any other is refused then. */
    private static final Set<String> METHODS = Set.of("password", "md5", "gss", "sspi", "scram-sha-256", "none");

    private static final Map<String, String> SERVER_TYPES = Map.of("any", "any", "read-write", "primary", "primary",
            "primary", "read-only", "secondary", "standby", "secondary", "prefer-standby", "preferSecondary");

    /**
     * A parameter.
     *
     * @param variable the variable of libpq that sets it; empty if there is none
     * @param property the property of the driver; empty if it is not passed
     * @param values those that may be given; empty if that is any
     * @param why why no other can be given, and the remedy; empty if the parameter is ignored or has any value
     * @param isUsed whether it changes the connection
     */
    private record Parameter(String name, String variable, String property, Set<String> values, String why,
            boolean isUsed) {

        boolean admits(String value) {
            return value.isEmpty() || values.contains(value) || values.isEmpty() && why.isEmpty();
        }
    }

    /** The value of a parameter, and where it was given, for messages. */
    record Setting(String value, String origin) {}

    private static final Map<String, Parameter> ALL = List
            .of(used(HOST, "PGHOST"), used(HOST_ADDRESS, "PGHOSTADDR"), used(PORT, "PGPORT"),
                    used(DATABASE, "PGDATABASE"), used(USER, "PGUSER"), used(PASSWORD, "PGPASSWORD"),
                    used(PASSWORD_FILE, "PGPASSFILE"), used(SERVICE, "PGSERVICE"), passed(MODE, "PGSSLMODE", MODE),
                    passed("sslrootcert", "PGSSLROOTCERT", "sslrootcert"), passed("sslcert", "PGSSLCERT", "sslcert"),
                    passed("sslkey", "PGSSLKEY", "sslkey"), passed("options", "PGOPTIONS", "options"),
                    passed(TIMEOUT, "PGCONNECT_TIMEOUT", "connectTimeout"),
                    passed("application_name", "PGAPPNAME", "ApplicationName"),
                    passed(SESSION, "PGTARGETSESSIONATTRS", "targetServerType", SERVER_TYPES.keySet()),
                    passed(BALANCE, "PGLOADBALANCEHOSTS", "loadBalanceHosts", Set.of(DISABLE, RANDOM)),
                    passed("channel_binding", "PGCHANNELBINDING", "channelBinding", Set.of(DISABLE, PREFER, REQUIRE)),
                    passed(REQUIRE_AUTH, "PGREQUIREAUTH", "requireAuth"),
                    passed("sslnegotiation", "PGSSLNEGOTIATION", "sslNegotiation", Set.of("postgres", "direct")),
                    new Parameter(
                            CERTIFICATE_MODE, "PGSSLCERTMODE", "", Set.of(DISABLE, "allow"),
                            "a server that does not ask for your certificate would be accepted; write allow if you"
                                    + " accept that",
                            true),
                    ignored("client_encoding", "PGCLIENTENCODING"), ignored("fallback_application_name", ""),
                    ignored("keepalives", ""), ignored("keepalives_idle", ""), ignored("keepalives_interval", ""),
                    ignored("keepalives_count", ""), ignored("tcp_user_timeout", ""),
                    ignored("sslcompression", "PGSSLCOMPRESSION"), ignored("sslpassword", ""),
                    ignored("sslkeylogfile", ""), ignored("ssl_max_protocol_version", "PGSSLMAXPROTOCOLVERSION"),
                    ignored("max_protocol_version", "PGMAXPROTOCOLVERSION"), ignored("krbsrvname", "PGKRBSRVNAME"),
                    ignored("gsslib", "PGGSSLIB"), ignored("gssdelegation", "PGGSSDELEGATION"),
                    refused("sslcrl", "PGSSLCRL", TlsFiles.REVOKED),
                    refused("sslcrldir", "PGSSLCRLDIR", TlsFiles.REVOKED),
                    limited("ssl_min_protocol_version", "PGSSLMINPROTOCOLVERSION",
                            Set.of("TLSv1", "TLSv1.1", "TLSv1.2"),
                            "the connection may use TLS 1.2; write TLSv1.2, and set ssl_min_protocol_version of the"
                                    + " server"),
                    limited("sslsni", "PGSSLSNI", Set.of("1"),
                            "others on the network can see the name of the server; write 1 if you accept that"),
                    limited("gssencmode", "PGGSSENCMODE", Set.of(DISABLE, PREFER),
                            "only TLS encrypts a connection; write disable, and sslmode=verify-full"),
                    refused(REQUIRE_PEER, "PGREQUIREPEER",
                            "the user who runs the server is not examined; remove it if only this user can write to"
                                    + " the directory of the socket"),
                    limited("min_protocol_version", "PGMINPROTOCOLVERSION", Set.of("3.0"),
                            "the driver has version 3.0; write that, or remove it"),
                    limited("replication", "", Set.of("0", "false", "off", "no"),
                            "a space needs a connection for statements; use another service"),
                    refused("scram_client_key", "", SCRAM), refused("scram_server_key", "", SCRAM),
                    refused("oauth_issuer", "", OAUTH), refused("oauth_client_id", "", OAUTH),
                    refused("oauth_client_secret", "", OAUTH), refused("oauth_scope", "", OAUTH))
            .stream()
            .collect(Collectors.toUnmodifiableMap(Parameter::name, Function.identity()));

    private Parameters() {}

    private static Parameter used(String name, String variable) {
        return new Parameter(name, variable, "", Set.of(), "", true);
    }

    private static Parameter passed(String name, String variable, String property) {
        return passed(name, variable, property, Set.of());
    }

    private static Parameter passed(String name, String variable, String property, Set<String> values) {
        return new Parameter(name, variable, property, values, "", true);
    }

    private static Parameter ignored(String name, String variable) {
        return new Parameter(name, variable, "", Set.of(), "", false);
    }

    private static Parameter limited(String name, String variable, Set<String> values, String why) {
        return new Parameter(name, variable, "", values, why, false);
    }

    private static Parameter refused(String name, String variable, String why) {
        return limited(name, variable, Set.of(), why);
    }

    static boolean isKnown(String name) {
        return ALL.containsKey(name);
    }

    /** Returns the names that change a connection, and may be part of an address. */
    static Set<String> useful() {
        Set<String> useful = new TreeSet<>();
        ALL.values().stream().filter(Parameter::isUsed).map(Parameter::name).forEach(useful::add);
        useful.remove(PASSWORD);
        return useful;
    }

    /** Returns the parameters that variables set; as with libpq, an empty one counts as missing. */
    static Map<String, Setting> ofVariables(Environment environment) {
        Map<String, Setting> set = new HashMap<>();
        ALL.values().forEach(one -> {
            String value = one.variable().isEmpty() ? null : environment.get(one.variable());
            if (value != null) {
                set.put(one.name(), new Setting(value, "the variable " + one.variable()));
            }
        });
        String required = environment.get(OBSOLETE);
        if (required != null && required.startsWith("1")) {
            set.putIfAbsent(MODE, new Setting(REQUIRE, "the variable " + OBSOLETE));
        }
        return set;
    }

    /**
     * Returns the values of parameters that can all be used or ignored.
     *
     * @throws SpaceException PROVIDER when one cannot, with its origin and the remedy
     */
    static Map<String, String> checked(Map<String, Setting> settings) {
        Map<String, String> values = new HashMap<>();
        settings.forEach((name, setting) -> {
            Parameter parameter = ALL.get(name);
            // A server that is reached by a network has no peer that the kernel knows.
            if (parameter != null && !name.equals(REQUIRE_PEER)) {
                check(parameter, setting);
            }
            values.put(name, setting.value());
        });
        return values;
    }

    /** Throws PROVIDER when a parameter cannot have its value, if it is given at all. */
    static void check(String name, Map<String, Setting> settings) {
        Parameter parameter = ALL.get(name);
        Setting setting = settings.get(name);
        if (parameter != null && setting != null) {
            check(parameter, setting);
        }
    }

    private static void check(Parameter parameter, Setting setting) {
        String value = setting.value();
        if (parameter.name().equals(REQUIRE_AUTH)) {
            checkMethods(setting);
        }
        if (parameter.name().equals(TIMEOUT) && !value.isEmpty() && !value.strip().matches("[+-]?[0-9]+")) {
            throw failure(TIMEOUT + " in " + setting.origin() + " is \"" + value + "\"; it is a number of seconds");
        }
        if (!parameter.admits(value)) {
            // Without the value, which may be a secret, unless there are others.
            throw failure(parameter.why().isEmpty()
                    ? parameter.name() + " in " + setting.origin() + " is \"" + value + "\"; known are "
                            + String.join(", ", new TreeSet<>(parameter.values()))
                    : parameter.name() + (parameter.values().isEmpty() ? "" : "=" + value) + " in " + setting.origin()
                            + " is not supported: " + parameter.why());
        }
    }

    /** Checks a list of methods, of which all or none are denied. */
    private static void checkMethods(Setting setting) {
        String[] methods = setting.value().split(",");
        boolean isDenial = setting.value().startsWith("!");
        if (!setting.value().isEmpty() && !Arrays.stream(methods)
                .allMatch(method -> method.startsWith("!") == isDenial
                        && METHODS.contains(isDenial ? method.substring(1) : method))) {
            throw failure(REQUIRE_AUTH + " in " + setting.origin() + " is \"" + setting.value()
                    + "\"; it lists some of these, all or none of them with an exclamation mark: "
                    + String.join(", ", new TreeSet<>(METHODS)));
        }
    }

    static SpaceException failure(String message) {
        return new SpaceException(Reason.PROVIDER, message);
    }

    /** Returns the names of the parameters for which the driver has properties. */
    static Set<String> passed() {
        return ALL.values()
                .stream()
                .filter(one -> !one.property().isEmpty())
                .map(Parameter::name)
                .collect(Collectors.toUnmodifiableSet());
    }

    /** Returns the property of the driver for a parameter; the same name if there is none. */
    static String property(String name) {
        Parameter parameter = ALL.get(name);
        return parameter == null || parameter.property().isEmpty() ? name : parameter.property();
    }

    /** Returns the value of a property of the driver for the value of a parameter. */
    static String propertyValue(String name, String value) {
        return switch (name) {
            case SESSION -> SERVER_TYPES.getOrDefault(value, "any");
            case BALANCE -> String.valueOf(value.equals(RANDOM));
            // As with libpq, a negative one is none.
            case TIMEOUT -> new BigInteger(value.strip()).max(BigInteger.ZERO).min(MOST_SECONDS).toString();
            default -> value;
        };
    }
}
