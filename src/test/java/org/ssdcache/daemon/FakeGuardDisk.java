package org.ssdcache.daemon;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A backing directory and a cache directory that crash at a given step. What was not synced is then
 * there or not, each change on its own.
 */
final class FakeGuardDisk implements GuardDisk {
    /** What a crash leaves. */
    record Left(int mode, Optional<String> marker, Optional<String> record) {}

    private Left durable;
    private Left now;
    private final List<Change> pending = new ArrayList<>();
    private int steps;
    private int crashAt = Integer.MAX_VALUE;
    private boolean closed;

    /** A change of the backing directory. */
    private interface Change {
        Left apply(Left left);
    }

    FakeGuardDisk(Left left) {
        this.durable = left;
        this.now = left;
    }

    /** Step number n from now, counted from 1, does not happen, nor does any after it. */
    void crashAt(int n) {
        steps = 0;
        crashAt = n;
    }

    int steps() {
        return steps;
    }

    Left now() {
        return now;
    }

    boolean isClosed() {
        return closed;
    }

    /** Every state that the power cut may have left. */
    List<Left> afterPowerCut() {
        List<Left> all = new ArrayList<>();
        for (int kept = 0; kept < 1 << pending.size(); kept++) {
            Left left = new Left(durable.mode(), durable.marker(), now.record());
            for (int i = 0; i < pending.size(); i++) {
                if ((kept & 1 << i) != 0) {
                    left = pending.get(i).apply(left);
                }
            }
            all.add(left);
        }
        return all;
    }

    private void step() throws IOException {
        steps++;
        if (steps >= crashAt) {
            throw new IOException("crashed at step " + steps);
        }
    }

    private void change(Change change) throws IOException {
        step();
        now = change.apply(now);
        pending.add(change);
    }

    @Override
    public int mode() {
        return now.mode();
    }

    @Override
    public void setMode(int permissions) throws IOException {
        change(left -> new Left(permissions, left.marker(), left.record()));
    }

    @Override
    public Optional<String> marker() {
        return now.marker();
    }

    @Override
    public void replaceMarker(String text) throws IOException {
        change(left -> new Left(left.mode(), Optional.of(text), left.record()));
    }

    @Override
    public void removeMarker() throws IOException {
        change(left -> new Left(left.mode(), Optional.empty(), left.record()));
    }

    @Override
    public void syncBacking() throws IOException {
        step();
        durable = now;
        pending.clear();
    }

    @Override
    public Optional<String> record() {
        return now.record();
    }

    @Override
    public void replaceRecord(String text) throws IOException {
        step();
        now = new Left(now.mode(), now.marker(), Optional.of(text));
    }

    @Override
    public void removeRecord() throws IOException {
        step();
        now = new Left(now.mode(), now.marker(), Optional.empty());
    }

    @Override
    public void close() {
        closed = true;
    }
}
