// SPDX-License-Identifier: Apache-2.0
/**
 * The input of the command line: arguments byte for byte, and the values of options.
 *
 * <p>
 * Picocli handles Strings. It gets every byte of an argument as one character of ISO-8859-1, and the converters here
 * restore the bytes.
 */
@NullMarked
package org.treehaul.cli.args;

import org.jspecify.annotations.NullMarked;
