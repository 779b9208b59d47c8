// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.pool.work;

import java.io.IOException;
import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;

import org.treehaul.schedulers.pool.Pool;
import org.treehaul.schedulers.pool.TransferOffer;
import org.treehaul.schedulers.pool.Trust;
import org.treehaul.schedulers.pool.carry.Carrier;
import org.treehaul.schedulers.pool.carry.OwnCarriers;
import org.treehaul.schedulers.pool.submitter.Children;
import org.treehaul.schedulers.pool.submitter.Submitter;
import org.treehaul.schedulers.pool.submitter.Submitters;
import org.treehaul.tuplespace.store.Owned;

/**
 * Admits the transfers of all users of a shared space to a worker of root. The user of a transfer is the one whom the
 * server recorded as the writer of its offer; the user that the offer itself names does not count. This process opens
 * nothing of another user.
 */
final class AllUsers implements Admission {

    private static final int MOST_NOTICES = 1000;
    // A member may leave batches of any number of transfers without an offer.
    private static final int MOST_SWEPT = 1000;

    private final Pool pool;
    private final String self;
    private final Submitters submitters;
    private final OwnCarriers own;
    private final Children children;
    private final Consumer<String> notices;
    private final Set<String> noticed = new HashSet<>();
    private final Map<String, Admitted> admitted = new LinkedHashMap<>();
    // The transfer whose process is in the middle of a turn; empty if none is.
    private String opened = "";
    private Trust ofOpened = Trust.EVERYBODY;
    private boolean isSwept;
    private boolean hasOffers;

    /** A transfer, and the user for whom it is carried out; empty for root. */
    private record Admitted(TransferOffer offer, String role, Optional<Submitter> user) {}

    /**
     * Creates the admission.
     *
     * @param self the user by whom the server knows this worker; its own transfers are root's
     */
    AllUsers(Pool pool, String self, Submitters submitters, OwnCarriers own, Children children,
            Consumer<String> notices) {
        this.pool = pool;
        this.self = self;
        this.submitters = submitters;
        this.own = own;
        this.children = children;
        this.notices = notices;
        if (!submitters.isOfAll(self)) {
            notices.accept("role " + self + " sees only its own transfers in this space; an administrator lets it see "
                    + "those of all users: 'treehaul members grant --all write " + self + "'");
        }
    }

    @Override
    public List<TransferOffer> offers() {
        Map<String, List<Owned<TransferOffer>>> all = pool.ownedTransfers()
                .stream()
                .filter(owned -> owned.tuple().format() == TransferOffer.FORMAT)
                .collect(
                        Collectors.groupingBy(owned -> owned.tuple().place(), LinkedHashMap::new, Collectors.toList()));
        hasOffers = !all.isEmpty();
        Set<String> seen = isSwept ? Set.of() : pool.offeredBatches(all.keySet(), MOST_SWEPT);
        Set<String> gone = new HashSet<>(admitted.keySet());
        gone.addAll(seen);
        gone.removeAll(all.keySet());
        admitted.clear();
        all.forEach(this::admit);
        children.keepOnly(admitted.keySet(), opened);
        own.keepOnly(admitted.values().stream().map(one -> one.offer().transfer()).collect(Collectors.toSet()));
        // The user cannot remove what workers have written.
        long withdrawn = gone.stream().filter(this::withdraw).count();
        // The rest of many follows next time.
        isSwept |= seen.size() < MOST_SWEPT || withdrawn == 0;
        return admitted.values().stream().map(Admitted::offer).toList();
    }

    private boolean withdraw(String place) {
        int dot = place.lastIndexOf('.');
        String transfer = place.substring(0, dot);
        int generation = Integer.parseInt(place.substring(dot + 1));
        // A worker of the user may be replacing the offer.
        if (pool.isOffered(transfer, generation)) {
            return false;
        }
        pool.withdraw(transfer, generation);
        return true;
    }

    private void admit(String place, List<Owned<TransferOffer>> offers) {
        List<String> roles = offers.stream().flatMap(owned -> owned.owner().stream()).distinct().toList();
        if (roles.size() != 1) {
            notice("transfer " + place + " is offered by several users, " + String.join(" and ", roles)
                    + ": it is left alone until only one offers it");
            return;
        }
        TransferOffer offer = offers.getFirst().tuple();
        String role = roles.getFirst();
        if (role.equals(self)) {
            admitted.put(place, new Admitted(offer, role, Optional.empty()));
            return;
        }
        switch (submitters.find(role)) {
            case Submitters.Known known ->
                admitted.put(place, new Admitted(offer, role, Optional.of(known.submitter())));
            case Submitters.Unknown unknown -> notice(unknown.reason() + "; its transfers are left alone");
        }
    }

    private void notice(String text) {
        if (noticed.size() > MOST_NOTICES) {
            noticed.clear();
        }
        if (noticed.add(text)) {
            notices.accept(text);
        }
    }

    private Admitted of(String place) {
        return Objects.requireNonNull(admitted.get(place), place);
    }

    @Override
    public boolean awaitOffer(Duration most) throws InterruptedException {
        if (hasOffers) {
            // An offer that this worker leaves alone would end the waiting at once.
            Thread.sleep(most);
            return false;
        }
        return pool.awaitTransfer(most);
    }

    @Override
    public String user(TransferOffer offer) {
        return of(offer.place()).role();
    }

    @Override
    public Trust of(TransferOffer offer) {
        // It may have been withdrawn since, or another user offers the same id: the turn that runs ends as it began.
        return offer.place().equals(opened) ? ofOpened : trust(of(offer.place()));
    }

    private Trust trust(Admitted transfer) {
        return transfer.user().isEmpty() ? ofPool() : new Trust(Set.of(self, transfer.role()));
    }

    @Override
    public Trust ofPool() {
        return new Trust(Set.of(self));
    }

    @Override
    public Optional<Carrier> open(TransferOffer offer) throws IOException, InterruptedException {
        Admitted transfer = of(offer.place());
        opened = offer.place();
        ofOpened = trust(transfer);
        return transfer.user().isPresent()
                ? children.open(transfer.user().get(), offer.transfer(), offer.generation())
                : own.open(offer.transfer(), offer.generation());
    }

    @Override
    public void leave() {
        opened = "";
    }

    @Override
    public void close() {
        children.close();
        own.close();
    }
}
