package org.ssdcache.cleaner;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

final class RateControllerTest {
    private static final long SECOND = 1_000_000_000L;
    private static final int TARGET = 6_553;

    /** Dirty blocks after a load of so many a second on a backing that takes so many a second. */
    private static double simulate(
            RateController controller, double dirty, double load, double capacity, int seconds) {
        double now = dirty;
        for (int second = 1; second <= seconds; second++) {
            double rate = controller.blocksPerSecond();
            now = Math.max(0, now + load - Math.min(rate, capacity));
            controller.update(second * SECOND, Math.round(now - TARGET), rate < capacity);
        }
        return now;
    }

    @Test
    void holdsTheTargetUnderASteadyLoad() {
        for (double load : new double[] {10, 50, 100}) {
            RateController controller = new RateController(0);
            double dirty = simulate(controller, 0, load, 1_000, 7_200);
            assertEquals(TARGET, dirty, TARGET * 0.03, "load " + load);
            assertEquals(load, controller.blocksPerSecond(), load * 0.05, "load " + load);
        }
    }

    @Test
    void bringsASurplusHomeWithinMinutes() {
        RateController controller = new RateController(0);
        assertTrue(simulate(controller, 3.0 * TARGET, 0, 1_000, 180) <= TARGET * 1.02);
    }

    @Test
    void doesNotWindUpWhenTheBackingIsTooSlow() {
        RateController controller = new RateController(0);
        double dirty = simulate(controller, 2.0 * TARGET, 120, 100, 3_600);
        // The load ends an hour later: the rate may not stay high for long below the target.
        double end = dirty;
        for (int second = 3_601; second <= 3_600 + 1_800; second++) {
            double rate = controller.blocksPerSecond();
            end = Math.max(0, end - Math.min(rate, 100));
            controller.update(second * SECOND, Math.round(end - TARGET), rate < 100);
        }
        assertTrue(end <= TARGET, "still over the target");
        assertTrue(controller.blocksPerSecond() < 40, "rate " + controller.blocksPerSecond());
    }

    @Test
    void neverFallsBelowItsMinimum() {
        RateController controller = new RateController(0);
        controller.update(10 * SECOND, -TARGET, true);
        assertEquals(8, controller.blocksPerSecond());
    }
}
