/* Work in parallel, with no pool that a fork could break: threads are made for a call and joined before it returns.
 * What a unit of work writes follows from the unit alone, so that results do not depend on the number of threads. */

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define MOST_THREADS 64
#define WORTH_A_THREAD (1 << 16) /* elements; below this a thread costs more than it saves */

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

typedef struct {
    work_fn work;
    void *context;
    int64_t first, last;
    void *scratch;
} share;

static void *run_share(void *argument)
{
    share *mine = argument;
    mine->work(mine->context, mine->first, mine->last, mine->scratch);
    return NULL;
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
    size_t pitch = (scratch + 127) / 64 * 64;
    char small[4096];
    char *memory = pitch * (size_t)many <= sizeof small ? small : take(pitch * (size_t)many);
    if (memory == NULL) return -1;
    share shares[MOST_THREADS];
    pthread_t others[MOST_THREADS];
    int started[MOST_THREADS];
    for (int64_t at = 0; at < many; at++) {
        char *own = memory + pitch * (size_t)at;
        own += (64 - (uintptr_t)own % 64) % 64;
        shares[at] = (share){work, context, count * at / many, count * (at + 1) / many, own};
    }
    for (int64_t at = 1; at < many; at++)
        started[at] = pthread_create(&others[at], NULL, run_share, &shares[at]) == 0;
    run_share(&shares[0]);
    for (int64_t at = 1; at < many; at++) {
        if (started[at]) pthread_join(others[at], NULL);
        else run_share(&shares[at]); /* no thread to be had: do its share here */
    }
    if (memory != small) give_back(memory, pitch * (size_t)many);
    return 0;
}
