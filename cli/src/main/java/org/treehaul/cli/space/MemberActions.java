// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.space;

import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;

import org.treehaul.cli.args.Options;
import org.treehaul.cli.common.CommonOptions;
import org.treehaul.cli.common.Session;
import org.treehaul.cli.common.Texts;
import org.treehaul.tuplespace.store.Member;
import org.treehaul.tuplespace.store.SpaceMembers;
import org.treehaul.tuplespace.store.SpaceMembers.Visibility;
import picocli.CommandLine.Model.CommandSpec;

/** The actions of {@code treehaul members}, and their options. */
final class MemberActions {

    /** Work with the members; returns a line for the user. */
    interface Action {
        String run(Session session, SpaceMembers members);
    }

    private final CommonOptions common;
    private boolean isApart;
    private boolean isOfAll;
    private OptionalLong uid = OptionalLong.empty();

    /** Adds the options to a command. */
    MemberActions(CommandSpec spec, CommonOptions common) {
        this.common = common;
        Options.add(spec, Options.flag(value -> isApart = value, "--apart"),
                "With create: members see and take only the tuples that they wrote themselves.");
        Options.add(spec, Options.flag(value -> isOfAll = value, "--all"),
                "With grant, where members are apart: the right concerns the tuples of all users.");
        Options.add(spec, Options.value(Long.class, value -> uid = OptionalLong.of(value), "--uid"), "N",
                "With grant: the number by which nodes know the user.");
    }

    /**
     * Returns the action that operands name.
     *
     * @param arguments the operands, in which each character is a byte
     * @throws org.treehaul.cli.common.UsageException when they name none
     */
    Action of(List<String> arguments) {
        List<String> operands = arguments.stream().map(Texts::decode).toList();
        String verb = operands.isEmpty() ? "list" : operands.getFirst();
        if (isApart && !verb.equals("create") || (isOfAll || uid.isPresent()) && !verb.equals("grant")) {
            throw common.usage("--apart is an option of create; --all and --uid are options of grant");
        }
        return switch (verb + " " + Math.max(0, operands.size() - 1)) {
            case "create 0" -> (session, members) -> {
                members.create(isApart ? Visibility.OWN : Visibility.ALL);
                return "the space is created; 'treehaul members grant' admits users";
            };
            case "grant 2" -> grant(member(operands.get(1), operands.get(2)));
            case "revoke 1" -> (session, members) -> members.revoke(operands.get(1))
                    ? operands.get(1) + " has no rights any more"
                    : operands.get(1) + " was no member";
            case "list 0" -> MemberActions::list;
            default -> throw common.usage(
                    "use 'members create', 'members grant read|write USER', 'members revoke USER' or 'members list'");
        };
    }

    private static Action grant(Member member) {
        return (session, members) -> {
            members.grant(member);
            return member.user() + " may " + name(member.right()) + " now";
        };
    }

    private Member member(String right, String user) {
        try {
            return new Member(user, Member.Right.valueOf(right.toUpperCase(Locale.ROOT)), isOfAll, uid);
        } catch (IllegalArgumentException e) {
            throw common.usage(right.matches("(?i)read|write")
                    ? String.valueOf(e.getMessage())
                    : "a right is read or write, not '" + right + "'");
        }
    }

    private static String name(Member.Right right) {
        return right.name().toLowerCase(Locale.ROOT);
    }

    private static String list(Session session, SpaceMembers members) {
        List<Member> all = members.list();
        session.json().ifPresentOrElse(json -> all.forEach(one -> {
            json.begin("member").text("user", one.user()).text("right", name(one.right())).flag("all", one.isOfAll());
            one.uid().ifPresent(number -> json.number("uid", number));
            json.end();
        }), () -> all.forEach(one -> session.output()
                .line(one.user() + "\t" + name(one.right()) + "\t" + (one.isOfAll() ? "all" : "own") + "\t"
                        + (one.uid().isPresent() ? String.valueOf(one.uid().getAsLong()) : "-"))));
        return all.isEmpty() ? "no user has rights yet; 'treehaul members grant' admits users" : "";
    }
}
