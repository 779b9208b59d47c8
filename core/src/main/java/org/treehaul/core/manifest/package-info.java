// SPDX-License-Identifier: Apache-2.0
/**
 * Manifests: the checksums of the files of a tree, in the format of {@code sha256sum}.
 *
 * <p>
 * In: a tree, or a tree and a manifest. Out: a manifest, or the differences between the two.
 * {@link org.treehaul.core.manifest.TreeManifest} is the entry point.
 */
@Api
@NullMarked
package org.treehaul.core.manifest;

import org.jspecify.annotations.NullMarked;
import org.treehaul.core.annotation.Api;
