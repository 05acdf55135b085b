// A starter bot in C++17: plays random legal turns in all five rulesets. Start your work at `choose`.

#include <algorithm>
#include <iostream>
#include <map>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <vector>

using Cells = std::vector<int>;
using Turn = Cells;         // cells in the order in which they are written, or one of the two codes below
using Board = std::string;  // one character per cell, row by row from a1: cell = row * size + column

const int PASS = -1, SWAP = -2;
const char EMPTY = '.';
const char STONE[] = {'1', '2'};  // seat 0 (moves first) and seat 1
const std::string COLUMNS = "abcdefghjklmnopqrst";
const std::map<std::string, std::string> FIRST_COLOUR = {
    {"scware", "white"}, {"ooscg-w", "red"}, {"squ", "red"}, {"square-grid-hex", "black"}, {"squaresquared", "black"}};
const std::string COMMANDS =
    "protocol_version\nname\nversion\nlist_commands\nset_ruleset\nboardsize\nclear_board\ntime_left\nplay\ngenmove\nquit";

std::mt19937 rng{std::random_device{}()};

struct Game {
    std::string ruleset = "squ";
    int size = 8;
    Board board;
    std::set<Board> history;  // all boards so far, for SquareSquared
    double seconds_left = 1e9;  // left on your clock

    void clear() { history = {board = Board(size * size, EMPTY)}; }
    void play(const Turn& turn, int seat) { history.insert(board = after(turn, seat)); }

    // Returns the board after a legal turn.
    Board after(const Turn& turn, int seat) const {
        Board next = board;
        if (turn[0] == SWAP) std::replace(next.begin(), next.end(), STONE[0], STONE[1]);
        if (turn[0] >= 0) place(next, turn[0], seat);
        for (size_t i = 1; i < turn.size(); i++) next[turn[i]] = STONE[seat];
        return next;
    }

    // Places a turn's first stone and removes captured stones. Returns the number of removed crosscut stones.
    int place(Board& on, int cell, int seat) const {
        std::set<int> removed;
        if (ruleset == "ooscg-w") removed = crosscut_enemies(on, cell, seat);
        on[cell] = STONE[seat];
        for (int enemy : removed) on[enemy] = EMPTY;
        if (ruleset != "squaresquared") return removed.size();
        for (int near : beside(cell))
            if (on[near] == STONE[1 - seat]) remove_without_liberty(on, near);
        remove_without_liberty(on, cell);
        return 0;
    }

    Cells around(int cell, const std::vector<std::pair<int, int>>& steps) const {
        Cells found;
        for (auto [up, right] : steps) {
            int row = cell / size + up, column = cell % size + right;
            if (row >= 0 && row < size && column >= 0 && column < size) found.push_back(row * size + column);
        }
        return found;
    }
    Cells beside(int cell) const { return around(cell, {{0, 1}, {1, 0}, {0, -1}, {-1, 0}}); }
    Cells diagonal(int cell) const { return around(cell, {{1, 1}, {1, -1}, {-1, -1}, {-1, 1}}); }

    // Returns the orthogonally connected group of a stone.
    std::set<int> group(const Board& on, int stone) const {
        std::set<int> members = {stone};
        Cells todo = {stone};
        while (!todo.empty()) {
            int cell = todo.back();
            todo.pop_back();
            for (int near : beside(cell))
                if (on[near] == on[stone] && members.insert(near).second) todo.push_back(near);
        }
        return members;
    }

    void remove_without_liberty(Board& on, int stone) const {
        std::set<int> members = group(on, stone);
        for (int cell : members)
            for (int near : beside(cell))
                if (on[near] == EMPTY) return;
        for (int cell : members) on[cell] = EMPTY;
    }

    // Returns the enemy stones of the crosscuts that the seat's stone on this cell would form.
    std::set<int> crosscut_enemies(const Board& on, int cell, int seat) const {
        std::set<int> enemies;
        for (int corner : diagonal(cell)) {
            // The two other cells of the 2×2 square between the cell and its corner.
            int one = cell / size * size + corner % size, other = corner / size * size + cell % size;
            if (on[corner] == STONE[seat] && on[one] == STONE[1 - seat] && on[other] == STONE[1 - seat])
                enemies.insert({one, other});
        }
        return enemies;
    }

    // Returns legal turns in random order: not all of them, but always at least one.
    std::vector<Turn> candidates(int seat) const {
        std::vector<Turn> turns;
        Cells empty;
        for (size_t cell = 0; cell < board.size(); cell++)
            if (board[cell] == EMPTY) empty.push_back(cell);
        std::shuffle(empty.begin(), empty.end(), rng);
        if (ruleset == "squ") {  // two discs, but only one on the empty board and on the last cell
            int discs = empty.size() == 1 || empty.size() == board.size() ? 1 : 2;
            for (size_t i = 0; i + discs <= empty.size(); i += discs)
                turns.push_back(Turn(empty.begin() + i, empty.begin() + i + discs));
            return turns;
        }
        for (int cell : empty) {
            Turn turn = {cell};
            if (ruleset == "scware" && !scware_turn(turn, seat)) continue;
            if (ruleset == "squaresquared" && !worth_playing(turn, seat)) continue;
            if (ruleset == "ooscg-w") add_bonus_stones(turn, seat);
            turns.push_back(turn);
        }
        if (ruleset == "square-grid-hex" && seat == 1 && empty.size() + 1 == board.size()) turns.push_back({SWAP});
        if (turns.empty()) turns.push_back({PASS});
        return turns;
    }

    // SquareSquared: rejects repeated boards, and turns in the bot's own eyes, with which a game would never end.
    bool worth_playing(const Turn& turn, int seat) const {
        bool eye = true;
        for (int near : beside(turn[0])) eye &= board[near] == STONE[seat];
        return !eye && !history.count(after(turn, seat));
    }

    // OOSCG-W: adds as many bonus stones as stones were removed, or as many as fit.
    void add_bonus_stones(Turn& turn, int seat) const {
        Board on = board;
        int owed = place(on, turn[0], seat);
        while (!fit(on, turn, 0, owed, seat)) owed--;
    }

    // Adds `count` stones on cells from `from` on without forming a crosscut, if possible.
    bool fit(Board& on, Turn& turn, int from, int count, int seat) const {
        if (count == 0) return true;
        for (int cell = from; cell < size * size; cell++) {
            if (on[cell] != EMPTY || !crosscut_enemies(on, cell, seat).empty()) continue;
            on[cell] = STONE[seat];
            turn.push_back(cell);
            if (fit(on, turn, cell + 1, count - 1, seat)) return true;
            on[cell] = EMPTY;
            turn.pop_back();
        }
        return false;
    }

    // Scware: completes the first stone to a legal turn, by starting or by growing, if possible.
    bool scware_turn(Turn& turn, int seat) const {
        Board on = board;
        on[turn[0]] = STONE[seat];
        if (grows(turn[0], {}, seat)) return finish_growth(on, turn, seat);
        for (int corner : diagonal(turn[0]))
            if (on[corner] == STONE[seat]) return false;
        return true;
    }

    // Returns whether a stone here grows groups, none of which the turn has already grown.
    bool grows(int cell, const Turn& turn, int seat) const {
        bool touches = false;
        for (int near : beside(cell)) {
            if (board[near] != STONE[seat]) continue;
            touches = true;
            std::set<int> old = group(board, near);
            for (int stone : turn)
                for (int at : beside(stone))
                    if (old.count(at)) return false;
        }
        return touches;
    }

    // Adds growing stones until all diagonal neighbours are connected. Only a stone next to a new one helps.
    bool finish_growth(Board& on, Turn& turn, int seat) const {
        for (int stone : Turn(turn)) {
            std::set<int> mine = group(on, stone);
            bool apart = false;
            for (int corner : diagonal(stone)) apart |= on[corner] == STONE[seat] && !mine.count(corner);
            if (!apart) continue;
            for (int joined : Turn(turn))
                for (int cell : beside(joined)) {
                    if (!mine.count(joined) || on[cell] != EMPTY || !grows(cell, turn, seat)) continue;
                    on[cell] = STONE[seat];
                    turn.push_back(cell);
                    if (finish_growth(on, turn, seat)) return true;
                    on[cell] = EMPTY;
                    turn.pop_back();
                }
            return false;
        }
        return true;
    }

    Turn parse(const std::string& text) const {
        if (text == "pass" || text == "swap") return {text == "pass" ? PASS : SWAP};
        Turn turn;
        std::istringstream parts(text);
        for (std::string part; std::getline(parts, part, ',');)
            turn.push_back((std::stoi(part.substr(1)) - 1) * size + COLUMNS.find(part[0]));
        return turn;
    }

    std::string format(const Turn& turn) const {
        if (turn[0] < 0) return turn[0] == PASS ? "pass" : "swap";
        std::string text;
        for (int cell : turn) text += "," + (COLUMNS[cell % size] + std::to_string(cell / size + 1));
        return text.substr(1);
    }
};

// ===== Choose your turn here. `game.after(turn, seat)` returns the board after a turn. =====
Turn choose(const Game& game, int seat) {
    return game.candidates(seat)[0];
}

// Returns the answer to one of the referee's commands.
std::string answer(Game& game, const std::string& line) {
    std::string command, word, last;
    std::istringstream(line) >> command >> word >> last;
    if (command == "protocol_version") return "= 2";
    if (command == "name") return "= Starter in C++";
    if (command == "version") return "= 1";
    if (command == "list_commands") return "= " + COMMANDS;
    if (command == "set_ruleset" && !FIRST_COLOUR.count(word)) return "? unknown ruleset";
    int seat = word == FIRST_COLOUR.at(game.ruleset) ? 0 : 1;
    if (command == "set_ruleset") game.ruleset = word;
    else if (command == "boardsize") game.size = std::stoi(word), game.clear();
    else if (command == "clear_board") game.clear();
    else if (command == "time_left") game.seconds_left = std::stod(last);
    else if (command == "play") game.play(game.parse(last), seat);
    else if (command == "genmove") {
        Turn turn = choose(game, seat);
        game.play(turn, seat);
        // The second line is optional: what the bot thinks, such as "view win 0.62 depth 7".
        return "= " + game.format(turn) + "\nview nodes 1";
    } else return "? unknown command";
    return "=";
}

int main() {
    Game game;
    for (std::string line; std::getline(std::cin, line) && line != "quit";)
        std::cout << answer(game, line) << "\n\n" << std::flush;
}
