// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.postgresql.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.store.SpaceException.Reason;
import org.treehaul.tuplespace.store.SpaceUri;

/** No parameter of libpq that makes a connection safer, or leads to another one, is ignored. */
class ParametersTest {
    @TempDir
    Path home;

    @SuppressWarnings("NullAway") // set by JUnit
    ParametersTest() {}

    private ServerAddress address(String uri, Map<String, String> variables) {
        return ServerAddress.of(SpaceUri.parse(uri), new Environment(variables::get, home, "alice"));
    }

    private Path file() {
        return home.resolve(".pg_service.conf");
    }

    /** Reads a service with these lines, of which the first one is line 4 of the file. */
    private ServerAddress service(String... lines) throws Exception {
        Files.writeString(file(),
                "[other]\nunknown=1\n[own]\n" + String.join("\n", lines) + "\n[last]\nno parameter\n");
        return address("postgresql:///?service=own", Map.of());
    }

    private static void fails(String message, ThrowingCallable call) {
        assertThatExceptionOfType(SpaceException.class).isThrownBy(call)
                .satisfies(e -> assertThat(e.reason()).isEqualTo(Reason.PROVIDER))
                .withMessageContaining(message)
                .satisfies(e -> assertThat(e.getMessage()).doesNotContain("s3cret"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock = """
                    sslcrl                   | PGSSLCRL               | /s3cret        | sslcrl in % is not supported: a revoked certificate
                    sslcrldir                | PGSSLCRLDIR            | /s3cret        | sslcrldir in % is not supported: a revoked certificate
                    sslcertmode              | PGSSLCERTMODE          | require        | write allow if you accept that
                    sslsni                   | PGSSLSNI               | 0              | sslsni=0 in % is not supported: others on the network
                    ssl_min_protocol_version | PGSSLMINPROTOCOLVERSION | TLSv1.3       | write TLSv1.2, and set ssl_min_protocol_version of the server
                    gssencmode               | PGGSSENCMODE           | require        | write disable, and sslmode=verify-full
                    channel_binding          | PGCHANNELBINDING       | required       | channel_binding in % is "required"; known are disable, prefer, require
                    require_auth             | PGREQUIREAUTH          | md5,scram      | require_auth in % is "md5,scram"; it lists some of these
                    require_auth             | PGREQUIREAUTH          | md5,!none      | all or none of them with an exclamation mark: gss, md5
                    require_auth             | PGREQUIREAUTH          | oauth          | require_auth in % is "oauth"
                    target_session_attrs     | PGTARGETSESSIONATTRS   | writable       | known are any, prefer-standby, primary
                    load_balance_hosts       | PGLOADBALANCEHOSTS     | on             | known are disable, random
                    sslnegotiation           | PGSSLNEGOTIATION       | tls            | known are direct, postgres
                    sslnegotiation           | PGSSLNEGOTIATION       | direct         | needs sslmode=require or a stricter mode, not prefer
                    sslrootcert              | PGSSLROOTCERT          | system         | such as /etc/ssl/certs/ca-certificates.crt
                    min_protocol_version     | PGMINPROTOCOLVERSION   | 3.2            | min_protocol_version=3.2 in % is not supported
                    """)
    void aParameterThatCannotBeObeyedIsRefusedWhereverItIsGiven(String name, String variable, String value,
            String message) throws Exception {
        fails(message.replace("%", "line 5 of the service file " + file()),
                () -> service("host=db", name + " = " + value));
        fails(message.replace("%", "the variable " + variable),
                () -> address("postgresql://db", Map.of(variable, value)));
        fails(message.replace("%", "the address"), () -> address("postgresql://db?" + name + "=" + value, Map.of()));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"replication=database", "scram_client_key=s3cret", "scram_server_key=s3cret",
                    "oauth_issuer=https://s3cret", "oauth_client_id=s3cret", "oauth_client_secret=s3cret",
                    "oauth_scope=s3cret"})
    void aServiceForAnotherUseOrLoginIsRefusedWithoutItsSecrets(String line) {
        fails("in line 4 of the service file " + file() + " is not supported: ", () -> service(line));
    }

    @Test
    void aParameterThatNothingDependsOnIsIgnored() throws Exception {
        Map<String, String> plain = service("host=db").properties();
        assertThat(service("host=db", "client_encoding=latin1", "fallback_application_name=psql", "keepalives=0",
                "keepalives_idle=1", "keepalives_interval=1", "keepalives_count=1", "tcp_user_timeout=1",
                "sslcompression=1", "sslpassword=s3cret", "sslkeylogfile=/x", "ssl_max_protocol_version=TLSv1.2",
                "max_protocol_version=latest", "krbsrvname=x", "gsslib=gssapi", "gssdelegation=1", "requirepeer=eve",
                "sslsni=1", "ssl_min_protocol_version=TLSv1.2", "gssencmode=prefer", "replication=off",
                "min_protocol_version=3.0", "sslcrl=").properties()).isEqualTo(plain);
    }

    @Test
    void parametersThatTheDriverObeysArePassedToIt() throws Exception {
        assertThat(service("host=db", "channel_binding=require", "require_auth=!password,!none",
                "load_balance_hosts=random", "sslmode=require", "sslnegotiation=direct").properties())
                .containsEntry("channelBinding", "require")
                .containsEntry("requireAuth", "!password,!none")
                .containsEntry("loadBalanceHosts", "true")
                .containsEntry("sslNegotiation", "direct");
        assertThat(address("postgresql://db?channel_binding=disable&require_auth=scram-sha-256,none",
                Map.of("PGCHANNELBINDING", "require", "PGREQUIRESSL", "1")).properties())
                .containsEntry("channelBinding", "disable")
                .containsEntry("requireAuth", "scram-sha-256,none")
                .containsEntry("sslmode", "require");
        assertThat(address("postgresql://db", Map.of("PGREQUIRESSL", "1", "PGSSLMODE", "disable")).properties())
                .containsEntry("sslmode", "disable");
    }

    @Test
    void anAddressReplacesAParameterThatAServiceHasAndThatIsNotSupported() throws Exception {
        fails("gssencmode=require", () -> service("host=db", "gssencmode=require"));
        assertThat(address("postgresql:///?service=own&gssencmode=disable", Map.of()).hosts())
                .containsExactly("db:5432");
    }

    @Test
    void aLineOfAServiceThatIsNoParameterIsRefusedWithFileAndLine() {
        String origin = " of the service file " + file();
        fails("line 5" + origin + " has the unknown parameter \"sslmod\"",
                () -> service("# encrypted", "sslmod=verify-full"));
        fails("line 6" + origin + " is not NAME=VALUE", () -> service("user=bob", "", "s3cret"));
        fails("line 4" + origin + " is not NAME=VALUE", () -> service("=s3cret"));
        fails("line 4" + origin + " names another service", () -> service("service=other"));
        fails("line 4" + origin + " names a server of LDAP",
                () -> service("ldap://ldap.site/dc=site?uniqueMember?one?(cn=db)"));
    }

    @Test
    void theAddressOfAHostStandsForItsName() throws Exception {
        assertThat(service("hostaddr=10.0.0.1", "port=7").hosts()).containsExactly("10.0.0.1:7");
        assertThat(address("postgresql:///x", Map.of("PGHOSTADDR", "fe80::1")).hosts())
                .containsExactly("[fe80::1]:5432");
        fails("hostaddr in line 4 of the service file " + file() + " is not supported beside the name of a host",
                () -> service("hostaddr=10.0.0.1", "host=db"));
    }

    @Test
    void theUserWhoRunsAServerIsAskedForOnlyWhereAKernelKnowsIt() {
        Map<String, String> variables = new HashMap<>(Map.of("PGREQUIREPEER", "postgres"));
        assertThat(address("postgresql://db", variables).hosts()).containsExactly("db:5432");
        fails("requirepeer in the variable PGREQUIREPEER is not supported",
                () -> address("postgresql:///x?host=/run", variables));
    }

    @Test
    void aCertificateThatIsNotToBeSentIsNotLookedFor() throws Exception {
        for (String name : List.of("sslcert=/absent", "sslkey=/absent")) {
            fails("there is no file", () -> service("host=db", "sslmode=require", name));
            assertThat(service("host=db", "sslmode=require", name, "sslcertmode=disable").properties())
                    .containsEntry("sslcert", "")
                    .containsEntry("sslkey", "");
        }
    }

    @Test
    void aPasswordOfAKeyInAnAddressIsRefusedAsOthersCanSeeIt() {
        assertThatExceptionOfType(SpaceException.class)
                .isThrownBy(() -> address("postgresql://db?sslpassword=s3cret", Map.of()))
                .satisfies(e -> assertThat(e.reason()).isEqualTo(Reason.UNSAFE))
                .withMessageNotContaining("s3cret");
    }
}
