package org.ssdcache.cli;

import com.google.gson.JsonObject;
import org.ssdcache.daemon.DirtyMarker;

/** The object of {@code status --json} for a backing directory that waits for its changes. */
final class UnmountedStatus {
    private UnmountedStatus() {}

    static JsonObject format(DirtyMarker marker) {
        JsonObject object = new JsonObject();
        object.addProperty("mounted", false);
        object.addProperty("backing", marker.backing());
        object.addProperty("cache", marker.cache());
        object.addProperty("state", "dirty");
        object.addProperty("locked_since_seconds", marker.sinceSeconds());
        return object;
    }
}
