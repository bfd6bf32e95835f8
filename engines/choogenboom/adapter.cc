// choogenboom/Monte-Carlo-Klaverjas as an engine: the protocol of docs/engines.md around the program's own functions.
// LEGALITY is the variant of whose rules it was built.
#include <algorithm>
#include <cstring>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "klaverjas.h"
#include "montecarlo.h"
#include "speelpas.h"
#include "spelers.h"

namespace {

const std::string NAME = "choogenboom/Monte-Carlo-Klaverjas";
const std::string SUITS = "SHCD";      // the program's order
const std::string RANKS = "78QKTA9J";  // of plain suits and trumps alike
const int SEMIRANDOM = 4;              // the player that plays its random games

struct Failure {
  std::string sentence;
};

struct Position {
  std::vector<std::vector<int>> hands;  // as dealt; empty: not seen
  int seat = -1;
  std::map<std::string, std::string> rules;
  std::vector<std::string> calls;
  int trump = -1, declarer = -1;
  std::vector<int> plays;
};

int card_of(const std::string &text) {
  return 10 * static_cast<int>(SUITS.find(text[0])) + static_cast<int>(RANKS.find(text[1]));
}

std::string text_of(int card) { return {SUITS[card / 10], RANKS[card % 10]}; }

std::vector<std::string> split(const std::string &text, char at) {
  std::vector<std::string> found;
  std::stringstream stream(text);
  for (std::string word; std::getline(stream, word, at);)
    if (!word.empty()) found.push_back(word);
  return found;
}

Position parse(const std::string &text) {
  Position found;
  const size_t colon = text.find(" :");
  auto words = split(text.substr(0, colon), ' ');
  for (const auto &hand : split(words.at(0), '/')) {
    found.hands.emplace_back();
    if (hand != "?")
      for (const auto &card : split(hand, '.')) found.hands.back().push_back(card_of(card));
  }
  for (size_t i = 1; i < words.size(); i++) {
    const size_t equals = words[i].find('=');
    found.rules[words[i].substr(0, equals)] = words[i].substr(equals + 1);
  }
  if (found.rules.count("seat")) found.seat = std::stoi(found.rules["seat"]);
  if (found.rules.count("declarer")) {
    found.declarer = std::stoi(found.rules["declarer"]);
    found.trump = static_cast<int>(SUITS.find(found.rules["trump"]));
  }
  for (const auto &action : split(text.substr(std::min(colon + 2, text.size())), ' ')) {
    if (action.size() == 2) {
      found.plays.push_back(card_of(action));
      continue;
    }
    found.calls.push_back(action);
    if (action != "pass") {
      found.trump = static_cast<int>(SUITS.find(action));
      found.declarer = (static_cast<int>(found.calls.size()) - 1) % aantalspelers;
    }
  }
  return found;
}

std::string unknown(const Position &position) {
  auto rule = [&](const char *name, const char *otherwise) {
    const auto found = position.rules.find(name);
    return found == position.rules.end() ? std::string(otherwise) : found->second;
  };
  if (rule("legality", "rotterdam") != LEGALITY)
    return "this " + NAME + " was built for legality=" LEGALITY + ", and not for " + rule("legality", "rotterdam");
  if (rule("pit", "declarers") != "declarers") return NAME + " does not know pit=both";
  return "";
}

// Who wins a trick. The program's own `winnaar` takes cards by their points: of a 7, 8 and 9 of a suit, which have none,
// the first wins. It is told who really led, or it would play for another seat.
int winner(const int *cards, int leader, int trump) {
  static const std::string PLAIN = "789JQKTA";
  auto strength = [&](int seat) {
    const int card = cards[seat], suit = card / 10;
    if (suit == trump) return 100 + card % 10;
    return suit == cards[leader] / 10 ? static_cast<int>(PLAIN.find(RANKS[card % 10])) : -1;
  };
  int best = leader;
  for (int seat = 0; seat < aantalspelers; seat++)
    if (strength(seat) > strength(best)) best = seat;
  return best;
}

using Winner = int (*)(const int *, int, int);

int its_winner(const int *cards, int leader, int trump) {
  int copy[aantalspelers];
  std::copy(cards, cards + aantalspelers, copy);
  return winnaar(copy, leader, trump);
}

// The game up to a position, as the program keeps it.
struct Table {
  Winner wins;
  int thrown[aantalslagen + 1][aantalkolommen];
  int trick = 0, turn = 0, leader = 0;
  std::vector<int> hand;  // of the seat to act

  Table(const Position &position, Winner wins) : wins(wins) {
    std::fill(&thrown[0][0], &thrown[0][0] + (aantalslagen + 1) * aantalkolommen, -1);
    thrown[aantalslagen][aantalspelers] = position.declarer;
    thrown[aantalslagen][aantalspelers + 1] = position.trump;
    thrown[aantalslagen][aantalspelers + 2] = 0;
    thrown[0][aantalspelers] = 0;
    auto hands = position.hands;
    for (int card : position.plays) {
      auto &hand = hands[turn];
      const auto place = std::find(hand.begin(), hand.end(), card);
      if (place != hand.end()) hand.erase(place);
      thrown[trick][turn] = card;
      turn = (turn + 1) % aantalspelers;
      if (turn == leader) finish(position.trump);
    }
    hand = hands[turn];
    hand.resize(aantalkaarten, -1);
  }

  void finish(int trump) {
    leader = turn = wins(thrown[trick], leader, trump);
    thrown[trick][aantalspelers + 1] = leader;
    thrown[trick][aantalspelers + 2] =
        waardeerkaarten(thrown[trick], aantalspelers, trump, false) + 10 * (trick == aantalslagen - 1);
    thrown[trick][aantalspelers + 3] = geefroem(thrown[trick], trump, false);
    trick++;
    if (trick < aantalslagen) thrown[trick][aantalspelers] = leader;
  }
};

std::string call(const Position &position, const std::vector<std::string> &legal, int games) {
  std::vector<int> hand = position.hands[position.seat];
  std::string longest;
  int most = -1;
  for (const auto &action : legal) {
    if (action == "pass") continue;
    const int suit = static_cast<int>(SUITS.find(action));
    if (montecarlospeelt(hand.data(), position.seat, 0, suit, games)) return action;
    const int count = static_cast<int>(std::count_if(hand.begin(), hand.end(), [&](int card) { return card / 10 == suit; }));
    if (count > most) longest = action, most = count;
  }
  return std::count(legal.begin(), legal.end(), "pass") ? "pass" : longest;
}

std::string play(const Position &position, int player, int games) {
  Table table(position, winner);
  int *hand = table.hand.data(), trick = table.trick;
  auto &thrown = table.thrown;
  switch (player) {
    case 1: return text_of(montecarlomove(hand, thrown, trick, table.leader, table.turn, games, SEMIRANDOM, false, true, kans));
    case 2: return text_of(montecarlomove(hand, thrown, trick, table.leader, table.turn, games, SEMIRANDOM, false, false, 0));
    case 3: return text_of(montecarlomove(hand, thrown, trick, table.leader, table.turn, games, 100, false, false, 0));
    case 4: return text_of(semiramdommove(hand, thrown[trick], trick, table.leader, table.turn, position.trump, false));
    case 5: return text_of(montecarlokansmove(hand, thrown, trick, table.leader, table.turn, games, SEMIRANDOM, false));
  }
  throw Failure{"player=" + std::to_string(player) + ": expected 1 to 5, as the program numbers them"};
}

std::string judge(const Position &position) {
  if (position.trump < 0 || !unknown(position).empty()) return "judged";
  Table table(position, its_winner);
  int points[2] = {0, 0}, roem[2] = {0, 0};
  for (int i = 0; i < table.trick; i++) {
    const int team = table.thrown[i][aantalspelers + 1] % 2;
    points[team] += table.thrown[i][aantalspelers + 2];
    roem[team] += table.thrown[i][aantalspelers + 3];
  }
  std::ostringstream line;
  line << "judged points=" << points[0] << ',' << points[1] << " roem=" << roem[0] << ',' << roem[1];
  if (table.trick == aantalslagen) {
    totaalwinnaar(table.thrown, false);
    const int *score = table.thrown[aantalslagen];
    line << " score=" << score[0] << ',' << score[1] << ',' << score[2] << ',' << score[3];
    return line.str();
  }
  int possible[aantalkaarten], count = 0;
  geefmogelijkheden(table.thrown[table.trick], aantalkaarten - table.trick, table.leader, table.turn, table.hand.data(),
                    position.trump, possible, count);
  line << " turn=" << table.turn << " legal=";
  for (int i = 0; i < count; i++) line << (i ? "," : "") << text_of(possible[i]);
  return line.str();
}

unsigned number_of(const std::string &text) {
  unsigned hash = 2166136261u;
  for (unsigned char letter : text) hash = (hash ^ letter) * 16777619u;
  return hash;
}

std::string choose(std::map<std::string, std::string> &said, int player, int games) {
  const Position position = parse(said["position"]);
  const std::string refused = unknown(position);
  if (!refused.empty()) throw Failure{refused};
  const auto legal = split(said["legal"], ' ');
  srand(number_of(said["seed"]));
  if (legal.size() == 1) return legal[0];
  return position.trump < 0 ? call(position, legal, games) : play(position, player, games);
}

}  // namespace

int main() {
  std::map<std::string, std::string> said;
  int player = 5, games = 200;
  for (std::string line; std::getline(std::cin, line);) {
    const size_t cut = line.find(' ');
    const std::string word = line.substr(0, cut), rest = cut == std::string::npos ? "" : line.substr(cut + 1);
    try {
      if (word == "quit") return 0;
      if (word == "skat_env") std::cout << "engine " << NAME << std::endl;
      else if (word == "game" && rest != "klaverjas") throw Failure{NAME + " plays Klaverjas, not " + rest};
      else if (word == "game")
        std::cout << "option player " << player << "\noption games " << games << "\nready judges" << std::endl;
      else if (word == "setoption") {
        const auto words = split(rest, ' ');
        (words.at(0) == "player" ? player : games) = std::stoi(words.at(1));
      } else if (word == "isready") std::cout << "readyok" << std::endl;
      else if (word == "go") {
        std::cout << "play " << choose(said, player, games) << std::endl;
        said.clear();
      } else if (word == "judge") {
        std::cout << judge(parse(said["position"])) << std::endl;
        said.clear();
      } else said[word] = rest;
    } catch (const Failure &failure) {
      std::cout << "error " << failure.sentence << std::endl;
      return 1;
    } catch (const std::exception &error) {
      std::cout << "error " << NAME << " cannot read '" << line << "'" << std::endl;
      return 1;
    }
  }
}
