// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.attributes;

import java.util.OptionalLong;

import org.treehaul.core.attributes.OwnerChange;
import org.treehaul.core.condition.Accounts;

/**
 * An owner and a group as chown(1) reads them.
 *
 * @param user the number of the owner; empty if none was given
 * @param group the number of the group; empty if none was given
 */
record OwnerSpec(OptionalLong user, OptionalLong group) {

    static final OwnerSpec NONE = new OwnerSpec(OptionalLong.empty(), OptionalLong.empty());

    /**
     * Reads {@code OWNER}, {@code OWNER:GROUP}, {@code OWNER:} for the login group of the owner, or {@code :GROUP}. A
     * name has precedence over a number, unless the number begins with {@code +}.
     *
     * @throws IllegalArgumentException if there is no such user or group; the message names the remedy
     */
    static OwnerSpec parse(String text, Accounts accounts) {
        int colon = text.indexOf(':');
        String user = colon < 0 ? text : text.substring(0, colon);
        String group = colon < 0 ? "" : text.substring(colon + 1);
        OptionalLong number = user.isEmpty() ? OptionalLong.empty() : user(user, accounts);
        if (colon < 0 || user.isEmpty() || !group.isEmpty()) {
            return new OwnerSpec(number, group(group, accounts));
        }
        OptionalLong login = accounts.loginGroup(user);
        if (login.isEmpty()) {
            throw new IllegalArgumentException("'" + text + "' means the login group of '" + user
                    + "', which is not the name of a user; name the group after the colon");
        }
        return new OwnerSpec(number, login);
    }

    private static OptionalLong user(String text, Accounts accounts) {
        return number("user", "passwd", text, text.startsWith("+") ? OptionalLong.empty() : accounts.user(text));
    }

    /**
     * Reads a group by its name or number; an empty text means none.
     *
     * @throws IllegalArgumentException if there is no such group; the message names the remedy
     */
    static OptionalLong group(String text, Accounts accounts) {
        return text.isEmpty()
                ? OptionalLong.empty()
                : number("group", "group", text, text.startsWith("+") ? OptionalLong.empty() : accounts.group(text));
    }

    private static OptionalLong number(String kind, String database, String text, OptionalLong named) {
        if (named.isPresent()) {
            return named;
        }
        if (text.matches("\\+?\\d{1,10}") && Long.parseLong(text) <= OwnerChange.LARGEST) {
            return OptionalLong.of(Long.parseLong(text));
        }
        throw new IllegalArgumentException("there is no " + kind + " '" + text + "'; "
                + (text.matches("[^.]+\\.[^.]+")
                        ? "owner and group are separated by a colon: '" + text.replace('.', ':') + "'"
                        : "'getent " + database + "' lists those that this machine knows"));
    }
}
