package org.ssdcache.cache;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Random;
import org.ssdcache.block.FileFacts;
import org.ssdcache.io.BlockFile;
import org.ssdcache.testing.FakeClock;
import org.ssdcache.testing.FaultyBlockFile;
import org.ssdcache.testing.MemoryBlockFile;
import org.ssdcache.testing.PowerSwitch;

/** One file on a backing disk that can lose power, with the times a filesystem would keep. */
final class TestBacking implements BlockFile {
    private final FakeClock clock;
    private FaultyBlockFile disk;
    private long modifiedNanos;
    private long syncedModifiedNanos;
    private long changedNanos;
    private long syncedChangedNanos;
    private long reads;
    private long startedBytes;

    /** Called after the bytes were read and before they are returned. */
    private Runnable afterRead = () -> {};

    /** Called around what changes or syncs the file. */
    private volatile Hook hook = what -> {};

    private PowerSwitch power = new PowerSwitch();
    private boolean exists = true;
    private boolean syncedExists = true;

    /** What is about to be done to a file, or was done. */
    enum Moment {
        BEFORE_WRITE,
        AFTER_WRITE,
        BEFORE_START,
        BEFORE_SYNC,
        BEFORE_TRUNCATE,
        BEFORE_ALLOCATE
    }

    /** May do something else at this moment, or fail the operation. */
    interface Hook {
        void at(Moment moment) throws IOException;
    }

    TestBacking(FakeClock clock, long seed) {
        this.clock = clock;
        this.disk = new FaultyBlockFile(new MemoryBlockFile(), seed);
        this.modifiedNanos = clock.wallNanos();
        this.syncedModifiedNanos = modifiedNanos;
        this.changedNanos = modifiedNanos;
        this.syncedChangedNanos = modifiedNanos;
    }

    FileFacts facts() throws IOException {
        return new FileFacts(disk.sizeBytes(), modifiedNanos, changedNanos);
    }

    /** Everything the kernel had not brought to the disk is kept, dropped or torn, by seed. */
    void cutPower(Random random) throws IOException {
        disk = new FaultyBlockFile(disk.crash(), random.nextLong());
        disk.setPower(power);
        exists = exists || (syncedExists && random.nextBoolean());
        syncedExists = exists;
        if (!random.nextBoolean()) {
            modifiedNanos = syncedModifiedNanos;
            changedNanos = syncedChangedNanos;
        }
    }

    void setPower(PowerSwitch shared) {
        power = shared;
        disk.setPower(shared);
    }

    /** Takes the last name; whoever has the file open goes on. */
    void unlink() {
        exists = false;
    }

    boolean exists() {
        return exists;
    }

    /** The filesystem as a whole was synced, and so the file's name. */
    void nameSynced() {
        syncedExists = exists;
    }

    void setHook(Hook hook) {
        this.hook = hook;
    }

    /** Does something once, at the next such moment. */
    void at(Moment wanted, Hook action) {
        setHook(
                moment -> {
                    if (moment == wanted) {
                        setHook(other -> {});
                        action.at(moment);
                    }
                });
    }

    FaultyBlockFile disk() {
        return disk;
    }

    long reads() {
        return reads;
    }

    /** Bytes whose way to the disk was begun without a sync. */
    long startedBytes() {
        return startedBytes;
    }

    void setAfterRead(Runnable action) {
        afterRead = action;
    }

    /** The file's bytes as they are on the backing now, without going through the cache. */
    byte[] content() throws IOException {
        ByteBuffer all = ByteBuffer.allocateDirect((int) disk.sizeBytes());
        disk.read(all, 0);
        byte[] bytes = new byte[all.capacity()];
        all.get(0, bytes);
        return bytes;
    }

    private void changed() {
        clock.advanceNanos(1000);
        modifiedNanos = clock.wallNanos();
        changedNanos = modifiedNanos;
    }

    private void synced() {
        syncedModifiedNanos = modifiedNanos;
        syncedChangedNanos = changedNanos;
    }

    @Override
    public int read(ByteBuffer target, long offsetBytes) throws IOException {
        reads++;
        int bytes = disk.read(target, offsetBytes);
        afterRead.run();
        return bytes;
    }

    @Override
    public void write(ByteBuffer source, long offsetBytes) throws IOException {
        hook.at(Moment.BEFORE_WRITE);
        changed();
        disk.write(source, offsetBytes);
        hook.at(Moment.AFTER_WRITE);
    }

    @Override
    public void syncData() throws IOException {
        hook.at(Moment.BEFORE_SYNC);
        disk.syncData();
        synced();
    }

    @Override
    public void sync() throws IOException {
        hook.at(Moment.BEFORE_SYNC);
        disk.sync();
        synced();
    }

    @Override
    public long sizeBytes() throws IOException {
        return disk.sizeBytes();
    }

    @Override
    public long allocatedBytes() throws IOException {
        return disk.allocatedBytes();
    }

    @Override
    public void setModified(long nanos) throws IOException {
        changed();
        modifiedNanos = nanos;
        disk.setModified(nanos);
    }

    @Override
    public void truncate(long sizeBytes) throws IOException {
        hook.at(Moment.BEFORE_TRUNCATE);
        changed();
        disk.truncate(sizeBytes);
    }

    @Override
    public void allocate(int mode, long offsetBytes, long lengthBytes) throws IOException {
        hook.at(Moment.BEFORE_ALLOCATE);
        changed();
        disk.allocate(mode, offsetBytes, lengthBytes);
    }

    @Override
    public void startWriteback(long offsetBytes, long lengthBytes) throws IOException {
        hook.at(Moment.BEFORE_START);
        startedBytes += lengthBytes;
    }

    @Override
    public void forgetPages(long offsetBytes, long lengthBytes) {
        disk.forgetPages(offsetBytes, lengthBytes);
    }

    @Override
    public void close() {}
}
