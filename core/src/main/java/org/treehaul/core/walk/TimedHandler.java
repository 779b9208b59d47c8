// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.walk;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.fs.SystemCallException;

/** Measures the time that a handler takes. */
record TimedHandler<D>(WalkHandler<D> handler, WorkerTimes times) implements WalkHandler<D> {

    @Override
    public Step entry(FoundEntry<D> found) throws SystemCallException {
        times.enterCallback();
        try {
            return handler.entry(found);
        } finally {
            times.leaveCallback();
        }
    }

    @Override
    public int readAhead(WalkDirectory<D> directory, WalkWorker<D> worker, int count) {
        times.enterCallback();
        try {
            return handler.readAhead(directory, worker, count);
        } finally {
            times.leaveCallback();
        }
    }

    @Override
    public void beforeSharing() {
        times.enterCallback();
        try {
            handler.beforeSharing();
        } finally {
            times.leaveCallback();
        }
    }

    @Override
    public boolean missing(FoundEntry<D> found) throws SystemCallException {
        times.enterCallback();
        try {
            return handler.missing(found);
        } finally {
            times.leaveCallback();
        }
    }

    @Override
    public @Nullable D enter(WalkDirectory<D> directory, WalkWorker<D> worker) throws SystemCallException {
        times.enterCallback();
        try {
            return handler.enter(directory, worker);
        } finally {
            times.leaveCallback();
        }
    }

    @Override
    public boolean needsDirectoryStatus() {
        return handler.needsDirectoryStatus();
    }

    @Override
    public void unopened(WalkDirectory<D> directory, WalkWorker<D> worker) throws SystemCallException {
        times.enterCallback();
        try {
            handler.unopened(directory, worker);
        } finally {
            times.leaveCallback();
        }
    }

    @Override
    public void leave(WalkDirectory<D> directory, WalkWorker<D> worker) throws SystemCallException {
        times.enterCallback();
        try {
            handler.leave(directory, worker);
        } finally {
            times.leaveCallback();
        }
    }

    @Override
    public void idle(WalkWorker<D> worker) {
        times.enterCallback();
        try {
            handler.idle(worker);
        } finally {
            times.leaveCallback();
        }
    }

    @Override
    public void finished(WalkWorker<D> worker) {
        times.enterCallback();
        try {
            handler.finished(worker);
        } finally {
            times.leaveCallback();
        }
    }

    @Override
    public void childFailed(FoundEntry<D> found, EntryFailure failure) {
        times.enterCallback();
        try {
            handler.childFailed(found, failure);
        } finally {
            times.leaveCallback();
        }
    }

    @Override
    public void failed(EntryFailure failure) {
        times.enterCallback();
        try {
            handler.failed(failure);
        } finally {
            times.leaveCallback();
        }
    }
}
