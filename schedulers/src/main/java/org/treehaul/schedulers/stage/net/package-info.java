// SPDX-License-Identifier: Apache-2.0
/**
 * The segments of a parallel file over the network: the server of a directory, and its clients.
 * <p>
 * Input: an open directory of segments and the secret of a run, or the address of a server. Output: the operations of
 * {@link org.treehaul.schedulers.stage.Segments} for programs on other hosts. Both ends prove the secret; frames have a
 * bounded length, a number and a checksum; memory is bounded at both ends. Netty carries the bytes, with or without
 * TLS.
 */
@Api
@NullMarked
package org.treehaul.schedulers.stage.net;

import org.jspecify.annotations.NullMarked;
import org.treehaul.core.annotation.Api;
