// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.locality;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.treehaul.core.entry.ByteString;

class CephLocalityTest {

    private static DataLayout parse(String value) throws LayoutException {
        return CephLocality.parse(ByteString.of(value));
    }

    @Test
    void theAttributeHasStripesAndPoolButNoServers() throws LayoutException {
        DataLayout layout = parse("stripe_unit=4194304 stripe_count=2 object_size=8388608 pool=cephfs.a.data");
        assertThat(layout).isEqualTo(
                DataLayout.of("cephfs", new DataExtent(0, Long.MAX_VALUE, 4_194_304, 2, List.of(), "cephfs.a.data")));
        assertThat(layout.servers()).isEmpty();
        assertThat(parse("stripe_unit=4096 stripe_count=1 object_size=4096 pool=hot data pool_namespace=a b").extents()
                .getFirst()
                .pool()).isEqualTo("hot data");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "stripe_unit=1", "stripe_unit=0 stripe_count=1 object_size=1 pool=p",
                    "stripe_unit=1 stripe_count=0 object_size=1 pool=p",
                    "stripe_unit=1 stripe_count=1 object_size=1 pool=",
                    "stripe_unit=-1 stripe_count=1 object_size=1 pool=p",
                    "stripe_unit=1 stripe_count=9999999999 object_size=1 pool=p",
                    "stripe_unit=9999999999999999999 stripe_count=1 object_size=1 pool=p"})
    void malformedValuesAreRefused(String value) {
        assertThatThrownBy(() -> parse(value)).isInstanceOf(LayoutException.class)
                .hasMessageStartingWith("ceph.file.layout: ");
    }
}
