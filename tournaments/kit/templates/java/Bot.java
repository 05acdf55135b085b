import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** A starter bot for Java 17: plays random legal turns in all five rulesets. Start your work at `choose`. */
public final class Bot {
    // A turn is a list of cells in the order in which they are written, or one of the two codes below.
    // A board is one character per cell, row by row from a1: cell = row * size + column.
    static final int PASS = -1, SWAP = -2;
    static final char EMPTY = '.';
    static final char[] STONE = {'1', '2'}; // seat 0 (moves first) and seat 1
    static final String COLUMNS = "abcdefghjklmnopqrst";
    static final int[][] BESIDE = {{0, 1}, {1, 0}, {0, -1}, {-1, 0}}, DIAGONAL = {{1, 1}, {1, -1}, {-1, -1}, {-1, 1}};
    static final Map<String, String> FIRST_COLOUR = Map.of(
        "scware", "white", "ooscg-w", "red", "squ", "red", "square-grid-hex", "black", "squaresquared", "black");
    static final String COMMANDS = String.join("\n", "protocol_version", "name", "version", "list_commands",
        "set_ruleset", "boardsize", "clear_board", "time_left", "play", "genmove", "quit");

    String ruleset = "squ";
    int size = 8;
    char[] board;
    Set<String> history; // all boards so far, for SquareSquared
    double secondsLeft = Double.POSITIVE_INFINITY; // left on your clock

    /** ===== Choose your turn here. `after(turn, seat)` returns the board after a turn. ===== */
    List<Integer> choose(int seat) {
        return candidates(seat).get(0);
    }

    void clear() {
        board = ".".repeat(size * size).toCharArray();
        history = new HashSet<>(Set.of(new String(board)));
    }

    void play(List<Integer> turn, int seat) {
        board = after(turn, seat);
        history.add(new String(board));
    }

    /** Returns the board after a legal turn. */
    char[] after(List<Integer> turn, int seat) {
        if (turn.get(0) == SWAP) return new String(board).replace(STONE[0], STONE[1]).toCharArray();
        char[] next = board.clone();
        if (turn.get(0) >= 0) place(next, turn.get(0), seat);
        for (int bonus : turn.subList(1, turn.size())) next[bonus] = STONE[seat];
        return next;
    }

    /** Places a turn's first stone and removes captured stones. Returns the number of removed crosscut stones. */
    int place(char[] on, int cell, int seat) {
        Set<Integer> removed = ruleset.equals("ooscg-w") ? crosscutEnemies(on, cell, seat) : Set.of();
        on[cell] = STONE[seat];
        for (int enemy : removed) on[enemy] = EMPTY;
        if (ruleset.equals("squaresquared")) {
            for (int near : around(cell, BESIDE)) if (on[near] == STONE[1 - seat]) removeWithoutLiberty(on, near);
            removeWithoutLiberty(on, cell);
        }
        return removed.size();
    }

    List<Integer> around(int cell, int[][] steps) {
        List<Integer> found = new ArrayList<>();
        for (int[] step : steps) {
            int row = cell / size + step[0], column = cell % size + step[1];
            if (row >= 0 && row < size && column >= 0 && column < size) found.add(row * size + column);
        }
        return found;
    }

    /** Returns the orthogonally connected group of a stone. */
    Set<Integer> group(char[] on, int stone) {
        Set<Integer> members = new TreeSet<>(Set.of(stone));
        List<Integer> todo = new ArrayList<>(members);
        while (!todo.isEmpty())
            for (int near : around(todo.remove(todo.size() - 1), BESIDE))
                if (on[near] == on[stone] && members.add(near)) todo.add(near);
        return members;
    }

    void removeWithoutLiberty(char[] on, int stone) {
        Set<Integer> members = group(on, stone);
        for (int cell : members) for (int near : around(cell, BESIDE)) if (on[near] == EMPTY) return;
        for (int cell : members) on[cell] = EMPTY;
    }

    /** Returns the enemy stones of the crosscuts that the seat's stone on this cell would form. */
    Set<Integer> crosscutEnemies(char[] on, int cell, int seat) {
        Set<Integer> enemies = new TreeSet<>();
        for (int corner : around(cell, DIAGONAL)) {
            // The two other cells of the 2×2 square between the cell and its corner.
            int one = cell - cell % size + corner % size, other = cell + corner - one;
            if (on[corner] == STONE[seat] && on[one] == STONE[1 - seat] && on[other] == STONE[1 - seat])
                enemies.addAll(List.of(one, other));
        }
        return enemies;
    }

    /** Returns legal turns in random order: not all of them, but always at least one. */
    List<List<Integer>> candidates(int seat) {
        List<List<Integer>> turns = new ArrayList<>();
        List<Integer> empty = new ArrayList<>();
        for (int cell = 0; cell < board.length; cell++) if (board[cell] == EMPTY) empty.add(cell);
        Collections.shuffle(empty);
        if (ruleset.equals("squ")) { // two discs, but only one on the empty board and on the last cell
            int discs = empty.size() == 1 || empty.size() == board.length ? 1 : 2;
            for (int i = 0; i + discs <= empty.size(); i += discs) turns.add(empty.subList(i, i + discs));
            return turns;
        }
        for (int cell : empty) {
            List<Integer> turn = new ArrayList<>(List.of(cell));
            if (ruleset.equals("scware") && !scwareTurn(turn, seat)) continue;
            if (ruleset.equals("squaresquared") && !worthPlaying(turn, seat)) continue;
            if (ruleset.equals("ooscg-w")) addBonusStones(turn, seat);
            turns.add(turn);
        }
        if (ruleset.equals("square-grid-hex") && seat == 1 && empty.size() + 1 == board.length) turns.add(List.of(SWAP));
        if (turns.isEmpty()) turns.add(List.of(PASS));
        return turns;
    }

    /** SquareSquared: rejects repeated boards, and turns in the bot's own eyes, with which a game would never end. */
    boolean worthPlaying(List<Integer> turn, int seat) {
        boolean eye = around(turn.get(0), BESIDE).stream().allMatch(near -> board[near] == STONE[seat]);
        return !eye && !history.contains(new String(after(turn, seat)));
    }

    /** OOSCG-W: adds as many bonus stones as stones were removed, or as many as fit. */
    void addBonusStones(List<Integer> turn, int seat) {
        char[] on = board.clone();
        int owed = place(on, turn.get(0), seat);
        while (!fit(on, turn, 0, owed, seat)) owed--;
    }

    /** Adds `count` stones on cells from `from` on without forming a crosscut, if possible. */
    boolean fit(char[] on, List<Integer> turn, int from, int count, int seat) {
        if (count == 0) return true;
        for (int cell = from; cell < on.length; cell++) {
            if (on[cell] != EMPTY || !crosscutEnemies(on, cell, seat).isEmpty()) continue;
            on[cell] = STONE[seat];
            turn.add(cell);
            if (fit(on, turn, cell + 1, count - 1, seat)) return true;
            on[cell] = EMPTY;
            turn.remove(turn.size() - 1);
        }
        return false;
    }

    /** Scware: completes the first stone to a legal turn, by starting or by growing, if possible. */
    boolean scwareTurn(List<Integer> turn, int seat) {
        char[] on = board.clone();
        on[turn.get(0)] = STONE[seat];
        if (grows(turn.get(0), List.of(), seat)) return finishGrowth(on, turn, seat);
        return around(turn.get(0), DIAGONAL).stream().noneMatch(corner -> on[corner] == STONE[seat]);
    }

    /** Returns whether a stone here grows groups, none of which the turn has already grown. */
    boolean grows(int cell, List<Integer> turn, int seat) {
        boolean touches = false;
        for (int near : around(cell, BESIDE)) {
            if (board[near] != STONE[seat]) continue;
            touches = true;
            Set<Integer> old = group(board, near);
            for (int stone : turn) if (around(stone, BESIDE).stream().anyMatch(old::contains)) return false;
        }
        return touches;
    }

    /** Adds growing stones until all diagonal neighbours are connected. Only a stone next to a new one helps. */
    boolean finishGrowth(char[] on, List<Integer> turn, int seat) {
        for (int stone : turn) {
            Set<Integer> mine = group(on, stone);
            if (around(stone, DIAGONAL).stream().allMatch(at -> on[at] != STONE[seat] || mine.contains(at))) continue;
            for (int joined : List.copyOf(turn)) {
                if (!mine.contains(joined)) continue;
                for (int cell : around(joined, BESIDE)) {
                    if (on[cell] != EMPTY || !grows(cell, turn, seat)) continue;
                    on[cell] = STONE[seat];
                    turn.add(cell);
                    if (finishGrowth(on, turn, seat)) return true;
                    on[cell] = EMPTY;
                    turn.remove(turn.size() - 1);
                }
            }
            return false;
        }
        return true;
    }

    List<Integer> parse(String text) {
        if (text.equals("pass") || text.equals("swap")) return List.of(text.equals("pass") ? PASS : SWAP);
        List<Integer> turn = new ArrayList<>();
        for (String name : text.split(","))
            turn.add((Integer.parseInt(name.substring(1)) - 1) * size + COLUMNS.indexOf(name.charAt(0)));
        return turn;
    }

    String format(List<Integer> turn) {
        if (turn.get(0) < 0) return turn.get(0) == PASS ? "pass" : "swap";
        return String.join(",", turn.stream().map(at -> COLUMNS.charAt(at % size) + "" + (at / size + 1)).toList());
    }

    /** Returns the answer to one of the referee's commands. */
    String answer(String[] words) {
        int seat = words.length > 1 && words[1].equals(FIRST_COLOUR.get(ruleset)) ? 0 : 1;
        switch (words[0]) {
            case "protocol_version": return "= 2";
            case "name": return "= Starter in Java";
            case "version": return "= 1";
            case "list_commands": return "= " + COMMANDS;
            case "set_ruleset": ruleset = words[1]; return "=";
            case "boardsize": size = Integer.parseInt(words[1]); clear(); return "=";
            case "clear_board": clear(); return "=";
            case "time_left": secondsLeft = Double.parseDouble(words[2]); return "=";
            case "play": play(parse(words[2]), seat); return "=";
            case "genmove":
                List<Integer> turn = choose(seat);
                play(turn, seat);
                // The second line is optional: what the bot thinks, such as "view win 0.62 depth 7".
                return "= " + format(turn) + "\nview nodes 1";
            default: return "? unknown command";
        }
    }

    public static void main(String[] arguments) throws IOException {
        Bot bot = new Bot();
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = input.readLine(); line != null && !line.equals("quit"); line = input.readLine()) {
            System.out.print(bot.answer(line.trim().split(" +")) + "\n\n");
            System.out.flush();
        }
    }
}
