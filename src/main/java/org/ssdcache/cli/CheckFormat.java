package org.ssdcache.cli;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.nio.file.Path;
import java.util.Locale;
import org.ssdcache.daemon.ByteSize;
import org.ssdcache.daemon.CacheCheck;

/** What a check has found, for people and for programs. */
final class CheckFormat {
    private CheckFormat() {}

    static String text(Path cache, CacheCheck.Report report, boolean repaired) {
        StringBuilder text = new StringBuilder();
        for (CacheCheck.Finding finding : report.findings()) {
            text.append(
                    String.format("  %s (%s)%n", finding.text(), consequence(finding, repaired)));
        }
        if (report.readable()) {
            text.append(
                    String.format(
                            "  blocks: %d, of files: %d; dirty: %s in blocks: %d, of files: %d%n",
                            report.blocks(),
                            report.files(),
                            ByteSize.format(report.dirtyBytes()),
                            report.dirtyBlocks(),
                            report.dirtyFiles()));
        }
        return String.format("%s: %s%n%s", cache, verdict(report, repaired), text);
    }

    private static String verdict(CacheCheck.Report report, boolean repaired) {
        return switch (report.verdict()) {
            case SOUND -> "sound";
            case REPAIRABLE ->
                    repaired && report.isRepairable()
                            ? "was damaged and is repaired; nothing was lost"
                            : "damaged; no change is lost, and ssdcache check --repair mends it";
            case LOSS ->
                    report.readable()
                            ? "damaged, and changes that the backing directory lacks are lost or in"
                                    + " doubt"
                            : "cannot be read; changes that the backing directory lacks are lost if"
                                    + " it held any";
        };
    }

    private static String consequence(CacheCheck.Finding finding, boolean repaired) {
        String loss = finding.loss() ? "concerns changes" : "costs cached blocks at most";
        if (!finding.repairable()) {
            return loss + ", cannot be repaired";
        }
        return loss + (repaired ? ", repaired" : ", can be repaired");
    }

    static JsonObject json(Path cache, CacheCheck.Report report, boolean repaired) {
        JsonObject object = new JsonObject();
        object.addProperty("cache", cache.toString());
        object.addProperty("verdict", report.verdict().name().toLowerCase(Locale.ROOT));
        object.addProperty("readable", report.readable());
        object.addProperty("files", report.files());
        object.addProperty("blocks", report.blocks());
        object.addProperty("dirty_blocks", report.dirtyBlocks());
        object.addProperty("dirty_bytes", report.dirtyBytes());
        object.addProperty("dirty_files", report.dirtyFiles());
        JsonArray findings = new JsonArray();
        for (CacheCheck.Finding finding : report.findings()) {
            JsonObject entry = new JsonObject();
            entry.addProperty("text", finding.text());
            entry.addProperty("loss", finding.loss());
            entry.addProperty("repairable", finding.repairable());
            entry.addProperty("repaired", repaired && finding.repairable());
            findings.add(entry);
        }
        object.add("findings", findings);
        return object;
    }
}
