/* Work in parallel, on threads that are kept from one call to the next and made anew in the child of a fork.
 * What a unit of work writes follows from the unit alone, so that results do not depend on the number of threads, nor
 * on who takes which units. */

#include <pthread.h>
#ifdef __linux__
#include <sched.h>
#endif
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MOST_THREADS 64
#define WORTH_A_THREAD (1 << 15) /* elements; below this a thread costs more than it saves */
#define PIECES 4                 /* that a thread's share is cut into, so that nobody waits long for the last one */
#define PATIENCE 100000          /* nanoseconds that a thread looks for what it awaits before it goes to sleep */
#define LOOKS 32                 /* between two looks at the clock */

/* The bytes that are taken now, and the most that ever were since they were last asked for. */
static size_t taken, most_taken;

/* Memory for scratch, counted. */
static void *take(size_t size)
{
    void *memory = malloc(size);
    if (memory == NULL) return NULL;
    size_t now = __atomic_add_fetch(&taken, size, __ATOMIC_RELAXED);
    size_t most = __atomic_load_n(&most_taken, __ATOMIC_RELAXED);
    while (now > most && !__atomic_compare_exchange_n(&most_taken, &most, now, 1, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {}
    return memory;
}

static void give_back(void *memory, size_t size)
{
    free(memory);
    __atomic_sub_fetch(&taken, size, __ATOMIC_RELAXED);
}

typedef void (*work_fn)(void *context, int64_t first, int64_t last, void *scratch);

/* A call's work, cut into pieces. Each thread has a share of them, the same one in every call, and goes through it the
 * other way round than in the call before, so that it finds in its cache what it touched last. When it is done it takes
 * pieces of the others' shares, from their far end. */
typedef struct {
    work_fn work;
    void *context;
    int64_t count, pieces, threads; /* units, the pieces that they are cut into, and shares */
    int backwards;
    char *memory;
    size_t pitch;
    char taken[MOST_THREADS * PIECES]; /* pieces that somebody is at, or has done */
} job;

static void do_share(job *mine, int64_t share, int backwards, void *scratch)
{
    int64_t first = mine->pieces * share / mine->threads, last = mine->pieces * (share + 1) / mine->threads;
    for (int64_t turn = first; turn < last; turn++) {
        int64_t at = backwards ? last - 1 - (turn - first) : turn;
        if (__atomic_exchange_n(&mine->taken[at], 1, __ATOMIC_RELAXED)) continue;
        mine->work(mine->context, mine->count * at / mine->pieces, mine->count * (at + 1) / mine->pieces, scratch);
    }
}

static void do_pieces(job *mine, int64_t thread)
{
    char *scratch = mine->memory + mine->pitch * (size_t)thread;
    scratch += (64 - (uintptr_t)scratch % 64) % 64;
    do_share(mine, thread, mine->backwards, scratch);
    for (int64_t other = 1; other < mine->threads; other++)
        do_share(mine, (thread + other) % mine->threads, !mine->backwards, scratch);
}

/* The threads, numbered from 1. One call has them at a time; a call that finds them taken works alone. */
typedef struct {
    pthread_mutex_t owner, lock;
    pthread_cond_t wake, done;
    int64_t threads, wanted; /* that there are, and that may help with the present job */
    job *now;
    unsigned turn, working;  /* the number of the job, and the threads that are at it */
    pthread_t thread[MOST_THREADS];
    int seen_at[MOST_THREADS]; /* the processor that a thread was on when it last waited */
} crew;

#define NO_CREW {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0, NULL, 0, 0, {0}, {0}}
static crew pool = NO_CREW;

/* The child of a fork has none of the threads, and nobody who would give back the locks. */
static void forget_threads(void) { pool = (crew)NO_CREW; }

static void watch_forks(void) { pthread_atfork(NULL, NULL, forget_threads); }

static int64_t nanoseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000LL + now.tv_nsec;
}

/* Lets the processor know that this is a loop that waits. */
static inline void breathe(void)
{
#if defined(__x86_64__) && defined(__GNUC__)
    __builtin_ia32_pause();
#elif defined(__aarch64__) && defined(__GNUC__)
    __asm__ volatile("yield");
#endif
}

/* Waits a little for a number to become another than `is`. Who sleeps is woken 50 microseconds late, and by then others
 * have done part of his share, and have its numbers in their caches: in a row of calls that take about as long, each
 * would take twice the time. */
static void await_change(const unsigned *number, unsigned is)
{
    int64_t end = 0;
    for (int at = 1; __atomic_load_n(number, __ATOMIC_ACQUIRE) == is; at++) {
        breathe();
        if (at % LOOKS) continue;
        int64_t now = nanoseconds();
        if (end == 0) end = now + PATIENCE;
        if (now > end) return;
    }
}

/* The processor that this thread is on; -1 where nobody says. */
static int here(void)
{
#ifdef __linux__
    return sched_getcpu();
#else
    return -1;
#endif
}

/* Sends the helpers that last were on the caller's processor to the others that he may use. A thread is woken where it
 * went to sleep, and on machines whose processors share no cache it stays there for milliseconds, behind who woke it or
 * in his place, while another processor is idle. */
static void make_room(int64_t helpers)
{
#ifdef __linux__
    cpu_set_t others;
    int at = here(), known = 0;
    for (int64_t helper = 1; helper <= helpers && helper <= pool.threads; helper++) {
        if (__atomic_load_n(&pool.seen_at[helper], __ATOMIC_RELAXED) != at) continue;
        if (!known && pthread_getaffinity_np(pthread_self(), sizeof others, &others) != 0) return;
        known = 1;
        CPU_CLR((size_t)at, &others);
        if (CPU_COUNT(&others) == 0) return;
        pthread_setaffinity_np(pool.thread[helper], sizeof others, &others);
    }
#else
    (void)helpers;
#endif
}

/* Gives the calling thread a name, aclspec-1 and so on, for debuggers and `top -H`. */
static void name_thread(int64_t thread)
{
#ifdef __linux__
    char name[16];
    snprintf(name, sizeof name, "aclspec-%d", (int)thread);
    pthread_setname_np(pthread_self(), name);
#else
    (void)thread;
#endif
}

static void *serve(void *argument)
{
    int64_t thread = (int64_t)(intptr_t)argument;
    unsigned seen = 0;
    name_thread(thread);
    for (;;) {
        __atomic_store_n(&pool.seen_at[thread], here(), __ATOMIC_RELAXED);
        await_change(&pool.turn, seen);
        pthread_mutex_lock(&pool.lock);
        while (pool.turn == seen) pthread_cond_wait(&pool.wake, &pool.lock);
        seen = pool.turn;
        job *mine = thread <= pool.wanted ? pool.now : NULL; /* none where the job is done already */
        if (mine) __atomic_add_fetch(&pool.working, 1, __ATOMIC_RELAXED);
        pthread_mutex_unlock(&pool.lock);
        if (mine == NULL) continue;
        do_pieces(mine, thread);
        pthread_mutex_lock(&pool.lock);
        if (__atomic_sub_fetch(&pool.working, 1, __ATOMIC_RELEASE) == 0) pthread_cond_signal(&pool.done);
        pthread_mutex_unlock(&pool.lock);
    }
    return NULL;
}

/* Makes threads until there are so many, or no more to be had. Signals are for the others. */
static void make_threads(int64_t many)
{
    static pthread_once_t watched = PTHREAD_ONCE_INIT;
    sigset_t all, before;
    pthread_once(&watched, watch_forks);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    while (pool.threads < many) {
        intptr_t next = pool.threads + 1;
        pool.seen_at[next] = here(); /* where it begins, too */
        if (pthread_create(&pool.thread[next], NULL, serve, (void *)next) != 0) break;
        pthread_detach(pool.thread[next]);
        pool.threads = next;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* Does a job together with at most `helpers` others, if the threads are free. */
static void do_together(job *mine, int64_t helpers)
{
    if (helpers == 0 || pthread_mutex_trylock(&pool.owner) != 0) {
        do_pieces(mine, 0);
        return;
    }
    if (pool.threads < helpers) make_threads(helpers);
    make_room(helpers);
    pthread_mutex_lock(&pool.lock);
    pool.now = mine;
    pool.wanted = helpers;
    __atomic_add_fetch(&pool.turn, 1, __ATOMIC_RELEASE);
    pthread_cond_broadcast(&pool.wake);
    pthread_mutex_unlock(&pool.lock);
    do_pieces(mine, 0);
    pthread_mutex_lock(&pool.lock);
    pool.now = NULL;
    unsigned working = pool.working;
    pthread_mutex_unlock(&pool.lock);
    if (working) {
        await_change(&pool.working, working);
        pthread_mutex_lock(&pool.lock);
        while (pool.working) pthread_cond_wait(&pool.done, &pool.lock);
        pthread_mutex_unlock(&pool.lock);
    }
    pthread_mutex_unlock(&pool.owner);
}

/* 0 and 1 in turn. */
static int next_way(void)
{
    static unsigned calls;
    return __atomic_fetch_add(&calls, 1, __ATOMIC_RELAXED) & 1;
}

/* Does units 0 to count - 1, each of about `size` elements, with `scratch` bytes for each thread. */
static int parallel(work_fn work, void *context, int64_t count, int64_t size, size_t scratch, int threads)
{
    int64_t worth = (count * (size > 0 ? size : 1)) / WORTH_A_THREAD;
    int64_t many = threads < 1 ? 1 : threads;
    if (many > worth) many = worth;
    if (many > count) many = count;
    if (many > MOST_THREADS) many = MOST_THREADS;
    if (many < 1) many = 1;
    char small[4096];
    int64_t pieces = many == 1 && worth < PIECES ? 1 : many * PIECES < count ? many * PIECES : count;
    job all = {work, context, count, pieces, many, next_way(), small, (scratch + 127) / 64 * 64, {0}};
    size_t needed = all.pitch * (size_t)many;
    if (needed > sizeof small) all.memory = take(needed);
    if (all.memory == NULL) return -1;
    do_together(&all, many - 1);
    if (all.memory != small) give_back(all.memory, needed);
    return 0;
}
