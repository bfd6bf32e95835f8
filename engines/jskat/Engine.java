import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

import org.jskat.ai.mjl.AIPlayerMJL;
import org.jskat.ai.newalgorithm.AlgorithmAI;
import org.jskat.data.GameContract;
import org.jskat.data.SkatGameData.GameState;
import org.jskat.data.Trick;
import org.jskat.player.AbstractJSkatPlayer;
import org.jskat.player.PlayerKnowledge;
import org.jskat.util.Card;
import org.jskat.util.CardList;
import org.jskat.util.GameType;
import org.jskat.util.Player;
import org.jskat.util.rule.SkatRule;
import org.jskat.util.rule.SkatRuleFactory;

/** JSkat's players as an engine: the protocol of docs/engines.md around a player, who is told the game so far. */
public final class Engine {

    private static final Player[] SEATS = {Player.FOREHAND, Player.MIDDLEHAND, Player.REARHAND};
    private static final List<String> CONTRACTS = List.of("D", "H", "S", "C", "G", "N");
    private static final GameType[] TYPES = {
        GameType.DIAMONDS, GameType.HEARTS, GameType.SPADES, GameType.CLUBS, GameType.GRAND, GameType.NULL
    };
    private static final int[] BIDS = {
        18, 20, 22, 23, 24, 27, 30, 33, 35, 36, 40, 44, 45, 46, 48, 50, 54, 55, 59, 60, 63, 66, 70, 72, 77, 80, 81, 84,
        88, 90, 96, 99, 100, 108, 110, 117, 120, 121, 126, 130, 132, 135, 140, 143, 144, 150, 153, 154, 156, 160, 162,
        165, 168, 170, 176, 180, 187, 192, 198, 204, 216, 240, 264
    };

    /** A position, as its line says it. */
    private static final class Position {
        final List<List<Card>> dealt = new ArrayList<>(); // the hands by seat and the skat; null: not seen
        final Map<String, String> given = new HashMap<>();
        final List<String> actions;
        final int seat;

        Position(final String text) {
            final int colon = text.indexOf(" :");
            final String[] words = text.substring(0, colon).trim().split(" ");
            for (final String place : words[0].split("/")) {
                dealt.add(place.equals("?") ? null : cards(place));
            }
            for (int i = 1; i < words.length; i++) {
                final int equals = words[i].indexOf('=');
                given.put(words[i].substring(0, equals), words[i].substring(equals + 1));
            }
            final String rest = text.substring(colon + 2).trim();
            actions = rest.isEmpty() ? List.of() : Arrays.asList(rest.split(" "));
            seat = Integer.parseInt(given.getOrDefault("seat", "-1"));
        }
    }

    /** The auction so far: who bids, who answers, and at which value. */
    private static final class Auction {
        int bidder = 1, holder = 0, level = 0, soloist = -1;
        boolean answering, over;

        int next() {
            return BIDS[level];
        }

        int value() {
            return level == 0 ? 0 : BIDS[level - 1];
        }

        void hear(final boolean yes, final AbstractJSkatPlayer player) {
            if (yes) {
                if (!answering) {
                    level++;
                }
                player.bidByPlayer(SEATS[answering ? holder : bidder], value());
                answering = !answering;
                if (bidder == holder) {
                    end(bidder);
                }
            } else if (answering) { // the holder has passed
                answering = false;
                holder = bidder;
                nextBidder();
            } else {
                nextBidder();
            }
        }

        private void nextBidder() {
            if (bidder < 2 && holder != 2) {
                bidder = 2;
            } else if (level > 0) {
                end(holder);
            } else if (holder == 0 && bidder != 0) {
                bidder = 0; // forehand may play at 18
            } else {
                end(-1);
            }
        }

        private void end(final int winner) {
            soloist = winner;
            over = true;
        }
    }

    private final String kind;

    private Engine(final String kind) {
        this.kind = kind;
    }

    private AbstractJSkatPlayer newPlayer() {
        return kind.equals("mjl") ? new AIPlayerMJL() : new AlgorithmAI();
    }

    private static List<Card> cards(final String text) {
        final List<Card> found = new ArrayList<>();
        for (final String card : text.split("\\.")) {
            if (!card.isEmpty() && !card.equals("-")) {
                found.add(Card.valueOf(card));
            }
        }
        return found;
    }

    private static boolean isCard(final String action) {
        return action.length() == 2 && "DHSC".indexOf(action.charAt(0)) >= 0;
    }

    /** A player's decision. */
    private String choose(final Position position, final List<String> legal, final int seed) throws Exception {
        seedLuck(seed);
        final AbstractJSkatPlayer player = newPlayer();
        final Player me = SEATS[position.seat];
        player.setPlayerName("engine");
        player.newGame(me);
        player.setGameState(GameState.DEALING);
        player.takeCards(new CardList(position.dealt.get(position.seat)));
        player.setGameState(GameState.BIDDING);
        player.setUpBidding();
        final List<String> rest = new ArrayList<>(position.actions);
        int soloist = Integer.parseInt(position.given.getOrDefault("declarer", "-1"));
        if (soloist < 0) {
            final Auction auction = new Auction();
            while (!auction.over && !rest.isEmpty()) {
                final int speaker = auction.answering ? auction.holder : auction.bidder;
                if (speaker == position.seat) { // it remembers what it said
                    if (auction.answering) player.holdBid(auction.value()); else player.bidMore(auction.next());
                }
                auction.hear(rest.remove(0).equals("yes"), player);
            }
            if (!auction.over) {
                final boolean yes =
                    auction.answering ? player.holdBid(auction.value()) : player.bidMore(auction.next()) > 0;
                return yes ? "yes" : "pass";
            }
            soloist = auction.soloist;
        }
        final String game = position.given.getOrDefault("game", "");
        final boolean mine = soloist == position.seat;
        GameContract wanted = null;
        CardList wantedAway = null;
        if (rest.isEmpty() && legal.contains("pick-up")) {
            return player.pickUpSkat() ? "pick-up" : "hand";
        }
        final boolean hand = !rest.isEmpty() && rest.get(0).equals("hand")
            || !game.isEmpty() && game.indexOf('H', 1) > 0;
        if (mine && game.isEmpty()) {
            player.pickUpSkat();
            if (!hand) {
                player.setGameState(GameState.DISCARDING);
                player.takeSkat(new CardList(position.dealt.get(3)));
            }
            try {
                wantedAway = hand ? null : player.discardSkat();
                player.setGameState(GameState.DECLARING);
                wanted = player.announceGame();
            } catch (final RuntimeException error) { // another has declared for it; it plays on
                if (rest.size() < (hand ? 3 : 4)) {
                    throw error;
                }
            }
        }
        if (!rest.isEmpty() && (rest.get(0).equals("hand") || rest.get(0).equals("pick-up"))) {
            rest.remove(0);
        }
        if (game.isEmpty() && rest.isEmpty()) {
            return letterOf(wanted.gameType());
        }
        final String letter = game.isEmpty() ? rest.remove(0) : game.substring(0, 1);
        String level = game.indexOf('O') > 0 ? "ouvert" : game.indexOf('Z') > 0 ? "schwarz"
            : game.indexOf('S', 1) > 0 ? "schneider" : "plain";
        if (game.isEmpty() && legal.contains("plain")) {
            return wanted.ouvert() ? "ouvert" : wanted.schwarz() ? "schwarz" : wanted.schneider() ? "schneider" : "plain";
        }
        if (!rest.isEmpty() && List.of("plain", "schneider", "schwarz", "ouvert").contains(rest.get(0))) {
            level = rest.remove(0);
        }
        final List<Card> away = new ArrayList<>();
        while (game.isEmpty() && !hand && away.size() < 2 && !rest.isEmpty()) {
            final String card = rest.remove(0);
            away.add(card.equals("?") ? null : Card.valueOf(card));
        }
        if (game.isEmpty() && !hand && away.size() < 2) {
            for (final Card card : wantedAway) {
                if (!away.contains(card) && legal.contains(card.name())) {
                    return card.name();
                }
            }
            throw new IllegalStateException("JSkat puts away what it may not");
        }
        if (mine && !hand && game.isEmpty() && (wantedAway == null || !sameCards(wantedAway, away))) {
            moveDiscards(player, wantedAway, away);
        }
        return playOn(player, position, TYPES[CONTRACTS.indexOf(letter)], hand, level, soloist, rest).name();
    }

    private static boolean sameCards(final CardList some, final List<Card> others) {
        return some.contains(others.get(0)) && some.contains(others.get(1));
    }

    /** The player's own cards after it has put away others than it would. */
    private static void moveDiscards(final AbstractJSkatPlayer player, final CardList wanted, final List<Card> made)
        throws Exception {
        final Field field = AbstractJSkatPlayer.class.getDeclaredField("internalKnowledge");
        field.setAccessible(true);
        final PlayerKnowledge knowledge = (PlayerKnowledge) field.get(player);
        if (wanted != null) {
            knowledge.addOwnCards(wanted);
        }
        knowledge.removeOwnCards(new CardList(made));
        knowledge.setSkat(new CardList(made));
    }

    /** The player's card, after all cards that were played. */
    private static Card playOn(
        final AbstractJSkatPlayer player, final Position position, final GameType type, final boolean hand,
        final String level, final int soloist, final List<String> played) {
        final boolean ouvert = level.equals("ouvert");
        final boolean suit = type != GameType.NULL;
        final CardList open = ouvert ? openCards(position, soloist, type, played) : new CardList();
        final GameContract contract = new GameContract(
            type, hand, suit && !level.equals("plain"), suit && (level.equals("schwarz") || ouvert), ouvert, open);
        player.startGame(SEATS[soloist], contract);
        player.setGameState(GameState.TRICK_PLAYING);
        final SkatRule rules = SkatRuleFactory.getSkatRules(type);
        int leader = 0;
        int next = 0;
        for (int number = 0; number < 10; number++) {
            player.newTrick(number, SEATS[leader]);
            final Trick trick = new Trick(number, SEATS[leader]);
            for (int place = 0; place < 3; place++) {
                final int seat = (leader + place) % 3;
                Card card = null;
                if (seat == position.seat) { // it counts the cards of tricks when it is asked
                    try {
                        card = player.playCard();
                    } catch (final RuntimeException error) {
                        if (next == played.size()) {
                            throw error;
                        }
                    }
                }
                if (next == played.size()) {
                    return card;
                }
                card = Card.valueOf(played.get(next++));
                trick.addCard(card);
                player.cardPlayed(SEATS[seat], card);
            }
            trick.setTrickWinner(rules.calculateTrickWinner(type, trick));
            leader = Arrays.asList(SEATS).indexOf(trick.getTrickWinner());
            player.showTrick((Trick) trick.clone());
        }
        throw new IllegalStateException("the game is over");
    }

    /** The ten cards of a soloist who plays ouvert: those that are left, and those that were played. */
    private static CardList openCards(
        final Position position, final int soloist, final GameType type, final List<String> played) {
        final CardList found = new CardList();
        final List<Card> own = position.dealt.get(soloist);
        if (position.given.containsKey("open")) {
            found.addAll(cards(position.given.get("open")));
        } else if (own != null) {
            found.addAll(own); // with a skat that was picked up, ten of twelve are enough
            return found;
        }
        final SkatRule rules = SkatRuleFactory.getSkatRules(type);
        int leader = 0;
        for (int first = 0; first < played.size(); first += 3) {
            final Trick trick = new Trick(first / 3, SEATS[leader]);
            for (int place = 0; place < 3 && first + place < played.size(); place++) {
                final Card card = Card.valueOf(played.get(first + place));
                trick.addCard(card);
                if ((leader + place) % 3 == soloist && !found.contains(card)) {
                    found.add(card);
                }
            }
            if (first + 3 <= played.size()) {
                leader = Arrays.asList(SEATS).indexOf(rules.calculateTrickWinner(type, trick));
            }
        }
        return found;
    }

    private static String letterOf(final GameType type) {
        return CONTRACTS.get(Arrays.asList(TYPES).indexOf(type));
    }

    /** The luck of JSkat's players and of its lists of cards, which all share. */
    private static void seedLuck(final int seed) throws Exception {
        for (final String[] place : new String[][] {
            {"org.jskat.ai.newalgorithm.AbstractAlgorithmAI", "random"}, {"org.jskat.util.CardList", "RANDOM"}}) {
            final Field field = Class.forName(place[0]).getDeclaredField(place[1]);
            field.setAccessible(true);
            ((Random) field.get(null)).setSeed(seed);
        }
    }

    /** What JSkat's rules say of a position of the cardplay. */
    private static String judge(final Position position) {
        final List<String> rest = new ArrayList<>(position.actions);
        int first = 0;
        while (first < rest.size() && !CONTRACTS.contains(rest.get(first))) {
            first++;
        }
        if (first == rest.size() || position.given.containsKey("game")) {
            return "judged";
        }
        final boolean hand = rest.subList(0, first).contains("hand");
        final GameType type = TYPES[CONTRACTS.indexOf(rest.get(first))];
        int at = first + 1;
        while (at < rest.size() && !isCard(rest.get(at))) {
            at++;
        }
        final Auction auction = new Auction();
        for (int i = 0; i < first && !auction.over; i++) {
            auction.hear(rest.get(i).equals("yes"), new AlgorithmAI());
        }
        final List<List<Card>> hands = new ArrayList<>();
        for (final List<Card> place : position.dealt) {
            hands.add(new ArrayList<>(place));
        }
        if (!hand) {
            if (rest.size() < at + 2) {
                return "judged";
            }
            hands.get(auction.soloist).addAll(hands.get(3));
            hands.get(auction.soloist).remove(Card.valueOf(rest.get(at)));
            hands.get(auction.soloist).remove(Card.valueOf(rest.get(at + 1)));
            at += 2;
        } else if (rest.size() == first + 1) {
            return "judged"; // the announcement is due
        }
        final SkatRule rules = SkatRuleFactory.getSkatRules(type);
        final int[] points = {0, 0};
        int leader = 0;
        boolean lost = false;
        Trick trick = new Trick(0, SEATS[0]);
        CardList onTable = new CardList();
        int count = 0;
        for (; at < rest.size(); at++, count++) {
            final Card card = Card.valueOf(rest.get(at));
            hands.get((leader + count % 3) % 3).remove(card);
            trick.addCard(card);
            onTable.add(card);
            if (count % 3 == 2) {
                leader = Arrays.asList(SEATS).indexOf(rules.calculateTrickWinner(type, trick));
                points[leader == auction.soloist ? 0 : 1] += trick.getValue();
                lost |= type == GameType.NULL && leader == auction.soloist;
                trick = new Trick(count / 3 + 1, SEATS[leader]);
                onTable = new CardList();
            }
        }
        final StringBuilder line = new StringBuilder("judged points=" + points[0] + "," + points[1]);
        if (count == 30 || lost) {
            return line.toString();
        }
        final int turn = (leader + count % 3) % 3;
        final List<String> legal = new ArrayList<>();
        final CardList cards = new CardList(hands.get(turn));
        for (final Card card : cards) {
            if (onTable.isEmpty() || rules.isCardAllowed(type, onTable.get(0), cards, card)) {
                legal.add(card.name());
            }
        }
        return line + " turn=" + turn + " legal=" + String.join(",", legal);
    }

    public static void main(final String[] words) throws Exception {
        final String kind = words.length > 0 ? words[0] : "algorithm";
        final PrintStream out = System.out;
        System.setOut(System.err); // what JSkat prints is for people
        final Engine engine = new Engine(kind);
        final BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        final Map<String, String> said = new HashMap<>();
        for (String line = in.readLine(); line != null && !line.equals("quit"); line = in.readLine()) {
            final int cut = line.indexOf(' ');
            final String word = cut < 0 ? line : line.substring(0, cut);
            final String rest = cut < 0 ? "" : line.substring(cut + 1);
            String answer = null;
            try {
                switch (word) {
                    case "skat_env" -> answer = "engine JSkat " + kind;
                    case "game" -> answer = rest.equals("skat") ? "ready judges" : "error JSkat plays Skat, not " + rest;
                    case "isready" -> answer = "readyok";
                    case "judge" -> answer = judge(new Position(said.get("position")));
                    case "go" -> answer = "play " + engine.choose(
                        new Position(said.get("position")), Arrays.asList(said.get("legal").split(" ")),
                        said.getOrDefault("seed", "").hashCode());
                    default -> said.put(word, rest);
                }
            } catch (final Exception error) {
                answer = "error JSkat failed: " + String.valueOf(error).replace('\n', ' ');
            }
            if (answer != null) {
                out.println(answer);
                out.flush();
                said.clear();
            }
            if (answer != null && answer.startsWith("error")) {
                System.exit(1);
            }
        }
    }
}
