//! A starter bot in Rust: plays random legal turns in all five rulesets. Start your work at `choose`.

use std::collections::{BTreeSet, HashSet};
use std::io::{self, BufRead, Write};

/// Cells in the order in which they are written, or one of the two codes below.
type Turn = Vec<usize>;
/// One character per cell, row by row from a1: cell = row * size + column.
type Board = Vec<u8>;

const PASS: usize = usize::MAX;
const SWAP: usize = usize::MAX - 1;
const EMPTY: u8 = b'.';
const STONE: [u8; 2] = [b'1', b'2']; // seat 0 (moves first) and seat 1
const COLUMNS: &str = "abcdefghjklmnopqrst";
const BESIDE: [(isize, isize); 4] = [(0, 1), (1, 0), (0, -1), (-1, 0)];
const DIAGONAL: [(isize, isize); 4] = [(1, 1), (1, -1), (-1, -1), (-1, 1)];
const COMMANDS: &str = "protocol_version\nname\nversion\nlist_commands\nset_ruleset\nboardsize\nclear_board\n\
                        time_left\nplay\ngenmove\nquit";

struct Game {
    ruleset: String,
    size: usize,
    board: Board,
    history: HashSet<Board>, // all boards so far, for SquareSquared
    seconds_left: f64,       // left on your clock
    random: u64,
}

/// ===== Choose your turn here. `game.after(turn, seat)` returns the board after a turn. =====
fn choose(game: &mut Game, seat: usize) -> Turn {
    game.candidates(seat).swap_remove(0)
}

impl Game {
    fn clear(&mut self) {
        self.board = vec![EMPTY; self.size * self.size];
        self.history = HashSet::from([self.board.clone()]);
    }

    fn play(&mut self, turn: &Turn, seat: usize) {
        self.board = self.after(turn, seat);
        self.history.insert(self.board.clone());
    }

    /// Returns the board after a legal turn.
    fn after(&self, turn: &Turn, seat: usize) -> Board {
        let mut next = self.board.clone();
        match turn[0] {
            PASS => {}
            SWAP => next.iter_mut().filter(|stone| **stone != EMPTY).for_each(|stone| *stone = STONE[1]),
            first => {
                self.place(&mut next, first, seat);
                turn[1..].iter().for_each(|&bonus| next[bonus] = STONE[seat]);
            }
        }
        next
    }

    /// Places a turn's first stone and removes captured stones. Returns the number of removed crosscut stones.
    fn place(&self, on: &mut Board, cell: usize, seat: usize) -> usize {
        let crosscuts = self.ruleset == "ooscg-w";
        let removed = if crosscuts { self.crosscut_enemies(on, cell, seat) } else { BTreeSet::new() };
        on[cell] = STONE[seat];
        removed.iter().for_each(|&enemy| on[enemy] = EMPTY);
        if self.ruleset == "squaresquared" {
            for near in self.around(cell, &BESIDE) {
                if on[near] == STONE[1 - seat] {
                    self.remove_without_liberty(on, near);
                }
            }
            self.remove_without_liberty(on, cell);
        }
        removed.len()
    }

    fn around(&self, cell: usize, steps: &[(isize, isize)]) -> Vec<usize> {
        let (row, column, size) = (cell / self.size, cell % self.size, self.size);
        let moved = steps.iter().map(|(up, right)| (row.wrapping_add_signed(*up), column.wrapping_add_signed(*right)));
        moved.filter(|(r, c)| *r < size && *c < size).map(|(r, c)| r * size + c).collect()
    }

    /// Returns the orthogonally connected group of a stone.
    fn group(&self, on: &Board, stone: usize) -> BTreeSet<usize> {
        let (mut members, mut todo) = (BTreeSet::from([stone]), vec![stone]);
        while let Some(cell) = todo.pop() {
            let like = self.around(cell, &BESIDE).into_iter().filter(|&near| on[near] == on[stone]);
            todo.extend(like.filter(|&near| members.insert(near)));
        }
        members
    }

    fn remove_without_liberty(&self, on: &mut Board, stone: usize) {
        let members = self.group(on, stone);
        if !members.iter().any(|&cell| self.around(cell, &BESIDE).iter().any(|&near| on[near] == EMPTY)) {
            members.iter().for_each(|&cell| on[cell] = EMPTY);
        }
    }

    /// Returns the enemy stones of the crosscuts that the seat's stone on this cell would form.
    fn crosscut_enemies(&self, on: &Board, cell: usize, seat: usize) -> BTreeSet<usize> {
        let mut enemies = BTreeSet::new();
        for corner in self.around(cell, &DIAGONAL) {
            // The two other cells of the 2×2 square between the cell and its corner.
            let one = cell - cell % self.size + corner % self.size;
            let other = cell + corner - one;
            if on[corner] == STONE[seat] && on[one] == STONE[1 - seat] && on[other] == STONE[1 - seat] {
                enemies.extend([one, other]);
            }
        }
        enemies
    }

    /// Returns legal turns in random order: not all of them, but always at least one.
    fn candidates(&mut self, seat: usize) -> Vec<Turn> {
        let cells = self.board.len();
        let mut empty: Vec<usize> = (0..cells).filter(|&cell| self.board[cell] == EMPTY).collect();
        for i in (1..empty.len()).rev() {
            self.random = self.random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            empty.swap(i, (self.random >> 33) as usize % (i + 1));
        }
        if self.ruleset == "squ" {
            // Two discs, but only one on the empty board and on the last cell.
            let discs = if empty.len() == 1 || empty.len() == cells { 1 } else { 2 };
            return empty.chunks_exact(discs).map(|turn| turn.to_vec()).collect();
        }
        let mut turns: Vec<Turn> = empty.iter().filter_map(|&cell| self.turn_with(cell, seat)).collect();
        if self.ruleset == "square-grid-hex" && seat == 1 && empty.len() + 1 == cells {
            turns.push(vec![SWAP]);
        }
        if turns.is_empty() {
            turns.push(vec![PASS]);
        }
        turns
    }

    /// Returns a legal turn whose first stone is on this cell, if there is one.
    fn turn_with(&self, cell: usize, seat: usize) -> Option<Turn> {
        let mut turn = vec![cell];
        let legal = match self.ruleset.as_str() {
            "scware" => self.scware_turn(&mut turn, seat),
            "squaresquared" => self.worth_playing(&turn, seat),
            "ooscg-w" => self.add_bonus_stones(&mut turn, seat),
            _ => true,
        };
        legal.then_some(turn)
    }

    /// SquareSquared: rejects repeated boards, and turns in the bot's own eyes, with which a game would never end.
    fn worth_playing(&self, turn: &Turn, seat: usize) -> bool {
        let eye = self.around(turn[0], &BESIDE).iter().all(|&near| self.board[near] == STONE[seat]);
        !eye && !self.history.contains(&self.after(turn, seat))
    }

    /// OOSCG-W: adds as many bonus stones as stones were removed, or as many as fit. Every first stone is legal.
    fn add_bonus_stones(&self, turn: &mut Turn, seat: usize) -> bool {
        let mut on = self.board.clone();
        let owed = self.place(&mut on, turn[0], seat);
        (0..=owed).rev().any(|count| self.fit(&mut on, turn, 0, count, seat))
    }

    /// Adds `count` stones on cells from `from` on without forming a crosscut, if possible.
    fn fit(&self, on: &mut Board, turn: &mut Turn, from: usize, count: usize, seat: usize) -> bool {
        for cell in if count == 0 { 0..0 } else { from..on.len() } {
            if on[cell] != EMPTY || !self.crosscut_enemies(on, cell, seat).is_empty() {
                continue;
            }
            on[cell] = STONE[seat];
            turn.push(cell);
            if self.fit(on, turn, cell + 1, count - 1, seat) {
                return true;
            }
            on[cell] = EMPTY;
            turn.pop();
        }
        count == 0
    }

    /// Scware: completes the first stone to a legal turn, by starting or by growing, if possible.
    fn scware_turn(&self, turn: &mut Turn, seat: usize) -> bool {
        let mut on = self.board.clone();
        on[turn[0]] = STONE[seat];
        if self.grows(turn[0], &vec![], seat) {
            return self.finish_growth(&mut on, turn, seat);
        }
        self.around(turn[0], &DIAGONAL).iter().all(|&corner| on[corner] != STONE[seat])
    }

    /// Returns whether a stone here grows groups, none of which the turn has already grown.
    fn grows(&self, cell: usize, turn: &Turn, seat: usize) -> bool {
        let beside = self.around(cell, &BESIDE).into_iter().filter(|&near| self.board[near] == STONE[seat]);
        let old: BTreeSet<usize> = beside.flat_map(|stone| self.group(&self.board, stone)).collect();
        !old.is_empty() && !turn.iter().any(|&new| self.around(new, &BESIDE).iter().any(|near| old.contains(near)))
    }

    /// Adds growing stones until all diagonal neighbours are connected. Only a stone next to a new one helps.
    fn finish_growth(&self, on: &mut Board, turn: &mut Turn, seat: usize) -> bool {
        for stone in turn.clone() {
            let mine = self.group(on, stone);
            if self.around(stone, &DIAGONAL).iter().all(|at| on[*at] != STONE[seat] || mine.contains(at)) {
                continue;
            }
            let joined: Turn = turn.iter().copied().filter(|new| mine.contains(new)).collect();
            for cell in joined.iter().flat_map(|&new| self.around(new, &BESIDE)) {
                if on[cell] != EMPTY || !self.grows(cell, turn, seat) {
                    continue;
                }
                on[cell] = STONE[seat];
                turn.push(cell);
                if self.finish_growth(on, turn, seat) {
                    return true;
                }
                on[cell] = EMPTY;
                turn.pop();
            }
            return false;
        }
        true
    }

    fn parse(&self, text: &str) -> Turn {
        let cell = |name: &str| {
            let row: usize = name[1..].parse().expect("row number");
            (row - 1) * self.size + COLUMNS.find(&name[..1]).expect("column letter")
        };
        match text {
            "pass" => vec![PASS],
            "swap" => vec![SWAP],
            _ => text.split(',').map(cell).collect(),
        }
    }

    fn format(&self, turn: &Turn) -> String {
        let name = |cell: &usize| match *cell {
            PASS => "pass".to_string(),
            SWAP => "swap".to_string(),
            cell => format!("{}{}", &COLUMNS[cell % self.size..=cell % self.size], cell / self.size + 1),
        };
        turn.iter().map(name).collect::<Vec<_>>().join(",")
    }

    /// Returns the answer to one of the referee's commands.
    fn answer(&mut self, line: &str) -> String {
        let words: Vec<&str> = line.split_whitespace().collect();
        let first_colour = match self.ruleset.as_str() {
            "scware" => "white",
            "square-grid-hex" | "squaresquared" => "black",
            _ => "red",
        };
        let seat = usize::from(words.get(1) != Some(&first_colour));
        match words[..] {
            ["protocol_version"] => return "= 2".into(),
            ["name"] => return "= Starter in Rust".into(),
            ["version"] => return "= 1".into(),
            ["list_commands"] => return format!("= {COMMANDS}"),
            ["set_ruleset", slug] => self.ruleset = slug.into(),
            ["boardsize", size] => self.size = size.parse().expect("a size"),
            ["clear_board"] => self.clear(),
            ["time_left", _, seconds, _] => self.seconds_left = seconds.parse().expect("seconds"),
            ["play", _, turn] => self.play(&self.parse(turn), seat),
            ["genmove", _] => {
                let turn = choose(self, seat);
                self.play(&turn, seat);
                // The second line is optional: what the bot thinks, such as "view win 0.62 depth 7".
                return format!("= {}\nview nodes 1", self.format(&turn));
            }
            _ => return "? unknown command".into(),
        }
        "=".into()
    }
}

fn main() -> io::Result<()> {
    let random = std::time::UNIX_EPOCH.elapsed().map_or(1, |since| since.as_nanos() as u64);
    let (ruleset, size, seconds_left) = ("squ".into(), 8, f64::INFINITY);
    let mut game = Game { ruleset, size, board: vec![], history: HashSet::new(), seconds_left, random };
    for line in io::stdin().lock().lines() {
        let line = line?;
        if line == "quit" {
            break;
        }
        print!("{}\n\n", game.answer(&line));
        io::stdout().flush()?;
    }
    Ok(())
}
