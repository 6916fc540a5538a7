package org.ssdcache.cli;

import java.util.Collection;
import java.util.Comparator;
import java.util.Locale;
import java.util.Optional;

/** What somebody may have meant who wrote a word that is unknown. */
final class NearMiss {
    private static final int MAX_MISTAKES = 2;

    private NearMiss() {}

    /** The known word that takes the fewest changes of letters, if it takes few. */
    static Optional<String> find(String word, Collection<String> known) {
        String written = plain(word);
        return known.stream()
                .filter(each -> mistakes(written, plain(each)) <= allowed(written))
                .min(Comparator.comparingInt(each -> mistakes(written, plain(each))));
    }

    /** Capitals, and whether words are joined by "-" or "_", are not worth a mistake. */
    private static String plain(String word) {
        return word.toLowerCase(Locale.ROOT).replace('-', '_');
    }

    /** Of a short word too much would be similar. */
    private static int allowed(String written) {
        return Math.min(MAX_MISTAKES, written.length() / 3);
    }

    /** Letters to insert, to remove or to replace; two that changed places count as one. */
    private static int mistakes(String a, String b) {
        int[][] cost = new int[a.length() + 1][b.length() + 1];
        for (int i = 0; i <= a.length(); i++) {
            for (int j = 0; j <= b.length(); j++) {
                cost[i][j] = Math.min(i, j) == 0 ? Math.max(i, j) : cheapest(a, b, cost, i, j);
            }
        }
        return cost[a.length()][b.length()];
    }

    private static int cheapest(String a, String b, int[][] cost, int i, int j) {
        boolean same = a.charAt(i - 1) == b.charAt(j - 1);
        int least =
                Math.min(
                        cost[i - 1][j - 1] + (same ? 0 : 1),
                        1 + Math.min(cost[i - 1][j], cost[i][j - 1]));
        boolean swapped =
                i > 1
                        && j > 1
                        && a.charAt(i - 1) == b.charAt(j - 2)
                        && a.charAt(i - 2) == b.charAt(j - 1);
        return swapped ? Math.min(least, 1 + cost[i - 2][j - 2]) : least;
    }
}
