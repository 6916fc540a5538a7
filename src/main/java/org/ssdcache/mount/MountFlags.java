package org.ssdcache.mount;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.ssdcache.io.ErrnoException;
import org.ssdcache.io.Posix;

/**
 * The flags of mount(8) that every filesystem has, such as {@code ro} and {@code noexec}. A mount
 * has those of the filesystem that its backing directory is on, unless it was asked for others.
 *
 * @param asked words in the order given; of two that contradict each other the later one counts
 */
public record MountFlags(List<String> asked) {
    /** Nothing was asked for. */
    public static final MountFlags NONE = new MountFlags(List.of());

    private static final long MS_RDONLY = 1;
    private static final long MS_NOSUID = 2;
    private static final long MS_NODEV = 4;
    private static final long MS_NOEXEC = 8;
    private static final long MS_SYNCHRONOUS = 16;
    private static final long MS_REMOUNT = 32;
    private static final long MS_NOATIME = 1024;

    /** The kernel's own choice for a mount; without it a remount leaves access times alone. */
    private static final long MS_RELATIME = 1 << 21;

    /** Two words of which one holds. */
    private enum Choice {
        WRITING("ro", "rw", MS_RDONLY, 0),
        SUID("nosuid", "suid", MS_NOSUID, 0),
        DEVICES("nodev", "dev", MS_NODEV, 0),
        PROGRAMS("noexec", "exec", MS_NOEXEC, 0),
        ACCESS_TIMES("noatime", "atime", MS_NOATIME, MS_RELATIME),
        WRITES("sync", "async", MS_SYNCHRONOUS, 0);

        final String strict;
        final String loose;
        final long strictFlag;
        final long looseFlag;

        Choice(String strict, String loose, long strictFlag, long looseFlag) {
            this.strict = strict;
            this.loose = loose;
            this.strictFlag = strictFlag;
            this.looseFlag = looseFlag;
        }

        boolean has(String word) {
            return word.equals(strict) || word.equals(loose);
        }

        /** Only the superuser may have it: a user could bring files with any owner. */
        boolean isForRootOnly() {
            return this == SUID || this == DEVICES;
        }
    }

    /** Known to mount(8), and without a meaning for FUSE. */
    private static final List<String> WITHOUT_MEANING =
            List.of(
                    "relatime",
                    "norelatime",
                    "strictatime",
                    "nostrictatime",
                    "lazytime",
                    "nolazytime",
                    "diratime",
                    "nodiratime",
                    "iversion",
                    "noiversion",
                    "nomand",
                    "silent",
                    "loud");

    public MountFlags {
        asked = List.copyOf(asked);
    }

    /** Whether it is a flag of mount(8). */
    public static boolean isFlag(String word) {
        return words().contains(word);
    }

    /** Every word that is a flag of mount(8). */
    public static List<String> words() {
        return Stream.concat(
                        Arrays.stream(Choice.values())
                                .flatMap(choice -> Stream.of(choice.strict, choice.loose)),
                        WITHOUT_MEANING.stream())
                .toList();
    }

    /**
     * The words for the mount.
     *
     * @param present options of the mount that holds the backing directory, or of the mount that is
     *     to be changed: they hold where nothing was asked for
     * @param root whether the superuser mounts
     */
    public List<String> over(List<String> present, boolean root) {
        List<String> words = new ArrayList<>();
        for (Choice choice : Choice.values()) {
            String word = wordFor(choice, present);
            if (root || !choice.isForRootOnly() || word.equals(choice.strict)) {
                words.add(word);
            }
        }
        return words;
    }

    private String wordFor(Choice choice, List<String> present) {
        Optional<String> last = asked.stream().filter(choice::has).reduce((a, b) -> b);
        return last.orElse(present.contains(choice.strict) ? choice.strict : choice.loose);
    }

    /**
     * Whether anything of a mount would be changed.
     *
     * @param present options of the mount now
     */
    public boolean change(List<String> present) {
        return kernelFlags(present) != NONE.kernelFlags(present);
    }

    /**
     * Changes a mount to what was asked for; its other flags stay.
     *
     * @param present options of the mount now
     * @throws ErrnoException EPERM if not the superuser calls, EBUSY if it is to become read-only
     *     and files are open for writing
     */
    public void remount(Path mountpoint, List<String> present) throws ErrnoException {
        Posix.remount(mountpoint.toString(), MS_REMOUNT | kernelFlags(present));
    }

    /** As bits for mount(2). */
    long kernelFlags(List<String> present) {
        long flags = 0;
        for (Choice choice : Choice.values()) {
            boolean strict = wordFor(choice, present).equals(choice.strict);
            flags |= strict ? choice.strictFlag : choice.looseFlag;
        }
        return flags;
    }
}
