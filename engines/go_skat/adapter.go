package main

// go-skat's player as an engine: the protocol of docs/engines.md around the functions of the program. build.py puts this
// file beside the program's own, whose main it takes the place of.

import (
	"bufio"
	"fmt"
	"hash/fnv"
	"math/rand"
	"os"
	"sort"
	"strconv"
	"strings"
)

var suitOf = map[byte]string{'D': CARO, 'H': HEART, 'S': SPADE, 'C': CLUBS}
var trumpOf = map[string]string{"D": CARO, "H": HEART, "S": SPADE, "C": CLUBS, "G": GRAND, "N": NULL}
var bidValues = []int{
	18, 20, 22, 23, 24, 27, 30, 33, 35, 36, 40, 44, 45, 46, 48, 50, 54, 55, 59, 60, 63, 66, 70, 72, 77, 80, 81, 84, 88, 90,
	96, 99, 100, 108, 110, 117, 120, 121, 126, 130, 132, 135, 140, 143, 144, 150, 153, 154, 156, 160, 162, 165, 168, 170,
	176, 180, 187, 192, 198, 204, 216, 240, 264,
}

func cardOf(text string) Card {
	rank := text[1:]
	if rank == "T" {
		rank = "10"
	} else if rank == "Q" {
		rank = "D"
	}
	return Card{suitOf[text[0]], rank}
}

func textOf(card Card) string {
	rank := card.Rank
	if rank == "10" {
		rank = "T"
	} else if rank == "D" {
		rank = "Q"
	}
	return letterOf(card.Suit) + rank
}

func letterOf(trump string) string {
	for letter, known := range trumpOf {
		if known == trump {
			return letter
		}
	}
	return "?"
}

// A position: the hands and the skat as dealt, empty where they are not seen; what stands before the colon; the actions.
type position struct {
	dealt   [][]Card
	given   map[string]string
	actions []string
	seat    int
}

func parsePosition(text string) position {
	halves := strings.SplitN(text, " :", 2)
	words := strings.Fields(halves[0])
	found := position{given: map[string]string{}, actions: strings.Fields(halves[1]), seat: -1}
	for _, place := range strings.Split(words[0], "/") {
		cards := []Card{}
		if place != "?" {
			for _, card := range strings.Split(place, ".") {
				cards = append(cards, cardOf(card))
			}
		}
		found.dealt = append(found.dealt, cards)
	}
	for _, word := range words[1:] {
		pair := strings.SplitN(word, "=", 2)
		found.given[pair[0]] = pair[1]
	}
	if seat, known := found.given["seat"]; known {
		found.seat, _ = strconv.Atoi(seat)
	}
	return found
}

// What the actions of a position say.
type table struct {
	bid, next    int // the last bid, and the next that may be made, in points
	holds        bool // whether the seat to act answers a bid
	soloist      int
	hand         bool
	calledHand   bool // whether picking up or playing hand was decided
	trump, level string
	putAway      []string
	plays        []string
}

// Follows the auction and the declaration; the soloist is -1 while it is not known.
func follow(p position) table {
	t := table{soloist: -1, next: 18}
	rest := p.actions
	if declarer, known := p.given["declarer"]; known {
		t.soloist, _ = strconv.Atoi(declarer)
		for _, each := range strings.Split(p.given["bids"], ",") {
			if value, _ := strconv.Atoi(each); value > t.bid {
				t.bid = value
			}
		}
	} else {
		bidder, holder, level := 1, 0, 0
		for t.soloist < 0 && len(rest) > 0 {
			yes := rest[0] == "yes"
			rest = rest[1:]
			switch {
			case yes && !t.holds:
				level++
				t.holds = bidder != holder
				if bidder == holder {
					t.soloist = bidder
				}
			case yes:
				t.holds = false
			default:
				if t.holds {
					holder = bidder
				}
				t.holds = false
				if bidder < 2 && holder != 2 {
					bidder = 2
				} else if level > 0 {
					t.soloist = holder
				} else {
					bidder = 0
				}
			}
		}
		if level > 0 {
			t.bid = bidValues[level-1]
		}
		if level < len(bidValues) {
			t.next = bidValues[level]
		}
	}
	if game, known := p.given["game"]; known {
		t.calledHand, t.hand = true, strings.Contains(game[1:], "H")
		t.trump, t.plays = trumpOf[game[:1]], rest
		return t
	}
	if len(rest) > 0 {
		t.calledHand, t.hand = true, rest[0] == "hand"
		rest = rest[1:]
	}
	if len(rest) > 0 {
		t.trump = trumpOf[rest[0]]
		rest = rest[1:]
	}
	if len(rest) > 0 && len(rest[0]) > 2 {
		t.level = rest[0]
		rest = rest[1:]
	}
	for !t.hand && len(rest) > 0 && len(t.putAway) < 2 {
		t.putAway = append(t.putAway, rest[0])
		rest = rest[1:]
	}
	t.plays = rest
	return t
}

// The hands and the skat when the cardplay begins; cards that are not seen are dealt as the plays allow, if that is
// found soon.
func fill(p position, t table, luck *rand.Rand) [][]Card {
	hands := make([][]Card, 4)
	for place, cards := range p.dealt {
		hands[place] = append([]Card{}, cards...)
	}
	if _, given := p.given["game"]; !given && !t.hand && t.trump != "" && len(t.putAway) == 2 && t.putAway[0] != "?" {
		own := append(hands[t.soloist], hands[3]...)
		hands[3] = []Card{cardOf(t.putAway[0]), cardOf(t.putAway[1])}
		hands[t.soloist] = remove(own, hands[3]...)
	} else if !t.hand && p.seat != t.soloist && t.soloist >= 0 {
		hands[3] = []Card{}
	}
	played := playedBy(t)
	known := map[Card]bool{}
	for place := range hands {
		for _, card := range hands[place] {
			known[card] = true
		}
	}
	for seat := 0; seat < 3; seat++ {
		if len(hands[seat]) == 0 {
			for _, card := range played[seat] {
				if !known[card] {
					hands[seat] = append(hands[seat], card)
					known[card] = true
				}
			}
		}
	}
	unseen := []Card{}
	for _, card := range makeDeck() {
		if !known[card] {
			unseen = append(unseen, card)
		}
	}
	sizes := []int{10, 10, 10, 2}
	lacks := missing(t)
	var made [][]Card
	for try := 0; try < 200; try++ {
		luck.Shuffle(len(unseen), func(i, j int) { unseen[i], unseen[j] = unseen[j], unseen[i] })
		made = make([][]Card, 4)
		next, fits := 0, true
		for place := range hands {
			made[place] = append([]Card{}, hands[place]...)
			for len(made[place]) < sizes[place] && next < len(unseen) {
				card := unseen[next]
				next++
				made[place] = append(made[place], card)
				fits = fits && (place == 3 || !lacks[place][getSuit(t.trump, card)])
			}
		}
		if fits {
			break
		}
	}
	return made
}

// Calls a function with each card that was played, its seat and the trick before it.
func eachPlay(t table, call func(seat int, card Card, trick []Card)) {
	leader := 0
	trick := []Card{}
	s := makeSuitState()
	s.trump = t.trump
	for _, text := range t.plays {
		card := cardOf(text)
		call((leader+len(trick))%3, card, trick)
		trick = append(trick, card)
		if len(trick) == 1 {
			s.follow = getSuit(t.trump, card)
		}
		if len(trick) == 3 {
			s.trick = trick
			leader = (leader + trickWinner(&s)) % 3
			trick = []Card{}
		}
	}
}

func playedBy(t table) [3][]Card {
	found := [3][]Card{}
	eachPlay(t, func(seat int, card Card, trick []Card) { found[seat] = append(found[seat], card) })
	return found
}

// The suits that a seat did not follow.
func missing(t table) [3]map[string]bool {
	found := [3]map[string]bool{{}, {}, {}}
	eachPlay(t, func(seat int, card Card, trick []Card) {
		if len(trick) > 0 && getSuit(t.trump, trick[0]) != getSuit(t.trump, card) {
			found[seat][getSuit(t.trump, trick[0])] = true
		}
	})
	return found
}

// A player that has its cards, and has counted what it would bid; the others have none.
func seated(p position) *Player {
	players = []PlayerI{}
	for seat := 0; seat < 3; seat++ {
		player := makePlayer(nil)
		player.ResetPlayer()
		player.setName(strconv.Itoa(seat))
		players = append(players, &player)
	}
	player := players[p.seat].(*Player)
	player.setHand(append([]Card{}, p.dealt[p.seat]...))
	player.calculateHighestBid(false)
	return player
}

func choose(p position, legal []string, seed int64, milliseconds int) string {
	MINIMAX_TO_ms = milliseconds / 4 // its simulations of grand look at the clock after a world
	luck := rand.New(rand.NewSource(seed))
	r, rminmax = rand.New(rand.NewSource(seed+1)), rand.New(rand.NewSource(seed+2))
	t := follow(p)
	if t.soloist < 0 {
		asked := t.next
		if t.holds {
			asked = t.bid
		}
		if seated(p).highestBid >= asked {
			return "yes"
		}
		return "pass"
	}
	if len(t.plays) > 0 || (t.trump != "" && (t.hand || len(t.putAway) == 2) && !(t.hand && contains(legal, "plain"))) {
		return textOf(card(p, t, luck))
	}
	if !t.calledHand {
		if seated(p).handGame {
			return "hand"
		}
		return "pick-up"
	}
	trump, away := declare(p, t)
	switch {
	case t.trump == "":
		return letterOf(trump)
	case contains(legal, "plain"):
		return "plain"
	}
	for _, each := range away {
		if contains(legal, textOf(each)) {
			return textOf(each)
		}
	}
	return legal[0]
}

type declared struct {
	trump string
	away  []Card
}

var declarations = map[string]declared{}

// What is played, and the cards that are put away. Both, and the games that it thinks of for them, depend on the cards
// alone: they are asked for one by one.
func declare(p position, t table) (string, []Card) {
	key := fmt.Sprint(p.dealt[p.seat], p.dealt[3], p.seat, t.bid, t.hand)
	if found, known := declarations[key]; known {
		return found.trump, found.away
	}
	seed := hashOf(key)
	r, rminmax = rand.New(rand.NewSource(seed)), rand.New(rand.NewSource(seed+1))
	player := seated(p)
	player.setDeclaredBid(t.bid)
	away := append([]Card{}, p.dealt[3]...)
	if !t.hand {
		player.handGame = false
		player.pickUpSkat(away)
	}
	if len(declarations) > 10_000 {
		declarations = map[string]declared{}
	}
	trump := player.declareTrump()
	if letterOf(trump) == "?" { // it would not have bid
		trump = mostCardsSuit(player.getHand())
	}
	declarations[key] = declared{trump, away}
	return trump, away
}

func hashOf(text string) int64 {
	hash := fnv.New64a()
	hash.Write([]byte(text))
	return int64(hash.Sum64() >> 1)
}

func contains(words []string, word string) bool {
	for _, each := range words {
		if each == word {
			return true
		}
	}
	return false
}

// The game up to the last play, as the program keeps it; the players are in the order of the trick.
func playOn(p position, t table, hands [][]Card) []PlayerI {
	state = makeSuitState()
	players = []PlayerI{}
	for seat := 0; seat < 3; seat++ {
		player := makePlayer(nil)
		player.ResetPlayer()
		player.setName(strconv.Itoa(seat))
		player.setHand(sortSuit(t.trump, append([]Card{}, hands[seat]...)))
		players = append(players, &player)
	}
	state.trump = t.trump
	state.setDeclarerAndOpps(players, players[t.soloist])
	state.declarer.setDeclaredBid(t.bid)
	state.skat = append([]Card{}, hands[3]...)
	state.trumpsInGame = filter(makeDeck(), func(c Card) bool { return getSuit(t.trump, c) == t.trump })
	state.leader = players[0]
	order := players
	for _, text := range t.plays {
		place := len(state.trick)
		player, made := order[place], cardOf(text)
		if player.getName() == strconv.Itoa(p.seat) {
			player.playerTactic(&state, validCards(state, player.getHand())) // it remembers what it led
		} else if suit := getSuit(t.trump, made); suit != t.trump {
			player.setPreviousSuit(suit)
		}
		analysePlay(&state, player, made)
		player.setHand(remove(player.getHand(), made))
		state.trick = append(state.trick, made)
		if getSuit(t.trump, made) == t.trump {
			state.trumpsInGame = remove(state.trumpsInGame, made)
		}
		state.cardsPlayed = append(state.cardsPlayed, made)
		if len(state.trick) == 1 {
			state.follow = getSuit(t.trump, made)
		}
		if len(state.trick) == 3 {
			order = setNextTrickOrder(&state, order)
			state.follow = ""
			if order == nil {
				return nil
			}
		}
	}
	return order
}

func card(p position, t table, luck *rand.Rand) Card {
	order := playOn(p, t, fill(p, t, luck))
	if order == nil { // a null game that is lost ends there
		return Card{}
	}
	player := order[len(state.trick)]
	return player.playerTactic(&state, validCards(state, player.getHand()))
}

// What the program's rules say of a position of the cardplay.
func judge(p position) string {
	t := follow(p)
	_, given := p.given["game"]
	_, playsOn := p.given["play_out"]
	if given || t.soloist < 0 || t.trump == "" || (!t.hand && len(t.putAway) < 2) || (t.hand && t.level == "") ||
		(playsOn && t.trump == NULL) {
		return "judged"
	}
	p.seat = t.soloist // with its discards
	hands := fill(p, t, rand.New(rand.NewSource(1)))
	p.seat = -1
	whole := append(append([]Card{}, hands[t.soloist]...), hands[3]...)
	order := playOn(p, t, hands)
	line := fmt.Sprintf("judged points=%d,%d", state.declarer.getScore(), state.opp1.getScore()+state.opp2.getScore())
	if order == nil || len(t.plays) == 30 {
		state.declarer.setScore(state.declarer.getScore() + sum(state.skat))
		scores := []string{"0", "0", "0"}
		scores[t.soloist] = strconv.Itoa(gameScore(state, whole, t.hand).GameScore)
		if t.level == "" || t.level == "plain" {
			line += " list_score=" + strings.Join(scores, ",")
		}
		return line
	}
	player := order[len(state.trick)]
	legal := []string{}
	for _, each := range validCards(state, player.getHand()) {
		legal = append(legal, textOf(each))
	}
	sort.Strings(legal)
	return line + " turn=" + player.getName() + " legal=" + strings.Join(legal, ",")
}

func main() {
	out := bufio.NewWriter(os.Stdout)
	os.Stdout, _ = os.OpenFile(os.DevNull, os.O_WRONLY, 0) // what go-skat prints is for people
	gameLogFlag, fileLogFlag, debugTacticsLogFlag = false, false, false
	delayMs = 0
	said := map[string]string{}
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(make([]byte, 1<<16), 1<<20)
	for lines.Scan() {
		line := lines.Text()
		word, rest, _ := strings.Cut(line, " ")
		answer := ""
		switch word {
		case "quit":
			return
		case "skat_env":
			answer = "engine go-skat"
		case "game":
			answer = "ready judges"
			if rest != "skat" {
				answer = "error go-skat plays Skat, not " + rest
			}
		case "isready":
			answer = "readyok"
		case "judge":
			answer = judge(parsePosition(said["position"]))
		case "go":
			milliseconds, _ := strconv.Atoi(said["time"])
			legal, seed := strings.Fields(said["legal"]), hashOf(said["seed"])
			answer = "play " + choose(parsePosition(said["position"]), legal, seed, milliseconds)
			if answer == "play ?" {
				answer = "error go-skat does not play a lost null game on"
			}
		default:
			said[word] = rest
		}
		if answer != "" {
			fmt.Fprintln(out, answer)
			out.Flush()
			said = map[string]string{}
		}
		if strings.HasPrefix(answer, "error") {
			os.Exit(1)
		}
	}
}
