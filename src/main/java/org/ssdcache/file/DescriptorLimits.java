package org.ssdcache.file;

import java.io.IOException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.ssdcache.io.ErrnoException;
import org.ssdcache.io.OpenFileLimit;

/**
 * How many descriptors the inodes that the kernel knows may have.
 *
 * @param kept above this, descriptors are closed to be opened again later, or the kernel is asked
 *     to forget inodes
 * @param most above this, inodes that the kernel does not know yet are refused
 * @param byHandle whether inodes may be opened again by their handles at all
 */
public record DescriptorLimits(int kept, int most, boolean byHandle) {
    private static final Logger LOG = LoggerFactory.getLogger(DescriptorLimits.class);

    /** Each descriptor also keeps an inode in the kernel's memory, so there can be too many. */
    private static final long KEPT_AT_MOST = 1 << 17;

    public DescriptorLimits {
        if (kept < 1 || most < kept) {
            throw new IllegalArgumentException("kept " + kept + ", most " + most);
        }
    }

    /** A quarter of the descriptors is left for open files and for the program itself. */
    public static DescriptorLimits ofProcess() throws ErrnoException {
        try {
            OpenFileLimit.raise();
        } catch (IOException e) {
            LOG.info("the limit of open files stays as it is: {}", e.getMessage());
        }
        long limit = OpenFileLimit.current();
        return new DescriptorLimits(
                (int) Math.min(limit / 2, KEPT_AT_MOST),
                (int) Math.min(limit / 4 * 3, Integer.MAX_VALUE),
                true);
    }

    /** From here on new inodes are slowed down, so that the kernel can forget others meanwhile. */
    int throttled() {
        return kept + (most - kept) / 2;
    }
}
