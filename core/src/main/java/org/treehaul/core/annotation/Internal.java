// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.annotation;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * The marked package, type or member is public only because other packages of TreeHaul use it. Programs that embed the
 * library must not use it: any release may change it without notice.
 *
 * <p>
 * The mark of a type takes the place of the mark of its package. A marked member belongs to a type that is {@link Api}.
 */
@Documented
@Retention(RetentionPolicy.CLASS)
@Target({ElementType.PACKAGE, ElementType.TYPE, ElementType.METHOD, ElementType.CONSTRUCTOR, ElementType.FIELD})
public @interface Internal {}
