package org.ssdcache.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class NearMissTest {
    @ParameterizedTest
    @CsvSource({
        "cahce, cache",
        "cach, cache",
        "Cache, cache",
        "siez, size",
        "mod, mode",
        "block-size, block_size",
        "blocksize, block_size",
        "sequental_cutof, sequential_cutoff",
        "writeback_precent, writeback_percent",
        "writeback_runing, writeback_running",
    })
    void findsWhatWasMeant(String written, String meant) {
        assertEquals(Optional.of(meant), NearMiss.find(written, Setting.keys()));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "x", "colour", "password", "writeback"})
    void doesNotGuess(String written) {
        assertEquals(Optional.empty(), NearMiss.find(written, Setting.keys()));
    }

    @Test
    void theNearestIsTaken() {
        assertEquals(
                Optional.of("nofail"),
                NearMiss.find("nofial", java.util.List.of("nofoil_x", "nofail")));
    }
}
