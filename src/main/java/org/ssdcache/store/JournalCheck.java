package org.ssdcache.store;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.ssdcache.store.StoreFinding.Area;

/**
 * Looks for journal blocks that were durable once and are lost. After a crash the journal may end
 * anywhere, and blocks behind its end are no damage, unless one of them says that a record before
 * it was durable which is not there.
 */
final class JournalCheck {
    private final StoreDisk disk;
    private final Superblock superblock;
    private final Findings findings;
    private long records;

    JournalCheck(StoreDisk disk, Superblock superblock, Findings findings) {
        this.disk = disk;
        this.superblock = superblock;
        this.findings = findings;
    }

    /**
     * Looks at all that is not folded.
     *
     * @return records that are not in the tables
     * @throws StoreException if a whole block holds records that cannot be
     */
    long run() throws IOException {
        if (superblock.clean()) {
            return 0;
        }
        long storeId = superblock.identity().storeId();
        JournalReader reader = new JournalReader(disk, superblock.geometry(), storeId);
        JournalReader.End end =
                reader.read(superblock.tailBlock(), Long.MAX_VALUE, (sequence, r) -> records++);
        long next = Math.max(end.nextSequence(), superblock.checkpointSequence());
        if (durableBehind(end.endBlock()) >= next) {
            findings.add(
                    Area.JOURNAL,
                    "block " + end.endBlock(),
                    "it is damaged, and records from " + next + " on that were durable are lost",
                    true);
        }
        return records;
    }

    /** The highest record that whole blocks from a number on state as durable. */
    private long durableBehind(long endBlock) throws IOException {
        int ringBlocks = superblock.geometry().journalBlocks();
        ByteBuffer block = Buffers.direct(JournalBlock.BYTES);
        long durable = 0;
        for (long n = endBlock; n < superblock.tailBlock() + ringBlocks; n++) {
            disk.read(block.clear(), JournalReader.offsetOf((int) (n % ringBlocks)));
            if (JournalBlock.isValid(block, 0, superblock.identity().storeId(), n)) {
                durable = Math.max(durable, JournalBlock.durableSequence(block, 0));
            }
        }
        return durable;
    }
}
