/* Sokoban's rules, once more and on their own: they judge what the plug-in returns. */
#ifndef SIMULATOR_H
#define SIMULATOR_H

#include <stdlib.h>
#include <string.h>

/* A level: its letters row after row, as hosts hand them over. */
struct level {
    unsigned width, height;
    const char *board;
};

/* What a replay came to. */
struct replay {
    /* Whether each letter is a move that the rules allow, in upper case exactly where it pushes. */
    int is_legal;
    /* Whether all boxes are on targets at the end. */
    int is_solved;
    unsigned moves, pushes;
};

static int is_box(char square) { return square == '$' || square == '*'; }
static int is_target(char square) { return square == '.' || square == '*' || square == '+'; }

/* The offset of a move in a board of this width; 0 where the letter is none. */
static long offset_of(char letter, unsigned width) {
    switch (letter) {
        case 'l': case 'L': return -1;
        case 'r': case 'R': return 1;
        case 'u': case 'U': return -(long)width;
        case 'd': case 'D': return (long)width;
        default: return 0;
    }
}

static long find_player(const char *board) {
    const char *at = strpbrk(board, "@+");
    return at == NULL ? -1 : (long)(at - board);
}

static void put(char *square, char on_floor, char on_target) {
    *square = is_target(*square) ? on_target : on_floor;
}

/* One step on a board; 0 where the rules do not allow it. The outermost squares are walls, or out of reach. */
static int step(char *board, unsigned width, long *player, char letter, unsigned *pushes) {
    long by = offset_of(letter, width);
    long to = *player + by, behind = to + by;
    long last = (long)strlen(board) - 1;
    if (by == 0 || to < 0 || to > last || board[to] == '#') return 0;
    if (is_box(board[to])) {
        if (letter > 'Z') return 0;
        if (behind < 0 || behind > last || board[behind] == '#' || is_box(board[behind])) return 0;
        put(&board[behind], '$', '*');
        *pushes += 1;
    } else if (letter < 'a') {
        return 0;
    }
    put(&board[*player], ' ', '.');
    put(&board[to], '@', '+');
    *player = to;
    return 1;
}

static struct replay replay(struct level level, const char *moves) {
    struct replay result = {1, 0, 0, 0};
    char *board = malloc(strlen(level.board) + 1);
    strcpy(board, level.board);
    long player = find_player(board);
    for (; *moves != '\0' && result.is_legal; moves++) {
        result.is_legal = step(board, level.width, &player, *moves, &result.pushes);
        result.moves += 1;
    }
    result.is_solved = result.is_legal && strchr(board, '$') == NULL;
    free(board);
    return result;
}

#endif
