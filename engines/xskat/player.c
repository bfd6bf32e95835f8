/* XSkat's choices at a position, and what its rules say of it: XSkat is brought there by its own steps, with the cards
 * that were played in place of its own.
 *
 * Cards are XSkat's: eight for each of the suits diamonds, hearts, spades, clubs, ace ten king queen jack nine eight
 * seven. A deal is 32 cards: ten for each seat from forehand on, then the skat. Trump is a suit, 4 in grand, -1 in null.
 */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "defs.h"
#include "skat.h"
#include "null.h"

int left();
int higher();
VOID calc_rw();
VOID calc_drueck();
VOID calc_poss();
VOID calc_result();
VOID do_angesagt();
VOID get_next();
VOID init_text();
VOID make_best();
VOID adjfb();
VOID save_skat();
VOID setrnd();
VOID testnull();
VOID init_null();

enum { NULL_GAME = -1, TRICKS = 10, SEATS = 3 };

typedef struct {
  int deal[32];
  int soloist, trump, hand, schneider, schwarz, ouvert;
  int bid;        /* in points */
  int put_away[2];
  int played[30]; /* by whoever was to act */
  int count;
} Game;

typedef struct {
  int legal[30];  /* masks, for each card that was played and the next */
  int winners[10];
  int points[2];  /* of the soloist, the skat included, and of the others */
  int value, won; /* of a finished game */
  int card;       /* its choice; -1 if the game is over */
} Answer;

/* XSkat prints how it counts a game; an engine's standard output is its host's. */
int quiet(const char *format, ...) { return (void)format, 0; }

/* What XSkat does besides drawing when a card is played. */
VOID drop_card(i, s)
int i, s;
{
  (void)s;
  stcd[vmh] = cards[i];
  gespcd[cards[i]] = 2;
  if ((cards[i] & 7) != BUBE) gespfb[cards[i] >> 3]++;
  cards[i] = -1;
}

static void begin(const int *deal) {
  int i;
  if (!spwert_text) {
    init_text();
    spwert_text = malloc(256);
  }
  memcpy(cards, deal, sizeof cards);
  memset(gespcd, 0, sizeof gespcd);
  memset(gespfb, 0, sizeof gespfb);
  memset(hatnfb, 0, sizeof hatnfb);
  memset(strateg, 0, sizeof strateg);
  numsp = 0; /* all seats are the program's */
  setrnd(&seed[1], 1L);
  geber = 2;
  hoerer = ausspl = 0;
  sager = 1;
  butternok = gstsum = astsum = stsum = vmh = gedr = handsp = reizp = 0;
  schnang = schwang = ouveang = spitzeang = revolang = kontrastufe = bockspiele = ramschspiele = schenkstufe = 0;
  ndichtw = 1;
  for (i = 0; i < SEATS; i++) maxrw[i] = 0;
}

static int level(int bid) {
  int i;
  for (i = 0; reizw[i] < bid; i++) {} /* the last is 999 */
  return i;
}

static int has(int seat, int card) {
  int i;
  for (i = 0; i < 10; i++)
    if (cards[10 * seat + i] == card) return 10 * seat + i;
  return -1;
}

/* The highest bid of a seat; 17: 18 is bid, and no bid is held. */
int xskat_limit(const int *deal, int seat) {
  begin(deal);
  calc_rw(seat);
  return maxrw[seat];
}

/* What a soloist plays: whether it is a hand game, trump, whether ouvert, and both cards that are put away. */
void xskat_declare(const int *deal, int seat, int bid, int *answer) {
  begin(deal);
  calc_rw(seat);
  reizp = level(bid);
  spieler = seat;
  memcpy(spcards, &cards[10 * seat], 10 * sizeof *cards);
  save_skat(0);
  spcards[10] = cards[30];
  spcards[11] = cards[31];
  calc_drueck();
  answer[0] = handsp;
  answer[1] = trumpf;
  answer[2] = ouveang;
  answer[3] = cards[30];
  answer[4] = cards[31];
}

/* The soloist's hand and the skat, as they are once two cards are put away. */
static void put_away(const Game *game) {
  int i, j, place;
  memcpy(spcards, &cards[10 * spieler], 10 * sizeof *cards);
  save_skat(0);
  spcards[10] = cards[30];
  spcards[11] = cards[31];
  if (!game->hand) {
    for (i = 0; i < 2; i++) {
      place = has(spieler, game->put_away[i]);
      if (place < 0) continue; /* it lies in the skat */
      for (j = 30; cards[j] == game->put_away[0] || cards[j] == game->put_away[1]; j++) {}
      cards[place] = cards[j];
      cards[j] = game->put_away[i];
    }
    gespcd[cards[30]] = gespcd[cards[31]] = 1;
  }
  save_skat(1);
  stsum = cardw[cards[30] & 7] + cardw[cards[31] & 7];
}

static int mask_of_legal(void) {
  int i;
  unsigned mask = 0;
  for (i = 0; i < possc; i++) mask |= 1u << cards[possi[i]];
  return (int)mask;
}

/* What XSkat knows of missing suits before a seat plays. */
static void note_missing(int seat) {
  int i, one = left(spieler), other = left(one);
  if (seat == spieler) {
    adjfb(one, 2);
    adjfb(other, 2);
    for (i = 0; i < 5; i++)
      if (!hatnfb[one][i] || !hatnfb[other][i]) {
        if (hatnfb[one][i] == 2) hatnfb[one][i] = 0;
        if (hatnfb[other][i] == 2) hatnfb[other][i] = 0;
      }
  }
  if (ouveang) adjfb(spieler, 1);
}

/* The card at a position, and the facts on the way there; returns the number of the first card that XSkat would not
 * allow, or -1. */
int xskat_play(const Game *game, Answer *answer) {
  int number, seat, place;
  begin(game->deal);
  spieler = game->soloist;
  if (game->trump == NULL_GAME) testnull(spieler);
  reizp = level(game->bid);
  handsp = game->hand;
  put_away(game);
  trumpf = game->trump;
  schnang = game->schneider;
  schwang = game->schwarz;
  ouveang = game->ouvert;
  answer->card = -1;
  do_angesagt();
  if (trumpf == NULL_GAME) init_null();
  for (number = 0; stich <= TRICKS; number++) {
    seat = (ausspl + vmh) % SEATS;
    note_missing(seat);
    calc_poss(seat);
    answer->legal[number] = mask_of_legal();
    make_best(seat);
    if (number == game->count) {
      answer->card = cards[possi[playcd]];
      break;
    }
    place = has(seat, game->played[number]);
    if (place < 0 || !(answer->legal[number] >> game->played[number] & 1)) return number;
    drop_card(place, seat);
    if (vmh < 2) {
      vmh++;
      continue;
    }
    get_next();
    answer->winners[stich - 1] = ausspl;
    vmh = 0;
    stich++;
    if (trumpf == NULL_GAME && nullv) break;
  }
  answer->points[0] = stsum;
  answer->points[1] = gstsum;
  if (answer->card < 0) {
    calc_result();
    answer->value = spwert;
    answer->won = spgew;
  }
  return -1;
}
