package org.ssdcache.daemon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.ssdcache.block.FileFacts;
import org.ssdcache.block.FileId;
import org.ssdcache.block.FileLocator;
import org.ssdcache.cache.CacheMode;
import org.ssdcache.cache.CachedFile;
import org.ssdcache.cleaner.CleanerSettings;
import org.ssdcache.control.ExitCode;
import org.ssdcache.control.FlushProgress;
import org.ssdcache.control.RefusedException;
import org.ssdcache.file.FileSystem;
import org.ssdcache.file.FileSystemOptions;
import org.ssdcache.io.FileStatus;
import org.ssdcache.io.InodeHandle;
import org.ssdcache.io.NativeBlockFile;
import org.ssdcache.io.OpenFlags;
import org.ssdcache.io.Posix;
import org.ssdcache.metrics.Counter;
import org.ssdcache.metrics.Counters;

class LiveCacheTest {
    @TempDir private Path root;
    private final Counters counters = new Counters();
    private MountPlan plan;
    private BackingDirectory backing;
    private LiveCache cache;
    private FileSystem tree;
    private NativeBlockFile data;
    private int fd;
    private CachedFile file;

    @BeforeEach
    void start() throws IOException, RefusedException {
        Path directory = Files.createDirectory(root.resolve("backing"));
        plan = Plans.of(directory, directory, root.resolve("cache"));
        backing = BackingDirectory.open(directory);
        Attachment first =
                Attachment.open(
                        plan, backing, PreviousDaemon.notWaitedFor(), counters, StartupReport.NONE);
        cache = new LiveCache(first, backing, counters, first.loadHistory(counters));
        tree = new FileSystem(backing.openAgain(), cache.files(), new FileSystemOptions(true));
        cache.begin(tree.finder());
        int flags = OpenFlags.O_RDWR | OpenFlags.O_CREAT;
        fd = Posix.open(directory.resolve("file").toString(), flags, 0600);
        data = new NativeBlockFile(fd, "file");
        FileStatus status = Posix.status(fd);
        FileId id = new FileId(0, status.inode(), status.birthNanos());
        file = cache.files().open(id, locator(), data, facts(), this::facts);
    }

    @AfterEach
    void end() throws IOException {
        cache.files().close(file, facts());
        cache.stopCleaning();
        tree.close();
        cache.close();
        backing.close();
    }

    /** None where only root may use handles. */
    private FileLocator locator() throws IOException {
        if (Posix.effectiveUid() != 0) {
            return FileLocator.NONE;
        }
        InodeHandle handle = InodeHandle.of(fd);
        return new FileLocator(handle.type(), handle.body());
    }

    private FileFacts facts() throws IOException {
        FileStatus status = Posix.status(fd);
        return new FileFacts(status.sizeBytes(), status.modifiedNanos(), status.changedNanos());
    }

    private void write(String text) throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        ByteBuffer source = ByteBuffer.allocateDirect(bytes.length).put(bytes).flip();
        cache.files().write(file, source, 0, 1);
    }

    private String read() throws IOException {
        StringBuilder text = new StringBuilder();
        cache.files().read(file, 0, 100, 1, b -> text.append(StandardCharsets.UTF_8.decode(b)));
        return text.toString();
    }

    private void detach() throws IOException, RefusedException {
        cache.detach(FlushProgress.Listener.NONE);
    }

    private void attach(String name) throws IOException, RefusedException {
        Map<String, String> values = Map.of("cache", root.resolve(name).toString(), "size", "16M");
        cache.attach(new AttachRequest(values).plan(plan, cache.settings()));
    }

    private static ExitCode codeOf(org.junit.jupiter.api.function.Executable action) {
        return assertThrows(RefusedException.class, action).code();
    }

    @Test
    void theMountGoesOnWithoutItsCacheAndWithAnother() throws IOException, RefusedException {
        write("one");
        detach();
        assertEquals("", cache.directory());
        assertEquals(CacheMode.NONE, cache.engine().mode());
        assertEquals(0, cache.engine().usage().sizeBytes());
        assertEquals("one", read());
        write("two");
        attach("other");
        assertEquals(root.resolve("other").toString(), cache.directory());
        assertEquals("two", read());
        long misses = counters.total(Counter.CACHE_MISSES);
        assertEquals("two", read());
        assertEquals(misses, counters.total(Counter.CACHE_MISSES));
    }

    @Test
    void aDetachedCacheIsClosedAndCanComeBack() throws IOException, RefusedException {
        write("one");
        assertEquals("one", read());
        detach();
        Path lock = root.resolve("cache").resolve(CacheContents.LOCK);
        RuntimeFiles.HeldLock.tryTake(lock).orElseThrow().close();
        assertTrue(Files.exists(root.resolve("cache").resolve(CacheContents.HISTORY)));
        attach("cache");
        long misses = counters.total(Counter.CACHE_MISSES);
        assertEquals("one", read());
        assertEquals(misses, counters.total(Counter.CACHE_MISSES), "it is warm");
        detach();
        write("two");
        attach("cache");
        assertEquals("two", read());
    }

    @Test
    void settingsComeBackWithTheNextCache() throws IOException, RefusedException {
        LiveSettings settings =
                new LiveSettings(CacheMode.WRITEAROUND, 12345, new CleanerSettings(7, 8, true));
        cache.engine().apply(settings);
        detach();
        assertEquals(ExitCode.CACHE_STATE, codeOf(() -> cache.engine().apply(settings)));
        assertEquals(settings, cache.settings());
        attach("other");
        assertEquals(settings, LiveSettings.of(cache.engine()));
    }

    @Test
    void onlyWhatIsThereCanBeDetachedAndOnlyOneAttached() throws IOException, RefusedException {
        assertEquals(ExitCode.CACHE_STATE, codeOf(() -> attach("other")));
        detach();
        assertEquals(ExitCode.CACHE_STATE, codeOf(this::detach));
    }

    @Test
    void aCacheThatCannotBeAttachedLeavesTheMountAsItIs() throws IOException, RefusedException {
        write("one");
        detach();
        Path foreign = Files.createDirectory(root.resolve("foreign"));
        Files.createFile(foreign.resolve("something"));
        assertEquals(ExitCode.CACHE_UNUSABLE, codeOf(() -> attach("foreign")));
        assertEquals("", cache.directory());
        assertEquals("one", read());
        attach("cache");
    }

    @Test
    void whatIsDirtyGoesHomeBeforeTheCacheIsTaken() throws IOException, RefusedException {
        cache.engine().apply(new LiveSettings(CacheMode.WRITEBACK, 0, CleanerSettings.DEFAULT));
        write("dirty");
        assertEquals("", Files.readString(root.resolve("backing/file")));
        assertEquals(1, cache.engine().dirty().blocks());
        cache.noteDirtyFiles();
        DirtyMarker marker = DirtyMarker.in(root.resolve("backing")).orElseThrow();
        boolean isFound = !locator().isNone();
        assertEquals(isFound ? "file" : "inode", marker.files().paths().get(0).split(" ", 2)[0]);
        assertEquals(1, marker.files().paths().size());
        detach();
        assertEquals("dirty", Files.readString(root.resolve("backing/file")));
        assertTrue(Files.notExists(root.resolve("backing").resolve(DirtyMarker.NAME)));
        assertEquals("dirty", read());
        attach("other");
        assertEquals(CacheMode.WRITEBACK, cache.engine().mode());
        write("again");
        assertEquals("dirty", Files.readString(root.resolve("backing/file")));
        cache.engine().apply(new LiveSettings(CacheMode.NONE, 0, CleanerSettings.DEFAULT));
        detach();
        assertEquals("again", Files.readString(root.resolve("backing/file")));
    }

    @Test
    void aDetachThatIsStoppedLeavesTheCacheInUse() throws IOException, RefusedException {
        cache.engine().apply(new LiveSettings(CacheMode.WRITEBACK, 0, CleanerSettings.DEFAULT));
        write("dirty");
        assertEquals(ExitCode.ABORTED, codeOf(() -> cache.detach(progress -> false)));
        // What was brought home before the stop stays there, so nothing is said of dirty blocks.
        assertEquals(CacheMode.WRITEBACK, cache.engine().mode());
        assertEquals("dirty", read());
    }
}
