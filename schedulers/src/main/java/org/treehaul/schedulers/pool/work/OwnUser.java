// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.pool.work;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Collectors;

import org.treehaul.schedulers.pool.Pool;
import org.treehaul.schedulers.pool.TransferOffer;
import org.treehaul.schedulers.pool.Trust;
import org.treehaul.schedulers.pool.carry.Carrier;
import org.treehaul.schedulers.pool.carry.OwnCarriers;
import org.treehaul.tuplespace.store.Owned;

/** Admits the transfers of the user of this process. */
final class OwnUser implements Admission {

    private final Pool pool;
    private final long uid;
    private final OwnCarriers carriers;
    private final Consumer<String> notices;
    private boolean isNoticed;

    OwnUser(Pool pool, long uid, OwnCarriers carriers, Consumer<String> notices) {
        this.pool = pool;
        this.uid = uid;
        this.carriers = carriers;
        this.notices = notices;
    }

    @Override
    public List<TransferOffer> offers() {
        List<TransferOffer> all = pool.ownedTransfers().stream().map(Owned::tuple).toList();
        if (uid == 0 && !isNoticed && all.stream().anyMatch(offer -> offer.uid() != 0)) {
            isNoticed = true;
            notices.accept(
                    "the pool has transfers of other users, which a worker of root leaves alone: each user needs "
                            + "workers of their own, or the pool a space that 'treehaul members' made");
        }
        List<TransferOffer> offers = all.stream()
                .filter(offer -> offer.uid() == uid && offer.format() == TransferOffer.FORMAT)
                .toList();
        carriers.keepOnly(offers.stream().map(TransferOffer::transfer).collect(Collectors.toSet()));
        return offers;
    }

    @Override
    public boolean awaitOffer(Duration most) throws InterruptedException {
        return pool.awaitTransfer(uid, most);
    }

    @Override
    public String user(TransferOffer offer) {
        return "";
    }

    @Override
    public Trust of(TransferOffer offer) {
        return Trust.EVERYBODY;
    }

    @Override
    public Trust ofPool() {
        return Trust.EVERYBODY;
    }

    @Override
    public Optional<Carrier> open(TransferOffer offer) throws IOException {
        return carriers.open(offer.transfer(), offer.generation());
    }

    @Override
    public void leave() {
        // Nothing is kept for a turn only.
    }

    @Override
    public void close() {
        carriers.close();
    }
}
