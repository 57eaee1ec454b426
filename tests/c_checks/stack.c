/* How many bytes of the stack a function takes: it runs on a stack that was filled with one byte. */
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <ucontext.h>

#define FILL 0xa5

static unsigned char stack[1 << 18];
static ucontext_t here, there;
static struct {
    void (*check)(int, bool, const void *, void *);
    size_t (*explain)(int, const void *, const void *, int, char *, size_t);
    int product, language;
    bool library;
    const void *arguments;
    void *verdict;
    char *buffer;
    size_t size;
} call;

static void run_check(void) { call.check(call.product, call.library, call.arguments, call.verdict); }

static void run_explain(void)
{
    call.explain(call.product, call.arguments, call.verdict, call.language, call.buffer, call.size);
}

static size_t taken(void (*run)(void))
{
    size_t free = 0;
    memset(stack, FILL, sizeof stack);
    getcontext(&there);
    there.uc_stack.ss_sp = stack;
    there.uc_stack.ss_size = sizeof stack;
    there.uc_link = &here;
    makecontext(&there, run, 0);
    swapcontext(&here, &there);
    while (free < sizeof stack && stack[free] == FILL)
        ++free;
    return sizeof stack - free;
}

size_t of_check(void *check, int product, bool library, const void *arguments, void *verdict)
{
    call.check = (void (*)(int, bool, const void *, void *))check;
    call.product = product;
    call.library = library;
    call.arguments = arguments;
    call.verdict = verdict;
    return taken(run_check);
}

size_t of_explain(void *explain, int product, const void *arguments, void *verdict, int language, char *buffer, size_t size)
{
    call.explain = (size_t (*)(int, const void *, const void *, int, char *, size_t))explain;
    call.product = product;
    call.arguments = arguments;
    call.verdict = verdict;
    call.language = language;
    call.buffer = buffer;
    call.size = size;
    return taken(run_explain);
}
