// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.async;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import org.treehaul.core.async.AsyncFaultsContract.Fault;
import org.treehaul.core.async.backend.Backend;
import org.treehaul.core.async.backend.Request;

/** A backend whose requests fail: before it sees them, or after it has carried them out. */
public final class FaultyBackend implements Backend {

    private final Backend backend;
    private final List<Fault> faults;
    private final Map<Fault, Integer> met = new ConcurrentHashMap<>();

    /** Makes requests to a backend fail. */
    public FaultyBackend(Backend backend, Fault... faults) {
        this.backend = backend;
        this.faults = List.of(faults);
    }

    @Override
    public void submit(Request request) {
        Request sent = request;
        for (Fault fault : faults) {
            if (fault.kind() != request.kind()
                    || met.merge(fault, 1, Integer::sum) != fault.nth() && fault.nth() != 0) {
                continue;
            }
            Request now = sent;
            sent = switch (fault.effect()) {
                case FALLS_SHORT -> with(now, Math.min(now.memory().byteSize(), fault.number()), now.answered());
                case SEEMS_TO_FAIL ->
                    with(now, now.memory().byteSize(), result -> now.answered().answered(-fault.number()));
                // Closed in any case, as the kernel does.
                case FAILS -> request.kind() == Request.Kind.CLOSE
                        ? with(now, now.memory().byteSize(), result -> now.answered().answered(-fault.number()))
                        : Request.of(Request.Kind.NONE, 0, result -> now.answered().answered(-fault.number()));
            };
        }
        backend.submit(sent);
    }

    private static Request with(Request request, long bytes, Request.Answered answered) {
        return new Request(request.kind(), request.descriptor(), request.memory().asSlice(0, bytes), request.offset(),
                request.flags(), request.mode(), request.status(), answered);
    }

    @Override
    public void end() {
        backend.end();
    }
}
