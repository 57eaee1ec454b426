/* The data of a call: data.c copies it, and track.c releases it with the executor that has it. */
#ifndef ACLSPEC_LAYER_DATA_H
#define ACLSPEC_LAYER_DATA_H

#include "layer.h"

/* A tensor of a call: a parameter, or an element of a list. */
typedef struct {
    const aclspec_param *param;
    int64_t element;
    layer_object *tensor; /* held; NULL for one that is null or unknown */
    const char *address;
} layer_shot;

struct layer_data {
    layer_text inputs;
    const char *missing; /* why the data of this run is not recorded; NULL where it is */
    bool cut;            /* it has more tensors than a line holds */
    bool moved;          /* where a tensor is now is not known */
    bool unseen;         /* the creation of a tensor was not seen, so that its moves are not either */
    uint64_t number;
    size_t count;
    layer_shot shots[];
};

#endif
