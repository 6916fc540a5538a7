package org.ssdcache.cli;

import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.ssdcache.control.ExitCode;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/** The manual page of a command, made from what picocli knows of it. */
final class ManualPage {
    private static final Set<String> MOUNT_HELPERS =
            Set.of(MountHelperCommand.NAME, UmountHelperCommand.NAME);

    private static final Set<String> WITH_SETTINGS = Set.of("mount", MountHelperCommand.NAME);

    private final CommandSpec command;
    private final Roff page = new Roff();

    ManualPage(CommandLine command) {
        this.command = command.getCommandSpec();
    }

    /** {@code ssdcache-mount} for a command that people give. */
    static String nameOf(CommandLine command) {
        return MOUNT_HELPERS.contains(command.getCommandName())
                ? command.getCommandName()
                : command.getCommandSpec().qualifiedName("-");
    }

    /** Whether it has a page: mount(8) has its helpers documented, too. */
    static boolean isForPeople(CommandLine command) {
        return !command.getCommandSpec().usageMessage().hidden()
                || MOUNT_HELPERS.contains(command.getCommandName());
    }

    /** In the language of man(7). */
    String text() {
        String name = nameOf(command.commandLine());
        page.title(name, new SsdCache.Version().getVersion()[0]);
        page.section("NAME");
        page.text(name + " - " + firstSentence());
        page.section("SYNOPSIS");
        page.bold(synopsis());
        page.section("DESCRIPTION");
        page.text(String.join(" ", command.usageMessage().description()));
        arguments();
        commands();
        settings();
        exitStatus();
        seeAlso();
        return page.toString();
    }

    private String firstSentence() {
        String first = command.usageMessage().description()[0];
        return (first.endsWith(".") ? first.substring(0, first.length() - 1) : first);
    }

    private String synopsis() {
        String words = command.commandLine().getHelp().synopsis(0).replaceAll("\\s+", " ").strip();
        return isHelper() ? words.replaceFirst("^ssdcache ", "") : words;
    }

    private boolean isHelper() {
        return MOUNT_HELPERS.contains(command.name());
    }

    private void arguments() {
        page.section("OPTIONS");
        for (PositionalParamSpec parameter : command.positionalParameters()) {
            page.entry(parameter.paramLabel(), description(parameter));
        }
        for (OptionSpec option : command.options()) {
            if (!option.hidden()) {
                page.entry(namesOf(option), description(option));
            }
        }
    }

    private static String namesOf(OptionSpec option) {
        String value = option.arity().max() == 0 ? "" : " " + option.paramLabel();
        return String.join(", ", option.names()) + value;
    }

    private static String description(ArgSpec argument) {
        return Arrays.stream(argument.description())
                .map(line -> line.replace("%n", " "))
                .collect(Collectors.joining(" "));
    }

    private void commands() {
        List<CommandLine> commands =
                command.subcommands().values().stream()
                        .filter(each -> !each.getCommandSpec().usageMessage().hidden())
                        .toList();
        if (!commands.isEmpty()) {
            page.section("COMMANDS");
        }
        for (CommandLine each : commands) {
            page.entry(
                    each.getCommandName(),
                    each.getCommandSpec().usageMessage().description()[0]
                            + " See "
                            + nameOf(each)
                            + "(8).");
        }
    }

    private void settings() {
        if (!WITH_SETTINGS.contains(command.name())) {
            return;
        }
        page.section("SETTINGS");
        page.text(
                "Behind -o and in fstab, with commas between them; a comma in a value stands in"
                        + " double quotes.");
        for (Setting setting : Setting.values()) {
            page.entry(
                    setting.key() + "=" + setting.range(),
                    String.format(
                            "%s Default: %s.%s",
                            setting.meaning(),
                            setting.byDefault(),
                            setting.isLive() ? " Can be changed while mounted." : ""));
        }
        page.text(
                "Besides: ro, rw, suid, dev, exec, atime, sync and their opposites; what is not"
                        + " given is as on the filesystem that holds BACKING.");
    }

    private void exitStatus() {
        page.section("EXIT STATUS");
        if (isHelper()) {
            for (MountExitCode code : MountExitCode.values()) {
                page.entry(Integer.toString(code.number()), code.meaning());
            }
            return;
        }
        page.text(
                String.format(
                        "0 when it is done, %d for wrong usage; every other reason has a code of"
                                + " its own, listed in COMMAND-LINE.md in"
                                + " /usr/share/doc/ssdcache.",
                        ExitCode.USAGE.number()));
    }

    private void seeAlso() {
        page.section("SEE ALSO");
        page.text(
                isHelper()
                        ? "ssdcache(8), mount(8), umount(8), fstab(5), systemd.mount(5); FSTAB.md"
                                + " and SYSTEMD.md in /usr/share/doc/ssdcache"
                        : "ssdcache(8), mount.ssdcache(8); the documents in"
                                + " /usr/share/doc/ssdcache");
    }
}
