// SPDX-License-Identifier: Apache-2.0
/** Tests of the arguments of chmod, chown and chgrp. */
@NullMarked
package org.treehaul.cli.attributes;

import org.jspecify.annotations.NullMarked;
