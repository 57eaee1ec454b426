/* libge_runner: the one object of the graph engine that programs write to. */
#include "core/cxx.h"

/* ge::StatusFactory is a std::map of numbers and texts, which code of the program itself fills: a tree whose root stands in
 * an empty node, of which the first and the last node are itself as long as the tree is empty. */
typedef struct node {
    int color;
    struct node *parent, *left, *right;
} node;

typedef struct map {
    size_t comparison;
    node head;
    size_t count;
} map;

/* ge::StatusFactory *ge::StatusFactory::Instance() */
SIM_API void *_ZN2ge13StatusFactory8InstanceEv(void) {
    static map texts = {0, {0, NULL, &texts.head, &texts.head}, 0};
    return &texts;
}
