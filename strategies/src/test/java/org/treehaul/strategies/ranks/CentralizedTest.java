// SPDX-License-Identifier: Apache-2.0
package org.treehaul.strategies.ranks;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;

/** Races that depend on when the master looks at its pool, at exactly that moment. */
class CentralizedTest {

    private static final byte[] UNIT = {1};

    /** Holds a unit that leads to another and ends between two looks: the new unit is visible only at the second. */
    private static final class EndingPool implements WorkPool {
        private boolean isBegun;
        private int looks;
        private boolean isGiven;

        @Override
        public long waiting() {
            return !isBegun || looks > 1 && !isGiven ? 1 : 0;
        }

        @Override
        public boolean isResting() {
            if (isBegun) {
                looks++;
            }
            return looks != 1;
        }

        @Override
        public boolean isBusy() {
            return isBegun && looks < 2;
        }

        @Override
        public byte[] take(long units, int bytes) {
            if (waiting() == 0) {
                return new byte[0];
            }
            isGiven = true;
            return UNIT;
        }

        @Override
        public byte[] takeLargest(long units, long weight, int bytes) {
            return take(units, bytes);
        }

        @Override
        public long weight() {
            return waiting();
        }

        @Override
        public long add(byte[] units) {
            throw new IllegalStateException("nothing is sent back");
        }

        @Override
        public void permit(long units) {
            isBegun = true;
        }

        @Override
        public void restrict() {
            // This pool begins only permitted units anyway.
        }

        @Override
        public void wanted() {
            // There is nothing to divide.
        }
    }

    @Test
    void aMasterThatEndsItsOwnUnitDuringALookSharesTheNewUnits() {
        List<Message.Kind> sent = new ArrayList<>();
        Group group = new Group(0, 2, rank -> 0, 1, Group.Settings.defaults());
        Centralized master = new Centralized(group, new EndingPool(), (to, message) -> sent.add(Message.kind(message)),
                Centralized.Policy.PCT);
        master.look(0);
        master.received(0, 1, Message.of(Message.Kind.REQUEST, 0));
        master.look(0);
        assertThat(sent).as("while the unit ends").isEmpty();
        master.look(0);
        assertThat(sent).as("afterwards").containsExactly(Message.Kind.WORK);
        assertThat(master.isOver()).isFalse();
        master.received(0, 1, Message.of(Message.Kind.REQUEST, 0));
        master.look(0);
        assertThat(sent).containsExactly(Message.Kind.WORK, Message.Kind.END);
    }
}
