// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.testing;

import org.treehaul.core.operation.OperationProvider;
import org.treehaul.core.operation.Repetition;

/** An operation of a test; its class creates it. */
public abstract class NamedOperation implements OperationProvider {

    private final String name;
    private final int version;
    private final Repetition repetition;

    protected NamedOperation(String name, int version, Repetition repetition) {
        this.name = name;
        this.version = version;
        this.repetition = repetition;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public int version() {
        return version;
    }

    @Override
    public Repetition repetition() {
        return repetition;
    }
}
