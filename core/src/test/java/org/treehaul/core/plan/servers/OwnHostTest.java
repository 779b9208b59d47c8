// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.plan.servers;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;

import org.junit.jupiter.api.Test;
import org.treehaul.core.state.Host;

class OwnHostTest {

    private static boolean is(String own, String server) {
        return OwnHost.named(own).isAmong(List.of("other", server));
    }

    @Test
    void namesAreComparedRegardlessOfCaseAndOfADomainThatOneOfThemLacks() {
        assertThat(is("node1", "node1")).isTrue();
        assertThat(is("node1", "NODE1.example.org")).isTrue();
        assertThat(is("node1.example.org", "node1")).isTrue();
        assertThat(is("node1.example.org", "node1.example.org")).isTrue();
        assertThat(is("node1.example.org", "node1.example.com")).isFalse();
        assertThat(is("node1", "node10")).isFalse();
        assertThat(is("node10", "node1.example.org")).isFalse();
        assertThat(OwnHost.isOne("node1.example.org", "node1")).isTrue();
        assertThat(OwnHost.isOne("node1", "node1.example.org")).isTrue();
        assertThat(OwnHost.isOne("node1.example.org", "node1.example.com")).isFalse();
        assertThat(OwnHost.isOne("node1", "")).isFalse();
    }

    @Test
    void anAddressHasNoDomain() {
        assertThat(is("10", "10.0.0.1")).isFalse();
        assertThat(is("10.0.0.1", "10.0.0.1")).isTrue();
        assertThat(is("fe80", "fe80::1")).isFalse();
    }

    @Test
    void aHostWithoutNameIsNoServer() {
        assertThat(is("", "node1")).isFalse();
        assertThat(OwnHost.named("node1").isAmong(List.of())).isFalse();
    }

    @Test
    void thisHostHasTheNameThatTheKernelReports() throws Exception {
        assertThat(OwnHost.here().isAmong(List.of(Host.name()))).isTrue();
        assertThat(OwnHost.here().isAmong(List.of("no-such-host.example.org", "127.0.0.1"))).isFalse();
    }
}
