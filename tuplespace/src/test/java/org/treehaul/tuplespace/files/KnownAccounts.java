// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.files;

import java.util.OptionalLong;

import org.treehaul.core.condition.Accounts;

/** Knows alice, user 1000, and physics, group 200. */
final class KnownAccounts implements Accounts {

    @Override
    public OptionalLong user(String name) {
        return name.equals("alice") ? OptionalLong.of(1000) : OptionalLong.empty();
    }

    @Override
    public OptionalLong loginGroup(String user) {
        return OptionalLong.empty();
    }

    @Override
    public OptionalLong group(String name) {
        return name.equals("physics") ? OptionalLong.of(200) : OptionalLong.empty();
    }

    @Override
    public String userName(long number) {
        return number == 1000 ? "alice" : Long.toString(number);
    }

    @Override
    public String groupName(long number) {
        return number == 200 ? "physics" : Long.toString(number);
    }
}
