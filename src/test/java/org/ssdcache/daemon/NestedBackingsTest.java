package org.ssdcache.daemon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.ssdcache.control.ExitCode;
import org.ssdcache.control.RefusedException;
import org.ssdcache.mount.MountTable;

class NestedBackingsTest {
    @TempDir private Path root;
    private Path top;
    private Path data;
    private String type = MountTable.TYPE;
    private boolean alive = true;

    @BeforeEach
    void directories() throws IOException {
        top = root.toRealPath();
        data = Files.createDirectories(top.resolve("srv/data"));
        Files.createDirectories(top.resolve("srv/data/sub/deep"));
        Files.createDirectories(top.resolve("srv/data2"));
    }

    /** Where the one mount there is shows {@link #data}. */
    private void refuse(Path backing, Path source) throws IOException, RefusedException {
        MountTable.Entry mount =
                new MountTable.Entry(1, "0:50", Path.of("/m"), type, source.toString(), List.of());
        new NestedBackings(List.of(mount), entry -> alive).refuse(backing);
    }

    private void assertRefused(Path backing, Path source, String how) {
        RefusedException e = assertThrows(RefusedException.class, () -> refuse(backing, source));
        assertEquals(ExitCode.BACKING_BUSY, e.code());
        assertTrue(e.getMessage().contains(how), e.getMessage());
    }

    @Test
    void oneInsideOrAroundAnotherIsRefused() {
        assertRefused(data.resolve("sub/deep"), data, "lies inside");
        assertRefused(data.resolve("sub"), data, "lies inside");
        assertRefused(top.resolve("srv"), data, "contains");
        assertRefused(top, data, "contains");
    }

    /** As a bind mount does, a link shows the same directory under another name. */
    @Test
    void otherNamesOfADirectoryAreSeenThrough() throws IOException {
        Path other = Files.createSymbolicLink(top.resolve("other"), data);
        assertRefused(other.resolve("sub/deep"), data, "lies inside");
        assertRefused(data, other.resolve("sub"), "contains");
    }

    @Test
    void neighboursAndTheSameDirectoryAreLeftAlone() throws IOException, RefusedException {
        refuse(top.resolve("srv/data2"), data);
        refuse(data, top.resolve("srv/data2"));
        refuse(data, data); // the lock of the directory decides, and may be waited for
    }

    @Test
    void onlyLivingMountsOfOursCount() throws IOException, RefusedException {
        alive = false;
        refuse(data.resolve("sub"), data);
        alive = true;
        type = "ext4";
        refuse(data.resolve("sub"), data);
    }

    @Test
    void aSourceThatIsGoneHarmsNobody() throws IOException, RefusedException {
        refuse(data, top.resolve("gone/data"));
        refuse(data, Path.of("x"));
    }
}
