// SPDX-License-Identifier: Apache-2.0
/**
 * Where the data of files are: the servers of a parallel file system that store each part of a file.
 *
 * <p>
 * In: a file, and the extended attributes, or the answers of its mount, by which its file system describes the layout.
 * Out: a {@link org.treehaul.core.locality.DataLayout}, or nothing where the file system does not say.
 * {@link org.treehaul.core.locality.Locality} is the entry point; a {@link org.treehaul.core.locality.LocalityProvider}
 * reads the layouts of one kind of file system.
 */
@Api
@NullMarked
package org.treehaul.core.locality;

import org.jspecify.annotations.NullMarked;
import org.treehaul.core.annotation.Api;
