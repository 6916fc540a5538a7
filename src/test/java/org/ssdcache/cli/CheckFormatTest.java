package org.ssdcache.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.google.gson.JsonObject;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.ssdcache.daemon.CacheCheck;

class CheckFormatTest {
    private static final Path CACHE = Path.of("/ssd/c");

    private static CacheCheck.Report report(
            CacheCheck.Verdict verdict, CacheCheck.Finding... findings) {
        return new CacheCheck.Report(verdict, true, 3, 100, 2, 12288, 1, List.of(findings));
    }

    private static final CacheCheck.Finding HARMLESS =
            new CacheCheck.Finding("slot table, slot 7: its checksum differs", true, false);
    private static final CacheCheck.Finding LOSS =
            new CacheCheck.Finding("slot data, slot 8: page 1 differs", false, true);

    @Test
    void sound() {
        assertEquals(
                """
                /ssd/c: sound
                  blocks: 100, of files: 3; dirty: 12K in blocks: 2, of files: 1
                """,
                CheckFormat.text(CACHE, report(CacheCheck.Verdict.SOUND), false));
    }

    @Test
    void repairableAndRepaired() {
        CacheCheck.Report report = report(CacheCheck.Verdict.REPAIRABLE, HARMLESS);
        assertEquals(
                """
                /ssd/c: damaged; no change is lost, and ssdcache check --repair mends it
                  slot table, slot 7: its checksum differs (costs cached blocks at most, can be repaired)
                  blocks: 100, of files: 3; dirty: 12K in blocks: 2, of files: 1
                """,
                CheckFormat.text(CACHE, report, false));
        assertEquals(
                """
                /ssd/c: was damaged and is repaired; nothing was lost
                  slot table, slot 7: its checksum differs (costs cached blocks at most, repaired)
                  blocks: 100, of files: 3; dirty: 12K in blocks: 2, of files: 1
                """,
                CheckFormat.text(CACHE, report, true));
    }

    @Test
    void loss() {
        assertEquals(
                """
                /ssd/c: damaged, and changes that the backing directory lacks are lost or in doubt
                  slot data, slot 8: page 1 differs (concerns changes, cannot be repaired)
                  blocks: 100, of files: 3; dirty: 12K in blocks: 2, of files: 1
                """,
                CheckFormat.text(CACHE, report(CacheCheck.Verdict.LOSS, LOSS), true));
    }

    @Test
    void json() {
        JsonObject object =
                CheckFormat.json(CACHE, report(CacheCheck.Verdict.LOSS, HARMLESS, LOSS), true);
        assertEquals("loss", object.get("verdict").getAsString());
        assertEquals(12288, object.get("dirty_bytes").getAsLong());
        JsonObject first = object.getAsJsonArray("findings").get(0).getAsJsonObject();
        assertEquals(true, first.get("repaired").getAsBoolean());
        JsonObject second = object.getAsJsonArray("findings").get(1).getAsJsonObject();
        assertEquals(false, second.get("repaired").getAsBoolean());
        assertEquals(true, second.get("loss").getAsBoolean());
    }
}
