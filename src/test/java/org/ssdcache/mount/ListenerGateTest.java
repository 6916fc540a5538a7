package org.ssdcache.mount;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class ListenerGateTest {
    private final ListenerGate gate = new ListenerGate(2);

    @Test
    void aWorkerThatComesBackListensAgainWithoutSleeping() {
        Semaphore call = new Semaphore(0);
        for (int i = 0; i < 5; i++) {
            assertTrue(gate.awaitTurn(call));
            assertEquals(1, gate.listening());
            gate.stopListening();
        }
        assertEquals(0, gate.sleeping());
    }

    /** Every request blocks until all workers have one: so each must have been called. */
    @Test
    @Timeout(20)
    void whileAWorkerIsFreeSomebodyListens() throws InterruptedException {
        int count = 16;
        Semaphore requests = new Semaphore(count);
        Semaphore allBusy = new Semaphore(0);
        AtomicInteger busy = new AtomicInteger();
        List<Thread> workers = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            Semaphore call = new Semaphore(0);
            Thread worker =
                    new Thread(
                            () -> {
                                gate.awaitTurn(call);
                                requests.acquireUninterruptibly();
                                gate.stopListening();
                                if (busy.incrementAndGet() == count) {
                                    allBusy.release(count);
                                }
                                allBusy.acquireUninterruptibly();
                            });
            worker.start();
            workers.add(worker);
        }
        for (Thread worker : workers) {
            worker.join();
        }
        assertEquals(count, busy.get());
        assertEquals(0, gate.listening());
    }

    @Test
    @Timeout(20)
    void theEndWakesEverybody() throws InterruptedException {
        assertTrue(gate.awaitTurn(new Semaphore(0)));
        assertTrue(gate.awaitTurn(new Semaphore(0)));
        AtomicInteger told = new AtomicInteger();
        Thread sleeper =
                new Thread(
                        () -> {
                            if (!gate.awaitTurn(new Semaphore(0))) {
                                told.incrementAndGet();
                            }
                        });
        sleeper.start();
        while (gate.sleeping() == 0) {
            Thread.onSpinWait();
        }
        gate.end();
        sleeper.join();
        assertEquals(1, told.get());
        assertFalse(gate.awaitTurn(new Semaphore(0)));
    }
}
