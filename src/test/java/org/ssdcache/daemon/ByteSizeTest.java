package org.ssdcache.daemon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ByteSizeTest {
    @ParameterizedTest
    @CsvSource({
        "0, 0",
        "4096, 4096",
        "17B, 17",
        "1K, 1024",
        "16k, 16384",
        "512M, 536870912",
        "10G, 10737418240",
        "2T, 2199023255552",
        "1GiB, 1073741824",
        "1gb, 1073741824"
    })
    void reads(String text, long bytes) {
        assertEquals(bytes, ByteSize.parse(text).orElseThrow());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "K",
                "-1",
                "1.5G",
                "10X",
                "10KK",
                "1 G",
                "0x10",
                "9999999999999999999",
                "9999999999G",
                "\u0663K"
            })
    void refuses(String text) {
        assertTrue(ByteSize.parse(text).isEmpty(), text);
    }

    @ParameterizedTest
    @CsvSource({
        "0, 0",
        "1023, 1023",
        "1024, 1K",
        "1536, 1.5K",
        "16384, 16K",
        "1073741824, 1G",
        "10000000000, 9.3G",
        "1099511627776, 1T",
        "1125899906842624, 1024T"
    })
    void writes(long bytes, String text) {
        assertEquals(text, ByteSize.format(bytes));
    }
}
