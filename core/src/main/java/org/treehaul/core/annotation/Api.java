// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.annotation;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Programs that embed the library may use the marked package or type. Releases change it only with an entry in the
 * changelog. The public and protected members of a marked type name no type that is {@link Internal}.
 *
 * <p>
 * The mark of a type takes the place of the mark of its package; a nested type has the mark of its outer type.
 */
@Documented
@Retention(RetentionPolicy.CLASS)
@Target({ElementType.PACKAGE, ElementType.TYPE})
public @interface Api {}
