package org.ssdcache.cache;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.ssdcache.block.FileId;
import org.ssdcache.block.FileLocator;
import org.ssdcache.io.BlockFile;
import org.ssdcache.metrics.Counter;
import org.ssdcache.metrics.Counters;
import org.ssdcache.store.BlockStore;
import org.ssdcache.store.StoreGeometry;
import org.ssdcache.store.StoreIdentity;
import org.ssdcache.testing.FakeClock;
import org.ssdcache.testing.FaultyBlockFile;
import org.ssdcache.testing.MemoryBlockFile;
import org.ssdcache.testing.PowerSwitch;

/** A cache on a faulty SSD over files on faulty backing disks; no background tasks. */
final class CacheFixture {
    static final int TASK = 1;

    final FakeClock clock = new FakeClock();
    final List<TestBacking> backings = new ArrayList<>();
    final List<CachedFile> open = new ArrayList<>();
    Counters counters = new Counters();

    /** Files that were closed with changes that the backing had not synced. */
    private final Set<Integer> leftUnsynced = new HashSet<>();

    FaultyBlockFile ssd;
    BlockCache cache;
    InlineCleaning cleaning;
    final TestLock lock = new TestLock();
    final PowerSwitch power = new PowerSwitch();

    private final Random random;
    private final Path indexFile;
    private String bootId = "boot 1";

    CacheFixture(Path directory, long cacheBytes, int blockBytes, long seed) throws IOException {
        this.random = new Random(seed);
        this.indexFile = directory.resolve("index");
        MemoryBlockFile file = new MemoryBlockFile();
        StoreGeometry geometry = StoreGeometry.forSize(cacheBytes, blockBytes);
        BlockStore.format(file, geometry, new StoreIdentity(1, 2), bytes -> {});
        useSsd(file);
        start();
    }

    private void useSsd(BlockFile file) {
        ssd = new FaultyBlockFile(file, random.nextLong());
        ssd.setPower(power);
    }

    void start() throws IOException {
        BlockStore store = BlockStore.open(ssd, bootId);
        counters = new Counters();
        cache =
                new BlockCache(
                        store,
                        indexFile,
                        new BackingTree(this::syncBackings, lock),
                        CacheMode.WRITETHROUGH,
                        counters,
                        clock);
        cache.setSequentialCutoffBytes(0);
        cache.dirty().setOpener(this::openBacking);
        cleaning = new InlineCleaning(cache.dirty().blocks());
        cache.dirty().setCleaning(cleaning);
    }

    private FileOpener.OpenedFile openBacking(FileId id, FileLocator locator) {
        TestBacking backing = backings.get((int) id.inode() - 1000);
        if (!backing.exists()) {
            return null;
        }
        return new FileOpener.OpenedFile(backing, backing::facts);
    }

    private void syncBackings() throws IOException {
        for (TestBacking backing : backings) {
            backing.sync();
            backing.nameSynced();
        }
    }

    /** A new, open file; returns its number in this fixture. */
    int create() throws IOException {
        backings.add(new TestBacking(clock, random.nextLong()));
        backings.get(backings.size() - 1).setPower(power);
        open.add(null);
        int file = backings.size() - 1;
        openFile(file);
        return file;
    }

    void openFile(int file) throws IOException {
        TestBacking backing = backings.get(file);
        open.set(
                file,
                cache.open(id(file), FileLocator.NONE, backing, backing.facts(), backing::facts));
    }

    void closeFile(int file) throws IOException {
        if (open.get(file).isBackingChanged()) {
            leftUnsynced.add(file);
        }
        cache.close(open.get(file), backings.get(file).facts());
        open.set(file, null);
    }

    static FileId id(int file) {
        return new FileId(0, 1000 + file, 5);
    }

    byte[] read(int file, long offsetBytes, int lengthBytes) throws IOException {
        byte[][] answer = new byte[1][];
        cache.read(
                open.get(file),
                offsetBytes,
                lengthBytes,
                TASK,
                data -> {
                    answer[0] = new byte[data.remaining()];
                    data.get(answer[0]);
                });
        return answer[0];
    }

    void write(int file, byte[] bytes, long offsetBytes) throws IOException {
        ByteBuffer source = ByteBuffer.allocateDirect(bytes.length).put(bytes).flip();
        cache.write(open.get(file), source, offsetBytes, TASK);
    }

    long count(Counter counter) {
        return counters.total(counter);
    }

    long allBackingReads() {
        return backings.stream().mapToLong(TestBacking::reads).sum();
    }

    void sync(int file) throws IOException {
        sync(file, true);
    }

    /** As the file layer does it: what earlier openers left unsynced is covered, too. */
    void sync(int file, boolean dataOnly) throws IOException {
        cache.sync(open.get(file), dataOnly, !leftUnsynced.contains(file));
        leftUnsynced.remove(file);
    }

    /** Every background task once. */
    void maintain() {
        for (Housekeeping.Task task : Housekeeping.Task.values()) {
            cache.run(task);
        }
    }

    /** Unmounts in order and mounts again. */
    void remount() throws IOException {
        unmount();
        restart();
    }

    void unmount() throws IOException {
        for (int file = 0; file < open.size(); file++) {
            if (open.get(file) != null) {
                closeFile(file);
            }
        }
        cache.close();
    }

    /** The file's last name and last handle go. */
    void delete(int file) throws IOException {
        backings.get(file).unlink();
        closeFile(file);
        cache.deleted(id(file));
    }

    /** The daemon is killed: what it wrote is in the kernel's hands and stays. */
    void kill() throws IOException {
        endDaemon();
        restart();
    }

    /** The same without a new mount. */
    void endDaemon() throws IOException {
        useSsd(ssd.kill());
    }

    /** The machine loses power: what was not synced is kept, lost or torn on both disks. */
    void cutPower() throws IOException {
        losePower();
        restart();
    }

    /** The same without a new mount. */
    void losePower() throws IOException {
        useSsd(ssd.crash());
        for (TestBacking backing : backings) {
            backing.cutPower(random);
        }
        bootId = "boot " + random.nextLong();
    }

    void restart() throws IOException {
        start();
        for (int file = 0; file < backings.size(); file++) {
            open.set(file, null);
            if (backings.get(file).exists()) {
                openFile(file);
            }
        }
    }

    /** Whether the backing directory is locked against others. */
    static final class TestLock implements BackingTree.Lock {
        boolean locked;
        Runnable onChange = () -> {};

        @Override
        public void lock() {
            onChange.run();
            locked = true;
        }

        @Override
        public void unlock() {
            onChange.run();
            locked = false;
        }
    }
}
