package org.ssdcache.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.ssdcache.cache.CacheMode;
import org.ssdcache.control.ExitCode;
import org.ssdcache.control.RefusedException;
import org.ssdcache.daemon.MountRequest;

class FstabOptionsTest {
    private static FstabOptions parse(String options) throws RefusedException {
        return FstabOptions.parse(List.of(options));
    }

    /** What mount(8) would hand over, up to the request. */
    private static MountRequest request(String options) throws RefusedException {
        FstabOptions parsed = parse(options);
        return MountArguments.requestOf(
                Path.of("/b"), Path.of("/m"), parsed.settings(), parsed.flags());
    }

    private static String refusal(String options) {
        RefusedException e = assertThrows(RefusedException.class, () -> request(options));
        assertEquals(ExitCode.USAGE, e.code(), e.getMessage());
        assertFalse(e.getMessage().contains("\n"), "one sentence");
        return e.getMessage();
    }

    @Test
    void aWholeLine() throws RefusedException {
        FstabOptions options =
                parse(
                        "rw,noatime,nofail,_netdev,user,x-systemd.requires-mounts-for=/ssd,"
                                + "x-systemd.device-timeout=10s,X-mount.mkdir,comment=mine,"
                                + "cache=\"/ssd/a,b\",size=40G,mode=writeback");
        assertEquals(
                Map.of("cache", "/ssd/a,b", "size", "40G", "mode", "writeback"),
                options.settings());
        assertEquals(List.of("rw", "noatime"), options.flags());
        assertFalse(options.remount());
    }

    @Test
    void whatMountMakesOfItsTableIsUnderstood() throws RefusedException {
        FstabOptions options =
                parse(
                        "rw,nosuid,nodev,relatime,user_id=0,group_id=0,default_permissions,"
                                + "allow_other,max_read=131072,remount,mode=none");
        assertTrue(options.remount());
        assertEquals(Map.of("mode", "none"), options.settings());
    }

    @Test
    void ofARemountTheLaterSettingCounts() throws RefusedException {
        FstabOptions options = parse("mode=writeback,size=1G,remount,mode=writethrough");
        assertEquals(Map.of("mode", "writethrough", "size", "1G"), options.settings());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", ",", ",,", "defaults", "defaults,nofail,,noauto"})
    void nothingIsAskedFor(String options) throws RefusedException {
        assertEquals(new FstabOptions(Map.of(), List.of(), false), parse(options));
        assertEquals(CacheMode.WRITETHROUGH, request(options).mode());
    }

    @ParameterizedTest
    @EnumSource
    void everySettingMayBeGivenOnce(Setting setting) {
        String key = setting.key();
        String sentence = refusal(key + "=1," + key + "=1");
        assertEquals("The setting \"" + key + "\" is given twice.", sentence);
    }

    @ParameterizedTest
    @EnumSource
    void everySettingNeedsAValue(Setting setting) {
        String key = setting.key();
        assertEquals("The setting \"" + key + "\" needs a value: " + key + "=VALUE.", refusal(key));
        assertTrue(refusal(key + "=").contains("\"\"") || key.equals("cache"), refusal(key + "="));
    }

    @ParameterizedTest
    @EnumSource
    void everySettingMisspeltIsRecognised(Setting setting) {
        String key = setting.key();
        String misspelt = key.substring(0, key.length() - 1);
        assertEquals(
                String.format(
                        "There is no option \"%s\"; did you mean \"%s\"?", misspelt, setting.key()),
                refusal(misspelt + "=1"));
    }

    @ParameterizedTest
    @CsvSource({
        "nofial, nofail",
        "nosiud, nosuid",
        "netdev, _netdev",
        "default, defaults",
        "remont, remount",
        "read_only, ",
    })
    void wordsOfMountMisspelt(String word, String meant) {
        String sentence = refusal(word);
        assertTrue(sentence.startsWith("There is no option \"" + word + "\"; "), sentence);
        assertTrue(
                meant == null
                        ? sentence.contains("sequential_cutoff")
                        : sentence.endsWith("did you mean \"" + meant + "\"?"),
                sentence);
    }

    @ParameterizedTest
    @ValueSource(strings = {"ro=1", "nofail=yes", "remount=1", "noexec="})
    void flagsTakeNoValue(String word) {
        assertTrue(refusal(word).endsWith("takes no value."), refusal(word));
    }

    /** Values that cannot be, and what the sentence must contain. */
    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "cache=; the path is empty",
                "size=much; is not a size",
                "size=-1; is not a size",
                "size=1.5G; is not a size",
                "size=99999999999T; is not a size",
                "size=4Q; is not a size",
                "mode=sometimes; the modes are",
                "mode=write-back; the modes are",
                "block_size=big; is not a size",
                "sequential_cutoff=4X; is not a size",
                "writeback_percent=41; 0 to 40",
                "writeback_percent=-1; 0 to 40",
                "writeback_percent=10%; 0 to 40",
                "writeback_delay=2d; from 1s to 1d",
                "writeback_delay=soon; is not a duration",
                "writeback_running=maybe; on or off",
                "conflict=both; refuse, cache or backing",
                "xattr=2; on or off",
                "=; not of the form",
                "=x; not of the form",
            })
    void valuesThatCannotBe(String option, String sentence) {
        assertTrue(refusal(option).contains(sentence), refusal(option));
    }

    /** As mount(8) has it: of contradicting flags the later one counts. */
    @Test
    void flagsMayContradictEachOther() throws RefusedException {
        assertEquals(
                List.of("ro", "suid", "dev", "exec", "atime", "async"),
                request("rw,ro,nosuid,suid").flags().over(List.of(), true));
    }

    @Test
    void sloppilyReadUnknownWordsAreOnlyTold() throws RefusedException {
        List<String> told = new ArrayList<>();
        FstabOptions options =
                FstabOptions.parse(List.of("colour=red,mode=none,nofial"), told::add);
        assertEquals(Map.of("mode", "none"), options.settings());
        assertEquals(2, told.size());
        assertTrue(told.get(0).contains("\"colour\""), told.get(0));
    }
}
