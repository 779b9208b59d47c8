// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.report;

import org.treehaul.core.locality.DataExtent;
import org.treehaul.core.locality.DataLayout;
import org.treehaul.core.locality.DataPlace;
import org.treehaul.core.locality.Holders;

/**
 * Writes where the data of a file are as a field of a line of NDJSON; {@code docs/guide/locality.md} lists the fields.
 */
final class LayoutJson {

    private LayoutJson() {}

    static void write(JsonLines json, DataLayout layout) {
        json.object("locality").text("kind", layout.kind());
        EntryJson.servers(json, layout.servers());
        if (layout.isReleased()) {
            json.flag("released", true);
        }
        json.list("extents");
        layout.extents().forEach(extent -> write(json, extent));
        json.endList().endObject();
    }

    private static void write(JsonLines json, DataExtent extent) {
        json.element().number("offset", extent.offset());
        if (!extent.isOpen()) {
            json.number("length", extent.length());
        }
        if (extent.stripeSize() > 0) {
            json.number("stripe_size", extent.stripeSize()).number("stripe_count", extent.stripeCount());
        }
        if (!extent.pool().isEmpty()) {
            json.text("pool", extent.pool());
        }
        if (!extent.holders().isEmpty()) {
            json.list("stripes");
            extent.holders().forEach(holders -> write(json, holders));
            json.endList();
        }
        json.endObject();
    }

    private static void write(JsonLines json, Holders holders) {
        json.element();
        if (holders.kind() == Holders.Kind.FRAGMENTS) {
            json.flag("fragments", true);
        }
        json.list("places");
        for (DataPlace place : holders.places()) {
            json.element().text("server", place.server());
            if (place.path().length() > 0) {
                json.path("path", place.path());
            }
            json.endObject();
        }
        json.endList().endObject();
    }
}
