package org.ssdcache.daemon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.ssdcache.block.FileId;
import org.ssdcache.control.ExitCode;
import org.ssdcache.control.FlushProgress;
import org.ssdcache.control.RefusedException;

class FlusherTest {
    @TempDir private Path root;
    private final FakeEngine engine = new FakeEngine();
    private final RunningFlushes running = new RunningFlushes();
    private BackingDirectory backing;
    private Flusher flusher;
    private final Map<String, FileId> files = new HashMap<>();

    @BeforeEach
    void open() throws IOException, RefusedException {
        Files.createDirectories(root.resolve("dir/sub"));
        for (String name : List.of("top", "dir/one", "dir/sub/two", "dir/clean")) {
            Files.writeString(root.resolve(name), name);
        }
        backing = BackingDirectory.open(root);
        backing.walk("", files::put);
        engine.dirtyFiles.addAll(
                Set.of(files.get("top"), files.get("dir/one"), files.get("dir/sub/two")));
        flusher = new Flusher(Plans.of(root, root), backing, () -> engine, running, progress -> {});
    }

    @AfterEach
    void close() throws IOException {
        backing.close();
    }

    private ExitCode refusalOf(String path) {
        return assertThrows(
                        RefusedException.class,
                        () -> flusher.flush(List.of(path), FlushProgress.Listener.NONE))
                .code();
    }

    @Test
    void everything() throws RefusedException {
        engine.setDirtyBlocks(3);
        flusher.flush(List.of(), FlushProgress.Listener.NONE);
        assertEquals(List.of(FlushScope.EVERYTHING), engine.cleaned);
        assertEquals(0, engine.dirty().blocks());
    }

    @Test
    void aDirectoryStandsForItsDirtyFiles() throws RefusedException {
        flusher.flush(List.of("dir"), FlushProgress.Listener.NONE);
        flusher.flush(List.of("top", "dir/sub"), FlushProgress.Listener.NONE);
        flusher.flush(List.of("dir/clean"), FlushProgress.Listener.NONE);
        flusher.flush(List.of(""), FlushProgress.Listener.NONE);
        assertEquals(
                List.of(
                        FlushScope.of(Set.of(files.get("dir/one"), files.get("dir/sub/two"))),
                        FlushScope.of(Set.of(files.get("top"), files.get("dir/sub/two"))),
                        FlushScope.of(Set.of()),
                        FlushScope.EVERYTHING),
                engine.cleaned);
    }

    @Test
    void whatIsNotThereIsRefused() {
        assertEquals(ExitCode.NO_SUCH_PATH, refusalOf("nothing"));
        assertEquals(ExitCode.NO_SUCH_PATH, refusalOf("top/nothing"));
        assertEquals(ExitCode.NO_SUCH_PATH, refusalOf("../elsewhere"));
        assertEquals(ExitCode.NO_SUCH_PATH, refusalOf("/etc"));
        assertEquals(List.of(), engine.cleaned);
    }

    @Test
    void whatFailsStaysDirtyAndIsToldWhy() {
        engine.failure = new IOException("no space");
        engine.setDirtyBlocks(1);
        RefusedException e =
                assertThrows(
                        RefusedException.class,
                        () -> flusher.flush(List.of(), FlushProgress.Listener.NONE));
        assertEquals(ExitCode.FAILURE, e.code());
        assertTrue(e.getMessage().contains("no space"), e.getMessage());
    }

    @Test
    void aClientThatIsGoneStopsItAndWhatIsCleanStaysClean() throws RefusedException {
        engine.setDirtyBlocks(10);
        RefusedException e =
                assertThrows(
                        RefusedException.class,
                        () -> flusher.flush(List.of(), progress -> progress.doneBlocks() < 4));
        assertEquals(ExitCode.ABORTED, e.code());
        assertEquals(6, engine.dirty().blocks());
        flusher.flush(List.of(), FlushProgress.Listener.NONE);
        assertEquals(0, engine.dirty().blocks());
    }

    @Test
    void nothingIsFlushedWhileTheCacheIsClosed() {
        running.close();
        assertEquals(ExitCode.ABORTED, refusalOf("top"));
        assertEquals(List.of(), engine.cleaned);
    }

    @Test
    void closingStopsWhatIsUnderWay() {
        assertTrue(running.begin());
        FlushProgress.Listener listener = running.watched(FlushProgress.Listener.NONE);
        FlushProgress some = new FlushProgress(1, 2, 1, 2, Optional.empty());
        assertTrue(listener.report(some));
        running.ended();
        running.close();
        assertFalse(listener.report(some));
        assertFalse(running.begin());
    }
}
