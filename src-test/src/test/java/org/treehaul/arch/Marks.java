// SPDX-License-Identifier: Apache-2.0
package org.treehaul.arch;

import static com.tngtech.archunit.core.domain.JavaModifier.PROTECTED;
import static com.tngtech.archunit.core.domain.JavaModifier.PUBLIC;
import static com.tngtech.archunit.core.domain.JavaModifier.SYNTHETIC;

import java.util.HashSet;
import java.util.Set;
import java.util.function.BiConsumer;

import com.tngtech.archunit.core.domain.AccessTarget;
import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaMember;
import com.tngtech.archunit.core.domain.JavaType;
import com.tngtech.archunit.core.domain.JavaTypeVariable;
import org.treehaul.core.annotation.Api;
import org.treehaul.core.annotation.Internal;

/**
 * The marks of packages, types and members below one root: which are API, and which are internal. The command line is
 * internal without marks, because its launcher is compiled for a Java that cannot read them.
 *
 * @param root {@code org.treehaul}, or the root of a house built to break the rules
 */
record Marks(String root) {

    /** Returns whether a package has exactly one mark, or needs none. */
    boolean isMarked(JavaClass type) {
        return isOfTheCommandLine(type)
                || type.getPackage().isAnnotatedWith(Api.class) != type.getPackage().isAnnotatedWith(Internal.class);
    }

    /** Returns whether programs may use a type. */
    boolean isApi(JavaClass type) {
        if (!isVisible(type) || isOfTheCommandLine(type) || type.isAnnotatedWith(Internal.class)) {
            return false;
        }
        if (type.getEnclosingClass().isPresent()) {
            return isApi(type.getEnclosingClass().get());
        }
        return type.isAnnotatedWith(Api.class) || type.getPackage().isAnnotatedWith(Api.class);
    }

    /** Passes each internal type that the members and the supertypes of an API type name, with the place. */
    void leaks(JavaClass type, BiConsumer<String, JavaClass> report) {
        for (JavaCodeUnit unit : type.getCodeUnits()) {
            if (isPartOfApi(unit)) {
                Set<JavaClass> named = new HashSet<>(unit.getAllInvolvedRawTypes());
                unit.getExceptionTypes().forEach(thrown -> named.addAll(thrown.getAllInvolvedRawTypes()));
                internal(unit.getFullName(), named, report);
            }
        }
        for (JavaField field : type.getFields()) {
            if (isPartOfApi(field)) {
                internal(field.getFullName(), field.getAllInvolvedRawTypes(), report);
            }
        }
        Set<JavaClass> named = new HashSet<>(type.getAllRawInterfaces());
        named.addAll(type.getAllRawSuperclasses());
        type.getSuperclass().map(JavaType::getAllInvolvedRawTypes).ifPresent(named::addAll);
        type.getInterfaces().forEach(implemented -> named.addAll(implemented.getAllInvolvedRawTypes()));
        for (JavaTypeVariable<JavaClass> parameter : type.getTypeParameters()) {
            named.addAll(parameter.getAllInvolvedRawTypes());
        }
        internal(type.getName(), named, report);
    }

    private void internal(String place, Set<JavaClass> named, BiConsumer<String, JavaClass> report) {
        named.stream()
                .map(JavaClass::getBaseComponentType)
                .filter(this::isOurs)
                .filter(type -> !isApi(type))
                .distinct()
                .forEach(type -> report.accept(place, type));
    }

    /**
     * Passes each use of an internal type or member that a class of another program makes, with the place.
     *
     * @param ours the classes of the house, with their packages: those that are imported for the user have none
     */
    void misuses(JavaClass user, JavaClasses ours, BiConsumer<String, String> report) {
        for (Dependency use : user.getDirectDependenciesFromSelf()) {
            JavaClass used = use.getTargetClass().getBaseComponentType();
            if (isOurs(used) && !isApi(ours.get(used.getName()))) {
                report.accept(use.getDescription(), used.getName());
            }
        }
        for (JavaAccess<?> access : user.getAccessesFromSelf()) {
            AccessTarget target = access.getTarget();
            if (isOurs(target.getOwner()) && target.isAnnotatedWith(Internal.class)) {
                report.accept(access.getDescription(), target.getFullName());
            }
        }
    }

    /** Returns whether programs may use a member of an API type. */
    static boolean isPartOfApi(JavaMember member) {
        return (member.getModifiers().contains(PUBLIC) || member.getModifiers().contains(PROTECTED))
                && !member.getModifiers().contains(SYNTHETIC) && !isMarkedInternal(member);
    }

    private static boolean isMarkedInternal(JavaMember member) {
        return member.isAnnotatedWith(Internal.class);
    }

    private static boolean isVisible(JavaClass type) {
        return type.getModifiers().contains(PUBLIC) || type.getModifiers().contains(PROTECTED);
    }

    private boolean isOurs(JavaClass type) {
        return type.getPackageName().equals(root) || type.getPackageName().startsWith(root + ".");
    }

    private boolean isOfTheCommandLine(JavaClass type) {
        return (type.getPackageName() + ".").startsWith(root + ".cli.");
    }
}
