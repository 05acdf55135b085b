// A starter bot in Go: plays random legal turns in all five rulesets. Start your work at `choose`.
package main

import (
	"bufio"
	"fmt"
	"math/rand"
	"os"
	"strconv"
	"strings"
	"time"
)

// Turn is a list of cells in the order in which they are written, or one of the two codes below.
type Turn []int

// Board has one byte per cell, row by row from a1: cell = row * size + column.
type Board []byte

const (
	pass     = -1
	swap     = -2
	empty    = '.'
	stones   = "12" // seat 0 (moves first) and seat 1
	columns  = "abcdefghjklmnopqrst"
	commands = "protocol_version\nname\nversion\nlist_commands\nset_ruleset\nboardsize\nclear_board\ntime_left\nplay\ngenmove\nquit"
)

var (
	beside      = [][2]int{{0, 1}, {1, 0}, {0, -1}, {-1, 0}}
	diagonal    = [][2]int{{1, 1}, {1, -1}, {-1, -1}, {-1, 1}}
	firstColour = map[string]string{"scware": "white", "ooscg-w": "red", "squ": "red",
		"square-grid-hex": "black", "squaresquared": "black"}
)

// Game is the state of the game so far.
type Game struct {
	ruleset     string
	size        int
	board       Board
	history     map[string]bool // all boards so far, for SquareSquared
	secondsLeft float64         // left on your clock
}

// ===== Choose your turn here. `game.after(turn, seat)` returns the board after a turn. =====
func choose(game *Game, seat int) Turn {
	return game.candidates(seat)[0]
}

func (g *Game) clear() {
	g.board = Board(strings.Repeat(string(rune(empty)), g.size*g.size))
	g.history = map[string]bool{string(g.board): true}
}

func (g *Game) play(turn Turn, seat int) {
	g.board = g.after(turn, seat)
	g.history[string(g.board)] = true
}

// after returns the board after a legal turn.
func (g *Game) after(turn Turn, seat int) Board {
	if turn[0] == swap {
		return Board(strings.ReplaceAll(string(g.board), stones[:1], stones[1:]))
	}
	next := append(Board{}, g.board...)
	if turn[0] >= 0 {
		g.place(next, turn[0], seat)
	}
	for _, bonus := range turn[1:] {
		next[bonus] = stones[seat]
	}
	return next
}

// place puts a turn's first stone on the board, removes captured stones, and returns how many were in crosscuts.
func (g *Game) place(on Board, cell, seat int) int {
	removed := map[int]bool{}
	if g.ruleset == "ooscg-w" {
		removed = g.crosscutEnemies(on, cell, seat)
	}
	on[cell] = stones[seat]
	for enemy := range removed {
		on[enemy] = empty
	}
	if g.ruleset == "squaresquared" {
		for _, near := range g.around(cell, beside) {
			if on[near] == stones[1-seat] {
				g.removeWithoutLiberty(on, near)
			}
		}
		g.removeWithoutLiberty(on, cell)
	}
	return len(removed)
}

func (g *Game) around(cell int, steps [][2]int) (found Turn) {
	for _, step := range steps {
		row, column := cell/g.size+step[0], cell%g.size+step[1]
		if row >= 0 && row < g.size && column >= 0 && column < g.size {
			found = append(found, row*g.size+column)
		}
	}
	return found
}

// group returns the orthogonally connected group of a stone.
func (g *Game) group(on Board, stone int) map[int]bool {
	members, todo := map[int]bool{stone: true}, Turn{stone}
	for i := 0; i < len(todo); i++ {
		for _, near := range g.around(todo[i], beside) {
			if on[near] == on[stone] && !members[near] {
				members[near] = true
				todo = append(todo, near)
			}
		}
	}
	return members
}

func (g *Game) removeWithoutLiberty(on Board, stone int) {
	members := g.group(on, stone)
	for cell := range members {
		for _, near := range g.around(cell, beside) {
			if on[near] == empty {
				return
			}
		}
	}
	for cell := range members {
		on[cell] = empty
	}
}

// crosscutEnemies returns the enemy stones of the crosscuts that the seat's stone on this cell would form.
func (g *Game) crosscutEnemies(on Board, cell, seat int) map[int]bool {
	enemies := map[int]bool{}
	for _, corner := range g.around(cell, diagonal) {
		// The two other cells of the 2×2 square between the cell and its corner.
		one := cell - cell%g.size + corner%g.size
		other := cell + corner - one
		if on[corner] == stones[seat] && on[one] == stones[1-seat] && on[other] == stones[1-seat] {
			enemies[one], enemies[other] = true, true
		}
	}
	return enemies
}

// candidates returns legal turns in random order: not all of them, but always at least one.
func (g *Game) candidates(seat int) (turns []Turn) {
	free := Turn{}
	for _, cell := range rand.Perm(len(g.board)) {
		if g.board[cell] == empty {
			free = append(free, cell)
		}
	}
	if g.ruleset == "squ" { // two discs, but only one on the empty board and on the last cell
		discs := 2
		if len(free) == 1 || len(free) == len(g.board) {
			discs = 1
		}
		for i := 0; i+discs <= len(free); i += discs {
			turns = append(turns, free[i:i+discs])
		}
		return turns
	}
	for _, cell := range free {
		turn, legal := Turn{cell}, true
		switch g.ruleset {
		case "scware":
			turn, legal = g.scwareTurn(cell, seat)
		case "ooscg-w":
			turn = g.withBonusStones(cell, seat)
		case "squaresquared":
			legal = g.worthPlaying(turn, seat)
		}
		if legal {
			turns = append(turns, turn)
		}
	}
	if g.ruleset == "square-grid-hex" && seat == 1 && len(free)+1 == len(g.board) {
		turns = append(turns, Turn{swap})
	}
	if len(turns) == 0 {
		turns = append(turns, Turn{pass})
	}
	return turns
}

// worthPlaying rejects, in SquareSquared, repeated boards and turns in own eyes, with which a game would never end.
func (g *Game) worthPlaying(turn Turn, seat int) bool {
	for _, near := range g.around(turn[0], beside) {
		if g.board[near] != stones[seat] {
			return !g.history[string(g.after(turn, seat))]
		}
	}
	return false
}

// withBonusStones adds, in OOSCG-W, as many bonus stones as stones were removed, or as many as fit.
func (g *Game) withBonusStones(cell, seat int) Turn {
	on := append(Board{}, g.board...)
	for owed := g.place(on, cell, seat); ; owed-- {
		if turn, fits := g.fit(on, Turn{cell}, 0, owed, seat); fits {
			return turn
		}
	}
}

// fit adds `count` stones on cells from `from` on without forming a crosscut, if possible.
func (g *Game) fit(on Board, turn Turn, from, count, seat int) (Turn, bool) {
	for cell := from; cell < len(on) && count > 0; cell++ {
		if on[cell] != empty || len(g.crosscutEnemies(on, cell, seat)) > 0 {
			continue
		}
		on[cell] = stones[seat]
		if longer, fits := g.fit(on, append(turn, cell), cell+1, count-1, seat); fits {
			return longer, true
		}
		on[cell] = empty
	}
	return turn, count == 0
}

// scwareTurn completes the first stone to a legal turn, by starting or by growing, if possible.
func (g *Game) scwareTurn(cell, seat int) (Turn, bool) {
	on := append(Board{}, g.board...)
	on[cell] = stones[seat]
	if g.grows(cell, Turn{}, seat) {
		return g.finishGrowth(on, Turn{cell}, seat)
	}
	for _, corner := range g.around(cell, diagonal) {
		if on[corner] == stones[seat] {
			return nil, false
		}
	}
	return Turn{cell}, true
}

// grows reports whether a stone here grows groups, none of which the turn has already grown.
func (g *Game) grows(cell int, turn Turn, seat int) (touches bool) {
	for _, near := range g.around(cell, beside) {
		if g.board[near] != stones[seat] {
			continue
		}
		touches = true
		old := g.group(g.board, near)
		for _, stone := range turn {
			for _, at := range g.around(stone, beside) {
				if old[at] {
					return false
				}
			}
		}
	}
	return touches
}

// finishGrowth adds growing stones until all diagonal neighbours are connected. Only a stone next to a new one helps.
func (g *Game) finishGrowth(on Board, turn Turn, seat int) (Turn, bool) {
	for _, stone := range turn {
		mine, apart := g.group(on, stone), false
		for _, corner := range g.around(stone, diagonal) {
			apart = apart || on[corner] == stones[seat] && !mine[corner]
		}
		if !apart {
			continue
		}
		for _, joined := range turn {
			for _, cell := range g.around(joined, beside) {
				if !mine[joined] || on[cell] != empty || !g.grows(cell, turn, seat) {
					continue
				}
				on[cell] = stones[seat]
				if longer, legal := g.finishGrowth(on, append(turn, cell), seat); legal {
					return longer, true
				}
				on[cell] = empty
			}
		}
		return nil, false
	}
	return turn, true
}

func (g *Game) parse(text string) (turn Turn) {
	if code, word := map[string]int{"pass": pass, "swap": swap}[text]; word {
		return Turn{code}
	}
	for _, name := range strings.Split(text, ",") {
		row, _ := strconv.Atoi(name[1:])
		turn = append(turn, (row-1)*g.size+strings.IndexByte(columns, name[0]))
	}
	return turn
}

func (g *Game) format(turn Turn) string {
	if turn[0] < 0 {
		return map[int]string{pass: "pass", swap: "swap"}[turn[0]]
	}
	names := []string{}
	for _, cell := range turn {
		names = append(names, fmt.Sprintf("%c%d", columns[cell%g.size], cell/g.size+1))
	}
	return strings.Join(names, ",")
}

// answer returns the answer to one of the referee's commands.
func (g *Game) answer(words []string) string {
	seat := 1
	if len(words) > 1 && words[1] == firstColour[g.ruleset] {
		seat = 0
	}
	switch words[0] {
	case "protocol_version":
		return "= 2"
	case "name":
		return "= Starter in Go"
	case "version":
		return "= 1"
	case "list_commands":
		return "= " + commands
	case "set_ruleset":
		g.ruleset = words[1]
	case "boardsize":
		g.size, _ = strconv.Atoi(words[1])
	case "clear_board":
		g.clear()
	case "time_left":
		g.secondsLeft, _ = strconv.ParseFloat(words[2], 64)
	case "play":
		g.play(g.parse(words[2]), seat)
	case "genmove":
		turn := choose(g, seat)
		g.play(turn, seat)
		// The second line is optional: what the bot thinks, such as "view win 0.62 depth 7".
		return "= " + g.format(turn) + "\nview nodes 1"
	default:
		return "? unknown command"
	}
	return "="
}

func main() {
	rand.Seed(time.Now().UnixNano())
	game := &Game{ruleset: "squ", size: 8}
	for lines := bufio.NewScanner(os.Stdin); lines.Scan() && lines.Text() != "quit"; {
		if words := strings.Fields(lines.Text()); len(words) > 0 {
			fmt.Print(game.answer(words), "\n\n")
		}
	}
}
