/* An engine for both games: passes where it may, else draws any legal action by the seed of the decision.
 * Build: cc -O2 -o seeded seeded.c     Check: skat-env engine --check ./seeded
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define LONGEST 65536
#define MOST 64   /* legal actions of a decision */

/* The FNV-1a hash of a text, its bits mixed: a seed is any text, the same for the same decision. */
static uint64_t hash(const char *text)
{
    uint64_t h = 14695981039346656037ull;
    for (; *text; text++)
        h = (h ^ (unsigned char)*text) * 1099511628211ull;
    return h ^ h >> 32;
}

/* Answers a question; `legal` is cut into words. */
static void play(char *legal, const char *seed)
{
    char *actions[MOST];
    int count = 0, chosen;
    for (char *word = strtok(legal, " "); word && count < MOST; word = strtok(NULL, " "))
        actions[count++] = word;
    if (count == 0) {
        puts("error no line 'legal' before 'go'");
        return;
    }
    chosen = (int)(hash(seed) % (uint64_t)count);
    for (int i = 0; i < count; i++)
        if (strcmp(actions[i], "pass") == 0)
            chosen = i;
    printf("play %s\n", actions[chosen]);
}

int main(void)
{
    static char line[LONGEST], legal[LONGEST], seed[LONGEST];
    setvbuf(stdout, NULL, _IOLBF, 0);   /* the host waits for each line */
    while (fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\r\n")] = '\0';
        if (strcmp(line, "quit") == 0)
            return 0;
        if (strncmp(line, "skat_env ", 9) == 0)
            puts("engine seeded");
        else if (strcmp(line, "game skat") == 0 || strcmp(line, "game klaverjas") == 0)
            puts("ready");
        else if (strncmp(line, "game ", 5) == 0)
            printf("error no game %s\n", line + 5);
        else if (strncmp(line, "legal ", 6) == 0)
            strcpy(legal, line + 6);
        else if (strncmp(line, "seed ", 5) == 0)
            strcpy(seed, line + 5);
        else if (strcmp(line, "go") == 0)
            play(legal, seed);
    }
    return 0;
}
