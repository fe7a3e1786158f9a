/* A host of the plug-in, to test it: loads the library that is named and calls it as Sokoban programs do.
 *
 *     host LIBRARY
 *
 * What the plug-in returns is judged by the rules in simulator.h. */
#ifndef _WIN32
#define _DEFAULT_SOURCE
#endif
#include <limits.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>
#include "simulator.h"

#ifdef _WIN32
#include <windows.h>
#define CALL __stdcall
#else
#include <dlfcn.h>
#include <sys/mman.h>
#define CALL
#endif

enum {
    OK, CONSTRAINTS, INVALID, IMPOSSIBLE, GIVE_UP, TOO_LONG, CONFIGURATION, FAILURE, TIMEOUT, TERMINATED
};
enum { SOLUTION = 1, MOVES = 2, PUSHES = 4, BOX_LINES = 8 };
/* In the numbering of YASC. */
enum { THEN_MOVES = 128, THEN_PUSHES = 256 };

struct __attribute__((packed)) status {
    uint32_t size, flags;
    int64_t moves, pushes, states;
    char text[256];
    uint32_t time;
};

typedef int CALL callback(void);
typedef int CALL task(unsigned, unsigned, const char *, char *, unsigned, struct status *, callback *);

static task *solve_ex, *optimize;
static int(CALL *solve)(unsigned, unsigned, const char **, char *, unsigned);
static int(CALL *terminate)(void);
static void(CALL *get_name)(char *, unsigned);
static void(CALL *get_older_name)(char *, unsigned);
static void(CALL *get_constraints)(unsigned *, unsigned *, unsigned *);
static int(CALL *is_supported)(unsigned);
static void(CALL *configure)(void *);
static void(CALL *show_about)(void *);

/* ---- What is tested, and what came of it ---- */

static unsigned passed, failed;

#define CHECK(what) check((what) ? 1 : 0, #what, __func__, __LINE__)
static int check(int is_true, const char *what, const char *test, int line) {
    if (!is_true) fprintf(stderr, "host: %s, line %d: not so: %s\n", test, line, what);
    if (is_true) passed++; else failed++;
    return is_true;
}

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void nap(long milliseconds) {
    struct timespec time = {milliseconds / 1000, milliseconds % 1000 * 1000000};
    nanosleep(&time, NULL);
}

static void set_variable(const char *name, const char *value) {
#ifdef _WIN32
    SetEnvironmentVariableA(name, value);
#else
    if (value == NULL) unsetenv(name); else setenv(name, value, 1);
#endif
}

/* ---- Levels ---- */

#define LEVEL(w, h, text) {w, h, text}

static const struct level corridor = LEVEL(5, 3, "#####" "#@$.#" "#####");
static const struct level room = LEVEL(7, 4, "#######" "#@    #" "# $  .#" "#######");
static const struct level dead = LEVEL(6, 4, "######" "#$ @ #" "#   .#" "######");
static const struct level bend = LEVEL(8, 7,
    "########"
    "#  #   #"
    "# $    #"
    "# .##$ #"
    "#  #.  #"
    "#@     #"
    "########");
static const struct level shelf = LEVEL(10, 8,
    "  ######  "
    "###    ## "
    "#  $ $  ##"
    "# #.#.#  #"
    "#  *@ $  #"
    "# #.# # ##"
    "#      ## "
    "########  ");

/* A warehouse with hundreds of boxes, which keeps a search busy for longer than any test waits. */
enum { WAREHOUSE = 60 };
static char shelves[WAREHOUSE * WAREHOUSE + 1];
static const struct level warehouse = LEVEL(WAREHOUSE, WAREHOUSE, shelves);

static void fill_warehouse(void) {
    for (int row = 0; row < WAREHOUSE; row++) {
        for (int column = 0; column < WAREHOUSE; column++) {
            int from_right = WAREHOUSE - 1 - column;
            int is_edge = row == 0 || row == WAREHOUSE - 1 || column == 0 || from_right == 0;
            int is_shelf = !is_edge && row % 2 == 0;
            char square = is_edge ? '#' : ' ';
            if (is_shelf && column % 2 == 0 && column < WAREHOUSE / 2) square = '$';
            if (is_shelf && from_right % 2 == 0 && from_right < WAREHOUSE / 2) square = '.';
            shelves[row * WAREHOUSE + column] = square;
        }
    }
    shelves[WAREHOUSE + 1] = '@';
}

/* ---- Calls ---- */

/* A multiple of the size of a page, above the size of any board here. */
enum { FENCE = 65536 };

/* Memory that ends where nobody may read or write. */
static char *fenced(void) {
#ifdef _WIN32
    DWORD before;
    char *place = VirtualAlloc(NULL, 2 * FENCE, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
    int is_fenced = place != NULL && VirtualProtect(place + FENCE, FENCE, PAGE_NOACCESS, &before);
#else
    char *place = mmap(NULL, 2 * FENCE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    int is_fenced = place != MAP_FAILED && mprotect(place + FENCE, FENCE, PROT_NONE) == 0;
#endif
    if (!is_fenced) {
        fprintf(stderr, "host: no memory\n");
        exit(1);
    }
    return place;
}

static void release(char *place) {
#ifdef _WIN32
    VirtualFree(place, 0, MEM_RELEASE);
#else
    munmap(place, 2 * FENCE);
#endif
}

enum { ROOM = 4096 };
/* A byte that nobody writes: what is behind a buffer keeps it. */
static const char untouched = '\x7e';

/* A call with its record and its buffer, behind which nothing may be written. */
struct call {
    struct status status;
    char buffer[ROOM + 1];
    int code;
    double took;
};

static void prepare(struct call *call, const char *moves, unsigned flags) {
    memset(call, 0, sizeof *call);
    memset(call->buffer, untouched, sizeof call->buffer);
    /* The extra zero of the interface behind the last solution. */
    if (moves != NULL) {
        memcpy(call->buffer, moves, strlen(moves) + 1);
        call->buffer[strlen(moves) + 1] = '\0';
    }
    call->status.size = sizeof call->status;
    call->status.flags = flags;
}

/* The board lies before a fence, so that the plug-in reads no byte behind its end. */
static void finish(struct call *call, task *task, struct level level, unsigned room, callback *heard) {
    char *place = fenced();
    char *board = place + FENCE - strlen(level.board) - 1;
    strcpy(board, level.board);
    double began = seconds();
    call->code = task(level.width, level.height, board, call->buffer, room, &call->status, heard);
    call->took = seconds() - began;
    release(place);
    CHECK(call->buffer[room] == untouched);
    CHECK(memchr(call->status.text, '\0', sizeof call->status.text) != NULL);
    if (getenv("HOST_SHOWS") != NULL) {
        fprintf(stderr, "host: %ux%u: code %d after %.2f s: %s\n", level.width, level.height, call->code, call->took,
            call->status.text);
    }
}

static struct call solved(struct level level, callback *heard) {
    struct call call;
    prepare(&call, NULL, 0);
    finish(&call, solve_ex, level, ROOM, heard);
    return call;
}

static struct call optimized(struct level level, const char *moves, unsigned flags) {
    struct call call;
    prepare(&call, moves, flags);
    finish(&call, optimize, level, ROOM, NULL);
    return call;
}

static unsigned asked;
static int CALL asks_to_stop(void) { asked++; return 1; }
static int CALL says_time_is_over(void) { return TIMEOUT; }
static int CALL listens(void) { asked++; return 0; }

/* ---- Tests ---- */

static void names_and_limits(void) {
    char name[64];
    memset(name, untouched, sizeof name);
    get_name(name, sizeof name);
    CHECK(strncmp(name, "outwit ", 7) == 0);
    get_older_name(name, 4);
    CHECK(strcmp(name, "out") == 0);
    get_name(name, 0);
    CHECK(strcmp(name, "out") == 0);
    get_name(NULL, 64);
    unsigned width = 0, height = 0, boxes = 0;
    get_constraints(&width, &height, &boxes);
    CHECK(width >= 50 && height >= 50 && boxes > 0);
    get_constraints(NULL, NULL, NULL);
    CHECK(is_supported(MOVES | THEN_PUSHES) == 1);
    CHECK(is_supported(PUSHES | THEN_MOVES) == 1);
    CHECK(is_supported(BOX_LINES | THEN_MOVES) == 0);
    CHECK(terminate() == OK);
#ifndef _WIN32
    /* On Windows they open a window and wait for the user. */
    configure(NULL);
    show_about(NULL);
#endif
}

static void levels_are_solved(void) {
    const struct level levels[] = {corridor, room, bend, shelf};
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
        struct call call = solved(levels[i], listens);
        CHECK(call.code == OK);
        CHECK(call.status.flags & SOLUTION);
        CHECK(call.status.text[0] != '\0' && call.status.pushes >= 0 && call.status.states >= 0);
        struct replay played = replay(levels[i], call.buffer);
        CHECK(played.is_legal && played.is_solved);
    }
}

static void older_hosts_are_served(void) {
    const char *rows[] = {"#####", "#@$.#", "#####"};
    char buffer[8];
    CHECK(solve(5, 3, rows, buffer, sizeof buffer) == OK);
    CHECK(strcmp(buffer, "R") == 0);
    rows[1] = NULL;
    CHECK(solve(5, 3, rows, buffer, sizeof buffer) == INVALID);
    CHECK(buffer[0] == '\0');
    CHECK(solve(5, 3, NULL, NULL, 0) == INVALID);
}

static void a_level_without_solution(void) {
    struct call call = solved(dead, NULL);
    CHECK(call.code == IMPOSSIBLE);
    CHECK(call.buffer[0] == '\0');
    CHECK(!(call.status.flags & SOLUTION));
}

static void small_buffers(void) {
    struct call whole = solved(room, NULL), call;
    unsigned length = (unsigned)strlen(whole.buffer);
    prepare(&call, NULL, 0);
    finish(&call, solve_ex, room, length + 1, NULL);
    CHECK(call.code == OK && strcmp(call.buffer, whole.buffer) == 0);
    for (unsigned size = 1; size <= length; size++) {
        prepare(&call, NULL, 0);
        finish(&call, solve_ex, room, size, NULL);
        CHECK(call.code == TOO_LONG && call.buffer[0] == '\0' && call.buffer[1] == untouched);
    }
    /* Without a buffer the answer is whether there is a solution. */
    prepare(&call, NULL, 0);
    finish(&call, solve_ex, room, 0, NULL);
    CHECK(call.code == OK && call.buffer[0] == untouched);
    CHECK(solve_ex(room.width, room.height, room.board, NULL, 100, NULL, NULL) == OK);
}

static void shorter_records(void) {
    for (uint32_t size = 0; size <= 288; size += 96) {
        struct call call;
        prepare(&call, NULL, 0);
        memset(&call.status, untouched, sizeof call.status);
        call.status.size = size;
        call.code = solve_ex(5, 3, corridor.board, call.buffer, ROOM, &call.status, NULL);
        CHECK(call.code == OK && strcmp(call.buffer, "R") == 0);
        const char *record = (const char *)&call.status;
        for (size_t i = size < 4 ? 4 : size; i < sizeof call.status; i++) {
            if (record[i] != untouched) { CHECK(!"a byte behind the record is written"); break; }
        }
    }
}

static void time_is_held(void) {
    set_variable("OUTWIT_PLUGIN_SECONDS", "1");
    struct call call = solved(warehouse, listens);
    CHECK(call.code == TIMEOUT);
    CHECK(call.took > 0.5 && call.took < 5.0);
    CHECK(call.buffer[0] == '\0');
    CHECK(call.status.time >= 500 && call.status.time < 5000);
    set_variable("OUTWIT_PLUGIN_SECONDS", "soon");
    CHECK(solved(corridor, NULL).code == CONFIGURATION);
    set_variable("OUTWIT_PLUGIN_SECONDS", NULL);
}

static void hosts_stop_searches(void) {
    asked = 0;
    struct call call = solved(warehouse, asks_to_stop);
    CHECK(call.code == TERMINATED && call.took < 5.0);
    CHECK(asked == 1);
    CHECK(solved(warehouse, says_time_is_over).code == TIMEOUT);
}

/* A call on a thread of its own. */
struct errand {
    struct level level;
    struct call call;
};

static void *run_errand(void *given) {
    struct errand *errand = given;
    errand->call = solved(errand->level, NULL);
    return NULL;
}

static void terminate_stops_all_threads(void) {
    struct errand errands[2] = {{.level = warehouse}, {.level = warehouse}};
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, run_errand, &errands[i]);
    nap(500);
    double began = seconds();
    CHECK(terminate() == OK);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    CHECK(seconds() - began < 5.0);
    for (int i = 0; i < 2; i++) CHECK(errands[i].call.code == TERMINATED);
    /* A later call is not stopped. */
    CHECK(solved(bend, NULL).code == OK);
}

static void two_threads_at_once(void) {
    struct errand errands[2] = {{.level = bend}, {.level = shelf}};
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, run_errand, &errands[i]);
    for (int i = 0; i < 2; i++) {
        pthread_join(threads[i], NULL);
        struct replay played = replay(errands[i].level, errands[i].call.buffer);
        CHECK(errands[i].call.code == OK && played.is_legal && played.is_solved);
    }
}

static void hostile_boards(void) {
    const struct { struct level level; int code; } boards[] = {
        {LEVEL(0, 0, ""), CONSTRAINTS},
        {LEVEL(5, 0, "#####"), CONSTRAINTS},
        {LEVEL(1, 15, "######@$.######"), CONSTRAINTS},
        {LEVEL(65536, 65536, "######@$.######"), CONSTRAINTS},
        {LEVEL(UINT_MAX, UINT_MAX, "######@$.######"), CONSTRAINTS},
        {LEVEL(5, 3, ""), INVALID},
        {LEVEL(5, 3, "######@$.#####"), INVALID},
        {LEVEL(5, 3, "######@$.#######"), INVALID},
        {LEVEL(3, 5, "######@$.######"), INVALID},
        {LEVEL(250, 250, "######@$.######"), INVALID},
        {LEVEL(5, 3, "###### $.######"), INVALID},
        {LEVEL(6, 3, "#######@@$.#######"), INVALID},
        {LEVEL(6, 3, "#######@$$.#######"), INVALID},
        {LEVEL(6, 3, "#######@$..#######"), INVALID},
        {LEVEL(5, 3, "######@  ######"), INVALID},
        {LEVEL(5, 3, "######@$. #####"), INVALID},
        {LEVEL(5, 3, "               "), INVALID},
        {LEVEL(5, 5, "######@$.##########@$.###"), INVALID},
        {LEVEL(5, 3, "######@$.##\n###"), INVALID},
        {LEVEL(5, 3, "3#(2|)\xff\x01\x80;:<?\t>"), INVALID},
        {LEVEL(5, 3, "######\xc0$.######"), INVALID},
    };
    for (size_t i = 0; i < sizeof boards / sizeof *boards; i++) {
        struct call call = solved(boards[i].level, listens);
        if (!CHECK(call.code == boards[i].code && call.buffer[0] == '\0')) fprintf(stderr, "host: board %u\n", (unsigned)i);
        call = optimized(boards[i].level, "R", PUSHES);
        CHECK(call.code == boards[i].code && strcmp(call.buffer, "R") == 0);
    }
    CHECK(solve_ex(5, 3, NULL, NULL, 0, NULL, NULL) == INVALID);
    CHECK(optimize(5, 3, NULL, NULL, 0, NULL, NULL) == INVALID);
    CHECK(optimize(5, 3, corridor.board, NULL, 0, NULL, NULL) == INVALID);
}

/* Boards of random letters: the plug-in says something, and what it solves is solved. */
static void random_boards(void) {
    static const char letters[] = "########   $$..*@+-_?";
    uint32_t seed = 12345;
    set_variable("OUTWIT_PLUGIN_SECONDS", "1");
    for (int round = 0; round < 300; round++) {
        char board[50];
        unsigned width = 4 + (unsigned)round % 4, height = 4 + (unsigned)round / 4 % 4;
        for (unsigned i = 0; i < width * height; i++) {
            unsigned row = i / width, column = i % width;
            int is_edge = row == 0 || row == height - 1 || column == 0 || column == width - 1;
            seed = seed * 1664525u + 1013904223u;
            board[i] = is_edge ? '#' : letters[(seed >> 16) % (sizeof letters - 1)];
        }
        board[width * height] = '\0';
        struct level level = LEVEL(width, height, board);
        struct call call = solved(level, NULL);
        CHECK(call.code >= OK && call.code <= TERMINATED && call.code != FAILURE);
        if (call.code == OK) {
            struct replay played = replay(level, call.buffer);
            CHECK(played.is_legal && played.is_solved);
        }
    }
    set_variable("OUTWIT_PLUGIN_SECONDS", NULL);
}

/* Before each push, and at first, a step to a free square and back where there is one. */
static void lengthen(struct level level, const char *moves, char *longer) {
    static const char *const detours[] = {"lr", "rl", "ud", "du"};
    char *board = malloc(strlen(level.board) + 1);
    strcpy(board, level.board);
    long player = find_player(board);
    unsigned pushes = 0;
    for (; *moves != '\0'; moves++) {
        for (int i = 0; i < 4 && *moves < 'a'; i++) {
            char beside = board[player + offset_of(detours[i][0], level.width)];
            if (beside != '#' && !is_box(beside)) {
                *longer++ = detours[i][0];
                *longer++ = detours[i][1];
                break;
            }
        }
        *longer++ = *moves;
        CHECK(step(board, level.width, &player, *moves, &pushes));
    }
    *longer = '\0';
    free(board);
}

static void solutions_become_shorter(void) {
    const struct level levels[] = {room, bend, shelf};
    const unsigned flags[] = {0, PUSHES, PUSHES | THEN_MOVES, MOVES | THEN_PUSHES, PUSHES | 64, MOVES | 128};
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
        struct call first = solved(levels[i], NULL);
        char longer[3 * ROOM];
        lengthen(levels[i], first.buffer, longer);
        struct replay before = replay(levels[i], longer);
        CHECK(before.is_solved && before.moves > strlen(first.buffer));
        for (size_t j = 0; j < sizeof flags / sizeof *flags; j++) {
            struct call call = optimized(levels[i], longer, flags[j]);
            struct replay after = replay(levels[i], call.buffer);
            CHECK(call.code == OK && after.is_legal && after.is_solved);
            CHECK(call.status.flags == flags[j]);
            CHECK(call.buffer[strlen(call.buffer) + 1] == '\0');
            if (flags[j] & MOVES) {
                CHECK(after.moves < before.moves);
            } else {
                CHECK(after.pushes <= before.pushes);
                CHECK(after.pushes < before.pushes || after.moves < before.moves);
            }
        }
    }
    /* The second of two is the better one, and can still be improved. */
    struct call call;
    prepare(&call, NULL, PUSHES);
    memcpy(call.buffer, "rlrldRRR\0rldRRR\0", 17);
    finish(&call, optimize, room, ROOM, NULL);
    CHECK(call.code == OK && strcmp(call.buffer, "dRRR") == 0);
}

static void short_solutions_stay(void) {
    struct call call = optimized(room, "dRRR", PUSHES | THEN_MOVES);
    CHECK(call.code == GIVE_UP && strcmp(call.buffer, "dRRR") == 0);
    call = optimized(corridor, "R", MOVES | THEN_PUSHES);
    CHECK(call.code == GIVE_UP && strcmp(call.buffer, "R") == 0);
    call = optimized(room, "rldRRR", BOX_LINES | THEN_MOVES);
    CHECK(call.code == CONSTRAINTS && strcmp(call.buffer, "rldRRR") == 0);
}

static void wrong_solutions_are_refused(void) {
    const char *const wrong[] = {"", "R", "dRR", "dRRL", "uRRR", "dRRRx", "3R", "d RRR", "dddddddd", "L\xd2"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct call call = optimized(room, wrong[i], PUSHES);
        CHECK(call.code == INVALID && strcmp(call.buffer, wrong[i]) == 0);
    }
    /* One that does not end within the buffer. */
    struct call call;
    prepare(&call, "rldRRR", PUSHES);
    call.buffer[6] = untouched;
    finish(&call, optimize, room, 6, NULL);
    CHECK(call.code == INVALID && memcmp(call.buffer, "rldRRR", 6) == 0);
}

/* ---- The library ---- */

static void *library;

static void *find(const char *name) {
#ifdef _WIN32
    void *found = (void *)GetProcAddress(library, name);
#else
    void *found = dlsym(library, name);
#endif
    if (found == NULL) {
        fprintf(stderr, "host: the library has no %s\n", name);
        exit(1);
    }
    return found;
}

/* Functions and data have addresses of the same form wherever there are libraries to load. */
#define FIND(function, name) do { void *found = find(name); memcpy(&function, &found, sizeof found); } while (0)

static void load(const char *path) {
#ifdef _WIN32
    library = LoadLibraryA(path);
#else
    library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
#endif
    if (library == NULL) {
        fprintf(stderr, "host: %s cannot be loaded\n", path);
        exit(1);
    }
    FIND(solve, "Solve");
    FIND(solve_ex, "SolveEx");
    FIND(optimize, "Optimize");
    FIND(terminate, "Terminate");
    FIND(get_name, "GetPluginName");
    FIND(get_older_name, "GetSolverName");
    FIND(get_constraints, "GetConstraints");
    FIND(is_supported, "IsSupportedOptimization");
    FIND(configure, "Configure");
    FIND(show_about, "ShowAbout");
}

/* Hosts unload plug-ins when another one is chosen. */
static void unload(void) {
#ifdef _WIN32
    CHECK(FreeLibrary(library));
#else
    CHECK(dlclose(library) == 0);
#endif
    nap(100);
}

int main(int count, char **arguments) {
    if (count != 2) {
        fprintf(stderr, "usage: host LIBRARY\n");
        return 2;
    }
    load(arguments[1]);
    fill_warehouse();
    names_and_limits();
    levels_are_solved();
    older_hosts_are_served();
    a_level_without_solution();
    small_buffers();
    shorter_records();
    hostile_boards();
    random_boards();
    time_is_held();
    hosts_stop_searches();
    terminate_stops_all_threads();
    two_threads_at_once();
    solutions_become_shorter();
    short_solutions_stay();
    wrong_solutions_are_refused();
    unload();
    printf("host: %u checks passed, %u failed\n", passed, failed);
    return failed > 0;
}
